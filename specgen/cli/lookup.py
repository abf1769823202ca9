"""Pages of the reference on the terminal: of one name, or all of them."""

from __future__ import annotations

from specgen.cli import exits
from specgen.cli.codes import codes
from specgen.diagnostics.model import BadQuestion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.cli.terminal import Terminal
    from specgen.diagnostics.model import Code
    from specgen.reference.log_lines import LogLine
    from specgen.reference.words import Word

# As many words are a line of a log, and no name.
_LINE = 4
_ASKING = ("how ", "where ", "what ", "which ", "when ", "why ", "who ", "can ", "is ", "does ")
# Words of one ending that are listed.
_MOST = 12


def is_name(subject: str) -> bool:
    """Whether a subject is a name that can be looked up, whatever files there are."""
    from os.path import isfile

    from specgen.reference.around import around
    from specgen.schema.topics import topic

    if "." in subject and around(subject) is not None and not isfile(subject):
        return True  # a file by whose name its page is known
    if "/" in subject and topic(subject) and not isfile(subject):
        return True  # the name of a resource, or of a path that every container has
    if subject == "-" or subject.endswith((".yaml", ".yml", ".json")):
        return False
    if "/" in subject:
        return bool(_log_lines(subject)) and not isfile(subject)  # a path may stand in a line of a log
    return _code(subject) is not None or _named(subject) or bool(_log_lines(subject))


def _log_lines(subject: str) -> list[LogLine]:
    """What a line of a log says, where it is one that is known and no name of anything else here."""
    from specgen.reference.find import find
    from specgen.reference.log_lines import found

    return found(subject) if not find(subject) else []


def _of_log(lines: list[LogLine], terminal: Terminal) -> int:
    from specgen.reference.log_lines import log_page
    from specgen.reference.page import text

    terminal.answer("\n".join(text(log_page(line, about)) for line in lines))
    return exits.GOOD


def about(name: str) -> str:
    """What a name is that can be looked up, in a sentence: a code, a word, a variable, or a page."""
    from specgen import nccl
    from specgen.reference.around import around
    from specgen.reference.exit_codes import is_asked
    from specgen.reference.pages import title
    from specgen.reference.variables import nccl_page
    from specgen.reference.words import by_name

    code = codes().get(name)
    if code is not None:
        return title(code)
    if name in nccl.VARIABLES:
        return nccl_page(name).lead
    page = around(name)
    if page is not None:
        return page.lead
    return "exit codes, and what follows each by kind." if is_asked(name) else by_name()[name].sentence


def _code(subject: str) -> Code | None:
    known = codes()
    return known.get(subject.upper()) or next((one for one in known.values() if one.slug == subject), None)


def _named(subject: str) -> bool:
    from specgen import nccl
    from specgen.reference.around import around
    from specgen.reference.exit_codes import is_asked
    from specgen.reference.find import elsewhere, find
    from specgen.reference.kinds import kinds
    from specgen.reference.torch_variables import TORCH_VARIABLES

    if (
        around(subject) is not None
        or is_asked(subject)
        or subject in nccl.VARIABLES
        or subject in TORCH_VARIABLES
        or find(subject)
        or elsewhere(subject)[0]
    ):
        return True
    return subject in kinds() or any(name.partition(" ")[0] == subject for name in kinds())


def _is_word(subject: str) -> bool:
    from specgen.reference.find import elsewhere, find

    return bool(find(subject) or elsewhere(subject)[0])


