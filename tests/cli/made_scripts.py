"""Batch scripts made by chance, of what a shell puts in place of words: variables, lists, sums, conditions, loops."""

from __future__ import annotations

from random import Random

_NAMES = ("A", "B", "C")
_WORDS = ("x", "y", "7b", "a.b", "/p/q.py", "12", "3", "a-b", "one two")
# fmt: off
_OF_ONE = (
    "$%", "${%}", "${%:-d}", "${%%.*}", "${%##*/}", "${%/a/b}", "${#%}", "${%:0:2}", "${%:+set}", "${%^^}", "${%-z}",
    "${Q:-e f}",
)
# fmt: on
_OF_LIST = ("${L[0]}", "${L[1]}", "${#L[@]}", "${L[$((1+0))]}", "$L")
_BEGIN = "I=4\nA=x\nB=a.b\nC='/p/q r.py'\nL=(u v)\nJ=0\n"


def made(chance: Random) -> str:
    """A script of some lines, of which the last one is a step: `srun -n 1 ./prog …`."""
    lines = [_line(chance) for _ in range(chance.randint(2, 9))]
    words = [_word(chance) for _ in range(chance.randint(1, 5))]
    return _BEGIN + "\n".join(lines) + f"\nsrun -n 1 ./prog {' '.join(words)}\n"


def started(chance: Random) -> str:
    """A script that starts its step in loops, functions and choices, of an array or of none."""
    head = "#SBATCH --array=0-3\n" if chance.random() < 0.4 else ""
    lines = [_line(chance) for _ in range(chance.randint(0, 2))]
    script = f"{head}{_BEGIN}K=0\nV=v.w\nW=w\nT=(t u)\n" + "\n".join(lines) + f"\n{_around(chance, 0)}\n"
    return script if head else script.replace("SLURM_ARRAY_TASK_ID", "K")


def _step(chance: Random) -> str:
    # fmt: off
    words = [
        chance.choice((
            "$K", "--k=$K", "$V", "--v $V", "p$((K + 1))", "$W", "x", "${T[$K]}", "$(printf '%03d' $K)", "${V%.*}",
            "$SLURM_ARRAY_TASK_ID", "--s=$((SLURM_ARRAY_TASK_ID * 2))", "'a b'", "${1:-none}", "--o=/o/$V/$W",
        ))
        for _ in range(chance.randint(1, 4))
    ]
    # fmt: on
    return f"srun -n 1 ./prog {' '.join(words)}" + (" &" if chance.random() < 0.3 else "")


def _around(chance: Random, deep: int) -> str:
    """A step, or what starts one several times."""
    if deep > 2 or chance.random() < 0.15:
        return _step(chance)
    inner, name = _around(chance, deep + 1), chance.choice("VW")
    # fmt: off
    before = chance.choice((
        "", "", "K=$((K + 1))", "((K++))", f"{name}=k$K", '[ "$V" = b.c ] && continue', "(K=9; V=q)", "T[$K]=z",
        "[[ $K == 2 || $V =~ ^c ]] && break", f"if [ $((K % 2)) -eq 0 ]; then {name}=even; fi", "set -- $V last",
        "printf -v W '%02d' $K", "[ $K -gt 3 ] && { K=0; break; }",
    ))
    # fmt: on
    if deep == 0:
        before = before.replace(" && continue", " && W=c").replace(" && break", " && W=b").replace("; break", "")
    values = chance.choice(("a b.c d", "{0..2}", "$(seq 2 3)", '"${L[@]}"', "x", "$B $A"))
    way = chance.randrange(8)
    if way == 0:
        return f"for {name} in {values}; do\n{before}\n{inner}\ndone"
    if way == 1:
        return f"for ((K = 0; K < 3; K++)); do\n{before}\n{inner}\ndone"
    if way == 2:
        return f"while [ $K -lt 3 ]; do\nK=$((K + 1))\n{before}\n{inner}\ndone"
    if way == 3 and deep < 2:
        calls = "\n".join([f"go{deep} {chance.choice(('a', 'b c', '$K', '$V'))}" for _ in range(chance.randint(1, 3))])
        ends = before.replace("continue", "return").replace("break", "return")
        return f"go{deep}() {{\nlocal W=$1\n{ends}\n{inner}\n}}\n{calls}"
    if way == 4:
        return f"case $SLURM_ARRAY_TASK_ID in\n0) V=zero ;;\n1|2) V=some ;;\n*) V=more ;;\nesac\n{inner}"
    if way == 5:
        asked = f"if [ $N -eq $SLURM_ARRAY_TASK_ID ]; then\n{inner}\nfi"
        return f"N=0\nfor V in a b; do for W in 1 2; do\n{asked}\n((N++))\ndone; done"
    if way == 6:
        return f"({before.replace('continue', 'exit').replace('break', 'exit')}\n{inner}\n)"
    return f"if [ $K -lt 2 ]; then\n{inner}\nelse\n{_step(chance)}\nfi"