def look_up(subject: str, terminal: Terminal, target: str | None = None) -> int:
    """Prints the page of a name, or says which names are like it. ``target``: of a word, what it becomes in a kind.

    Raises BadQuestion where there is no such kind, or the name is no word.
    """
    kinds_wanted = _targets(target) if target is not None else []
    code = _code(subject)
    if target is not None and (code is not None or not _is_word(subject)):
        raise BadQuestion(f"--target is of a word of profiles, which `{subject}` is not")
    if code is not None:
        return _of_code(code, terminal)
    from specgen import nccl
    from specgen.reference.around import around
    from specgen.reference.becoming import Compiler
    from specgen.reference.exit_codes import exit_codes_page, is_asked
    from specgen.reference.find import elsewhere, find, near
    from specgen.reference.kinds import kind_page, kinds
    from specgen.reference.log_lines import partly
    from specgen.reference.page import text
    from specgen.reference.torch_variables import TORCH_VARIABLES, torch_page
    from specgen.reference.variables import nccl_page, operator_variables, variable_page
    from specgen.reference.words import by_name
    from specgen.schema.topics import program_variable

    if is_asked(subject):
        terminal.answer(text(exit_codes_page(Compiler())))
        return exits.GOOD
    beside = around(subject)
    if beside is not None:
        ends = find(subject)
        terminal.answer(
            text(beside) + ("\n" + _list(f"`{subject}` is the end of these words, too:", ends) if ends else "")
        )
        return exits.GOOD
    logged = _log_lines(subject)
    if logged:
        return _of_log(logged, terminal)
    words, (others, meant) = find(subject), elsewhere(subject)
    # a word that only ends so is less likely meant than what another project calls so
    other = [word for word in others if word not in words] if words and words[0].name != subject else []
    if words and other:
        head = f"`{subject}` may be one of these words; `specgen explain` takes the whole of one:"
        terminal.answer(_list(head, [*other, *words]))
        return exits.GOOD
    if words:
        return _of_words(subject, words, terminal, kinds_wanted)
    if len(others) > 1:
        return _of_several(subject, others, terminal)
    if others:
        terminal.answer(f"`{subject}`: {meant}\n\n")
        return _of_words(subject, others, terminal, kinds_wanted)
    same = [name for name in kinds() if subject in (name, name.partition(" ")[0])]
    if same:
        compiler = Compiler()
        terminal.answer("\n".join(text(kind_page(name, compiler)) for name in same))
        return exits.GOOD
    if subject in nccl.VARIABLES:
        terminal.answer(text(nccl_page(subject)))
        return exits.GOOD
    if subject in TORCH_VARIABLES:
        terminal.answer(text(torch_page(subject)))
        return exits.GOOD
    if subject.isupper():
        variables = operator_variables(Compiler())
        if subject in variables:
            terminal.answer(text(variable_page(subject, variables[subject])))
            return exits.GOOD
    else:
        variables = {}
    if subject.startswith("$<") and subject.endswith(">"):
        from specgen.reference.pages import VARIABLES

        return look_up(VARIABLES, terminal, target)
    plain = _plain(subject)
    if plain != subject and (is_name(plain) or plain.isupper()):
        terminal.say(f"specgen: `{subject}` is read as `{plain}`")
        return look_up(plain, terminal, target)
    number = _other_number(plain)
    if number is not None:
        terminal.say(f"specgen: `{subject}` is read as `{number}`")
        return look_up(number, terminal, target)
    agreed = _agreed(plain)
    if agreed:
        return _of_several(subject, agreed, terminal)
    from specgen.schema.habits import said_otherwise

    outside = said_otherwise(subject, None)
    if outside is not None:
        terminal.answer(f"no word says `{subject}`: {outside}\n")
        return exits.GOOD
    partly_logged = partly(subject)
    if partly_logged:
        return _of_log(partly_logged, terminal)
    commands = _commands(subject)
    if commands:
        terminal.answer("".join(f"{line}\n" for line in commands))
        return exits.GOOD
    known = codes()
    meant_names = near(subject, [*kinds(), *variables, *known, *(one.slug for one in known.values())])
    said = program_variable(subject) if not meant_names else ()
    if said:
        head = f"nobody here reads `{subject}`: it is the program's, and these words set it"
        terminal.answer(_list(head, [by_name()[one] for one in said]))
        return exits.GOOD
    if not said and " " in plain:
        pieces = dict.fromkeys(plain.split())
        # of a line of a log, plain words are no names; of a question they are
        named = len(pieces) < _LINE or subject.rstrip().endswith("?") or plain.lower().startswith(_ASKING)
        parts = [one for one in pieces if len(one) > 1 and (named or _is_certain(one)) and is_name(one)]
        meant_names = [*meant_names, *parts] if not {*meant_names} & {*parts} else meant_names
    a_line = len(plain.split()) >= _LINE
    terminal.say(f"specgen: there is no word, kind, code, or variable `{subject}`" + ", nor such a line" * a_line)
    from specgen.cli.meant import INSTEAD  # most questions have an answer

    instead = INSTEAD.get(plain.lower(), ())
    for name in meant_names[:4] if not instead else ():
        terminal.say(f"  = help: there is `{name}`")
    for line in instead or (_verbs(subject) if not meant_names else ()):
        terminal.say(f"  = help: {line}")
    return exits.QUESTION


def _other_number(name: str) -> str | None:
    """The plural of a name, or its singular, where that one is known: `checkpoints` of `checkpoint`."""
    if not (name.isascii() and name.replace("-", "").replace(" ", "").isalpha() and len(name) > 3):
        return None
    return next((one for one in (f"{name}s", name.removesuffix("s")) if one != name and is_name(one)), None)


def _agreed(name: str) -> list[Word]:
    """The words that say each part of a name of two or three words, those of the first part in their order."""
    from specgen.reference.find import elsewhere, find

    parts = name.split()
    if not 1 < len(parts) < _LINE:
        return []
    said = [[*find(part), *elsewhere(part)[0]] for part in parts]
    return [word for word in said[0] if all(word in one for one in said)]


def _is_certain(name: str) -> bool:
    """Whether a name is one wherever it stands: a code, a variable, or a path of words."""
    return (name.isupper() and ("_" in name or name.startswith("SG"))) or "." in name.strip(".")


def _plain(subject: str) -> str:
    """A name as it is called: no characters of full width, nothing around it, and variables in capitals."""
    from unicodedata import category, normalize

    from specgen import nccl
    from specgen.reference.becoming import Compiler
    from specgen.reference.variables import operator_variables

    plain = normalize("NFKC", subject)
    # what stands around a name when it is copied: quotation marks, brackets, colons
    around = "".join({one for one in plain if category(one)[0] in "PSZ" and one not in "./_-"})
    plain = plain.strip(around).rstrip(".") or subject
    upper = plain.upper()
    is_variable = upper.isidentifier() and (upper in nccl.VARIABLES or upper in operator_variables(Compiler()))
    return upper if is_variable else plain


def _commands(subject: str) -> list[str]:
    """What there is for the name of a command, ours or another program's: `lint`, `validate`, `dry run`."""
    from specgen.cli.main import VERBS
    from specgen.cli.meant import ELSEWHERE, INSTEAD
    from specgen.modules import import_module

    name = subject.strip().lower().replace(" ", "-")
    verb = name if name in VERBS else ELSEWHERE.get(name)
    if verb in VERBS:
        sentence = (import_module(f"specgen.cli.{verb}").__doc__ or "").partition("\n")[0]
        return [f"`specgen {verb} --help`: {sentence}"]
    return list(INSTEAD.get(name, ()))


def _verbs(subject: str) -> list[str]:
    """Commands whose sentence holds the name, else where all names and commands stand."""
    from specgen.cli.main import VERBS
    from specgen.modules import import_module

    found = []
    for verb in VERBS:
        about = import_module(f"specgen.cli.{verb}").__doc__ or ""
        sentence = about.partition("\n")[0]
        if subject.lower() in (word.strip(".,:").lower() for word in [verb, *sentence.split()]):
            found.append(f"`specgen {verb} --help`: {sentence}")
    return found or ["`specgen explain --all` holds every name, `specgen --help` the commands"]


def _targets(said: str) -> list[str]:
    """The kinds that are called so: `MPIJob/v1` as `--target` of `init` has it, or all versions of `MPIJob`."""
    from specgen.diagnostics.suggest import Names
    from specgen.reference.becoming import targets

    name = said.replace("/", " ")
    known = list(targets())
    found = [one for one in known if name.lower() in (one.lower(), one.partition(" ")[0].lower())]
    if not found:
        near = Names(known).hint(name, "kind")
        raise BadQuestion(f"--target {said}: profiles compile to no such kind", near)
    return found