def mutated(chance: Random, scripts: list[str]) -> str:
    """A script with pieces cut out, doubled and put in, that is mostly none any more."""
    text = chance.choice(scripts)
    for _ in range(chance.randint(1, 8)):
        at = chance.randrange(len(text) + 1)
        way = chance.random()
        if way < 0.35:
            text = text[:at] + chance.choice(_PIECES) + text[at:]
        elif way < 0.6:
            text = text[:at] + text[at + chance.randint(1, 12) :]
        elif way < 0.8:
            lines = text.split("\n")
            lines.insert(chance.randrange(len(lines) + 1), chance.choice(lines))
            text = "\n".join(lines)
        else:
            text = f"{text[:at]}\n{chance.choice(chance.choice(scripts).split(chr(10)))}\n{text[at:]}"
    return text


# fmt: off
_PIECES = (
    "${", "$(", "$((", "))", ")", "}", "'", '"', "`", "\\", "\n", "if [ ", "; then\n", "fi\n", "case $x in\n", "esac\n",
    ";;", "for i in {1..5}; do\n", "done\n", "{", "((", "<<EOF\n", "EOF\n", "+=(", "=(", "$@", "$#", "${#a[@]}",
    "${a[$b]}", "&&", "||", "|", "#", "$", "~", "*", "${a:-", "${a%", "a=$a$a$a$a$a\n", "{1..999999}", "$((1/0))",
    "$((9999999999*9999999999))", "\0", "é", "function f {", "f() {", "f\n", "declare -x A+=(", "export ", "$'\\n'",
)
# fmt: on


def _one(chance: Random) -> str:
    return chance.choice(_OF_ONE).replace("%", chance.choice(_NAMES), 1)


def _sum(chance: Random, deep: int = 0) -> str:
    if deep > 2 or chance.random() < 0.4:
        return chance.choice(("1", "2", "3", "4", "I", "$I", "${I}", "7"))
    return f"({_sum(chance, deep + 1)} {chance.choice('+*/%-')} {_sum(chance, deep + 1)})"


def _condition(chance: Random) -> str:
    return chance.choice((
        f'[ "{_one(chance)}" = {chance.choice(("x", "y", "12"))} ]',
        f"[[ {_one(chance)} == {chance.choice(('a*', 'x', '*b'))} ]]",
        f'[ -n "{_one(chance)}" ]',
        f'[ -z "${chance.choice(_NAMES)}" ]',
        f"[ $I -gt {chance.randint(0, 9)} ]",
    ))  # fmt: skip


def _line(chance: Random, deep: int = 0) -> str:
    name, one, word = chance.choice(_NAMES), _one(chance), chance.choice(_WORDS)
    plain = (
        f'{name}="{word}"',
        f"{name}='{word} $A'",
        f'{name}="{one} {word}"',
        f"{name}={one}",
        f'{name}+="{word}"',
        f"I=$(({_sum(chance)}))",
        f'L=({word} "{word}" {one} "{_one(chance)}")',
        f'L+=("{word}" {chance.choice("ab")})',
        f"{name}={chance.choice(_OF_LIST)}",
        f"{name}=$(basename /x/y1.py .py)",
        f"{name}=$(dirname /x/y/z)",
        f"{name}=$(seq 3)",
        f'{name}=$(echo "{one}" b)',
    )
    if deep > 2 or chance.random() < 0.65:
        return chance.choice(plain)

    def inner() -> str:
        return _line(chance, deep + 1)

    condition = _condition(chance)
    way = chance.randrange(4)
    if way == 0:
        more = f"elif {_condition(chance)}; then\n{inner()}\n" if chance.random() < 0.4 else ""
        last = f"else\n{inner()}\n" if chance.random() < 0.6 else ""
        return f"if {condition}; then\n{inner()}\n{more}{last}fi"
    if way == 1:
        return f'case "{one}" in\na*|x) {inner()} ;;\n12) {inner()} ;;\n*) {inner()} ;;\nesac'
    if way == 2:
        found = chance.choice(("1 2 3", "a b", "{1..3}", "$(seq 2)"))
        return f"for J in {found}; do\n{inner()}\nI=$((I + 1))\ndone"
    return f"{condition} && {inner()}" if chance.random() < 0.6 else f"{condition} || {name}=k"


def _word(chance: Random) -> str:
    one, name = _one(chance), chance.choice(_NAMES)
    # fmt: off
    return chance.choice((
        one, f'"{one}"', '"${L[@]}"', "${L[@]}", '"${L[*]}"', f"pre{one}'l $A'\"q {_one(chance)}\"", "{1..3}", "z{a,b}",
        "--n=$((I * 2))", f"${{{name}:+--opt v}}", '"$I"', "$J", "\\$A", "'${A}'",
    ))
    # fmt: on