def _of_words(subject: str, words: list[Word], terminal: Terminal, kinds: list[str]) -> int:
    from specgen.reference.becoming import Compiler
    from specgen.reference.page import text
    from specgen.reference.pages import Wanted, page
    from specgen.reference.spoken import spoken

    if len(words) > 1:
        head = f"{len(words)} words are called `{subject}`; `specgen explain` takes the whole of one:"
        terminal.answer(_list(head, words))
        return exits.GOOD
    terminal.answer(text(page(words[0], Compiler(), spoken(codes().values()), Wanted(kinds))))
    return exits.GOOD


def _of_several(subject: str, words: list[Word], terminal: Terminal) -> int:
    """Words that say together what somebody looks for, with the line that says most of them."""
    from specgen.reference.examples import example

    terminal.answer(_list(f"`{subject}` is said by these words; `specgen explain` takes each of them:", words))
    lines = [example(word)[0] for word in words if word.profile == words[0].profile]
    lines = [line for line in lines if subject in line] or lines
    best = max(lines, key=lambda line: sum(word.name.rpartition(".")[2] in line for word in words))
    terminal.answer(f"\nsuch as\n```yaml\n{best.rstrip()}\n```\n")
    return exits.GOOD


def _list(head: str, words: list[Word]) -> str:
    """Several words, a line each."""
    return "".join([f"{head}\n", *(f"  {word.name}: {word.sentence}\n" for word in words[:_MOST])])


def _of_code(code: Code, terminal: Terminal) -> int:
    from specgen.diagnostics.pages import severities
    from specgen.diagnostics.selection import opt_in

    _with_pages()
    title, _, page = code.page.strip().partition("\n")
    chosen = ", opt-in" if opt_in(code.id) else ""
    weights = " or ".join(severities(code.page))
    terminal.answer(f"{code.id} {code.slug} ({weights}{chosen}, since {code.since})\n\n{title}\n{page}\n")
    return exits.GOOD


def overview() -> str:
    """What can be looked up: the words at the top of both profiles, and the kinds."""
    from specgen.reference.kinds import kinds
    from specgen.reference.words import JOB, words

    lines = ["Words at the top of a job profile; `specgen explain WORD` says all of one, and what stands below it:"]
    tops = [word for word in words() if len(word.path) == 1]
    for of_jobs in (True, False):
        lines += [f"  {word.name}: {word.sentence}" for word in tops if (word.profile == JOB) == of_jobs]
        if of_jobs:
            lines += ["", "Words at the top of a cluster profile:"]
    lines += [
        "",
        f"Kinds: {', '.join(kinds())}",
        "",
        "Also words of Kubernetes, Slurm and PyTorch (nodeSelector, gres, nproc_per_node), variables of NCCL and of",
        "operators (NCCL_IB_HCA, WORLD_SIZE), codes of findings (SG111), and exit codes (138).",
        "What stands around profiles: pre-commit, ci, flux, argocd, kustomize, helm, import.",
        "A line of a log or of an event, in quotes: what it means, and which of these pages know its cause.",
        "`specgen explain --all` prints everything, with `--html FILE` as a page to be searched in a browser.",
    ]
    return "".join(f"{line}\n" for line in lines)


def everything(file: str | None, terminal: Terminal) -> int:
    """Prints the whole reference as Markdown, or writes it into an HTML file."""
    from specgen.reference.whole import HEAD, chapters, whole

    _with_pages()
    if file is None:
        terminal.answer(whole(codes()))
        return exits.GOOD
    from specgen.cli.rewrite import unheld, write_named
    from specgen.reference.html import html

    unheld(file, "reference.html")
    write_named(file, html(HEAD, chapters(codes())))
    return exits.GOOD


def _with_pages() -> None:
    """Raises BadQuestion where there are no pages of codes: those of rules are the docstrings of their modules."""
    import sys

    if sys.flags.optimize > 1:
        from specgen.diagnostics.model import BadQuestion

        message = "the pages of codes are docstrings, which Python leaves out under `-OO` and `PYTHONOPTIMIZE=2`"
        raise BadQuestion(message, "without them it prints the page")
