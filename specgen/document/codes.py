"""SG0xx: what is wrong with a text before anybody asks what it means."""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, WARNING, Code

ENCODING = Code(
    "SG001",
    "unreadable-text",
    ERROR,
    since="0.1",
    page="""A file that is not UTF-8 text.

## What it checks
The bytes of a file decode as UTF-8, with or without a byte-order mark, and hold no NUL and no other control
character that YAML forbids. In JSON no escape stands for half a character (`\\ud83d` without its other half).

## Why it hurts
kubectl replaces bytes that are not UTF-8 by U+FFFD and goes on, so a name or a path silently becomes another one.
UTF-16 files are refused by some readers and taken by others.

## Severity
- error: kubectl puts other characters in place of such bytes: what it sends is not what stands there.

## Example
Bad: a file saved as UTF-16 by an editor. Good: the same file saved as UTF-8.

## Fix
Save the file as UTF-8 (`iconv -f UTF-16 -t UTF-8`). specgen offers no fix: it would have to guess the encoding.

## When to ignore it
Never; it cannot be ignored.

## References
YAML 1.2.2, section 5.1 (character set); sigs.k8s.io/yaml, as run by kubectl 1.32.
""",
)

SYNTAX = Code(
    "SG002",
    "yaml-syntax",
    ERROR,
    since="0.1",
    page="""A text that no YAML reader can read.

## What it checks
The text is YAML: brackets and quotes are closed, indentation is by spaces and consistent, every alias has its anchor.

## Why it hurts
Nothing in its document can be checked or built; the API server would refuse it as well. Reading goes on behind the
next line that begins with `---`.

## Severity
- error: no reader can say what the text is, the API server's neither.

## Example
Bad:

```yaml
metadata: {name: a
```

Good:

```yaml
metadata: {name: a}
```

## Fix
None is offered: the place where a reader notices is often not the place of the slip. Look at the line itself and
at the one before it.

## When to ignore it
Never; it cannot be ignored.

## References
YAML 1.1 and 1.2.2; messages come from libyaml 0.2.5.
""",
)

DUPLICATE_KEY = Code(
    "SG003",
    "duplicate-key",
    ERROR,
    since="0.1",
    page="""The same key twice in one mapping.

## What it checks
No mapping holds a key twice, neither literally nor after Kubernetes' reading of it (`on` and `y` are both `true`).

## Why it hurts
Readers disagree: kubectl keeps the last one without a word, kustomize refuses the file, some libraries keep the
first. A `template:` written twice loses one of its halves.

## Severity
- error: kustomize refuses the file, kubectl drops one of the two in silence: what was written is lost.
- warning: in `expand --lenient`, which takes the last of the two as the API server does.

## Example
Bad:

```yaml
template:
  metadata: {labels: {team: nlp}}
template:
  spec: {containers: []}
```

Good:

```yaml
template:
  metadata: {labels: {team: nlp}}
  spec: {containers: []}
```

## Fix
Put what belongs together under one key, or write `---` where another object begins. Both are unsafe: one of the two
has been without effect until now. A second key that says the same is taken out.

## When to ignore it
Never; it cannot be ignored.

## References
YAML 1.2.2, section 3.2.1.3; recorded: kubectl 1.36 drops the first of two equal keys before it sends the object.
""",
)

LIMIT = Code(
    "SG004",
    "input-limit",
    ERROR,
    since="0.1",
    page="""An input beyond the limits of what specgen reads.

## What it checks
A file of at most 5 MiB, 64 MiB a run, 100 levels deep, 300,000 nodes and 16 Mi characters after aliases and merge
keys are expanded, integers of at most 64 bits, 10,000 documents, 1,000 problems of its YAML, and no anchor that
contains itself. Of a profile at most 100 bases, 1,000 variants, 300,000 nodes and 16 Mi characters in all of them
together, and 4 Mi characters that variables fill in. Of Markdown 16 Mi characters, counted once for each block.

## Why it hurts
A few hundred bytes of nested aliases expand to gigabytes; deep nesting makes parsers take quadratic time or crash.
Real manifests stay far below: of 243 files of public job repositories none was deeper than 15 levels or longer than
20 kB.

## Severity
- error: nothing of the input beyond the limit was read, so nothing is said of it.

## Example
Bad: `a: &a [*a]`. Good: the list written out.

## Fix
Split the file, or write the repeated part once.

## When to ignore it
Never; no file of a repository can raise a limit. `--max-input` raises that of a run; beyond 64 MiB, a file that the
command line names may have all of it, with a node for each 8 of its characters, a document for each 500, and three
times itself in characters.

## References
CVE-2019-11253 (alias bombs in the Kubernetes API server).
""",
)

UNSUPPORTED = Code(
    "SG005",
    "unsupported-yaml",
    ERROR,
    since="0.1",
    page="""YAML that Kubernetes' tools refuse or lose in silence.

## What it checks
No tags (`!include`, `!!python/object`), no `%` directives, no text after `...`, no keys that are lists, mappings or
null, no numbers that are infinite or not a number. No text without quotes between brackets holds `?`, no document
begins behind a carriage return alone, and `\\/` is an escape in JSON only.

## Why it hurts
kubectl drops an unknown tag and keeps the text, ignores everything after `...`, and refuses any directive. It cuts a
file at line feeds followed by `---` and reads one document of each part: others are left out without a word. Its reader
is older than most, and takes `[--glob, shard-?.tar]` for a slip.

## Severity
- error: kubectl refuses it, or drops it in silence: what was written is lost.

## Example
Bad: `password: !vault abc`. Good: `password: abc`.

## Fix
Write the value itself.

## When to ignore it
Never; it cannot be ignored.

## References
Measured with kubectl 1.32.4 and 1.37.1 (`kubectl label --local`).
""",
)

AMBIGUOUS = Code(
    "SG010",
    "ambiguous-scalar",
    WARNING,
    since="0.1",
    page="""A plain scalar that readers understand differently.

## What it checks
Unquoted `yes`, `no`, `on`, `off`, `y`, `n`, octal and underscored numbers (`0644`, `0o644`, `1_000`), exponents
(`1e3`), sexagesimal numbers and dates (`12:30:00`, `2024-01-02`), numbers that are too large for a float (`1e400`), and
`3.0` where a whole number is wanted; as values and as keys.

## Why it hurts
Kubernetes reads YAML 1.1 with exceptions of its own: `no` is false, `0644` is 420, `1e3` is 1000, `3.0` is 3, a date
and `1e400` are text.
Other readers of the same file disagree. In an `env` value the API server then refuses a boolean or a number.

## Severity
- error: in a profile: its readers must agree on what it says.
- warning: in a manifest: whether a reader other than Kubernetes comes across it is not known.
- note: where the field takes what Kubernetes reads there, as a file mode takes `0644`.

## Example
Bad: `NCCL_IB_DISABLE: no`. Good: `NCCL_IB_DISABLE: "no"`.

## Fix
Quote it if text is meant, else write the value that is meant (`true`, `420`, `1000`). Where the field takes a number,
quotes would have it refused. A `mode` in octal is a note alone: Kubernetes reads it as it is meant.

## When to ignore it
In a manifest whose only reader is Kubernetes. In a profile it is an error and cannot be ignored.

## References
sigs.k8s.io/yaml as run by kubectl 1.32.4; YAML 1.1 `bool`, `int`, `timestamp` types.
""",
)

NOT_A_MAPPING = Code(
    "SG006",
    "not-a-mapping",
    ERROR,
    since="0.1",
    page="""A document that is not a mapping, or no document where one is needed.

## What it checks
Every document is a mapping with `apiVersion` and `kind`; a profile is exactly one document.

## Why it hurts
A list, a bare word or an empty file describes no object. An empty result handed to a GitOps tool deletes what was
there.

## Severity
- error: kubectl refuses what is no object, and a profile that is none describes no job.

## Example
Bad: a file of comments only. Good: a file that begins with `apiVersion:`.

## Fix
None: specgen cannot know what was meant. `specgen init` prints a profile to start from.

## When to ignore it
Never.

## References
Kubernetes API conventions: every object has `apiVersion` and `kind`.
""",
)

NESTED_LIST = Code(
    "SG016",
    "nested-list",
    ERROR,
    since="0.1",
    page="""A List among the items of a List.

## What it checks
No item of a List has `items` of its own.

## Why it hurts
kubectl takes the items out of one List, not out of Lists in it: it refuses the file (`is not a list: no Items field in
this object`), and none of its objects is applied.

## Severity
- error: kubectl refuses the file.

## Example
Bad:

```yaml
kind: List
items:
  - kind: List
    items: [{kind: ConfigMap}]
```

Good:

```yaml
kind: List
items:
  - {kind: ConfigMap}
```

## Fix
Put the inner items into the outer List, or make documents of them.

## When to ignore it
Never; kubectl applies nothing of the file.

## References
Recorded: kubectl 1.37 (`kubectl label --local`).
""",
)

HIDDEN = Code(
    "SG328",
    "hidden-character",
    WARNING,
    since="0.1",
    page="""A character that nobody sees, in a text that people review.

## What it checks
Texts, comments included, hold no sign that turns the order in which text is shown (embeddings, overrides and isolates
of Unicode), and none without width, such as a zero-width space. Joiners between letters of other scripts or in
pictures, and the tags of flags, are left alone, as are escapes in double quotes, which everybody sees.

## Why it hurts
A review shows one text, and the cluster gets another: arguments in another order, a comment that is none, an image or a
variable whose name ends in a sign that nobody typed and no pod finds. Such signs come with text that was copied from a
page, or on purpose.

## Severity
- warning: the sign may be meant, where a text is written from right to left.

## Example
Bad: `--data=/data<U+200B>/train`, which names a folder that is not there. Good: `--data=/data/train`.

## Fix
Delete the sign. None is applied: one that is meant is not told from one that slipped in.

## When to ignore it
Where a comment in a script from right to left needs the marks.

## References
Unicode Standard Annex 9, section 2; Boucher and Anderson, "Trojan Source", CVE-2021-42574.
""",
)

LOOKALIKE = Code(
    "SG036",
    "lookalike-sign",
    WARNING,
    since="0.1",
    page="""A sign that looks like one of YAML's, or like a hyphen, and is another.

## What it checks
In profiles, plain scalars whose only signs outside ASCII are typographic quotes around them (`“train”`, `„train“`), a
dash in place of a hyphen in front (`–-epochs`), or full-width forms of YAML's own signs (`，`, `：`, `【`). Text in
quotes, and text in another writing, is left alone.

## Why it hurts
Word processors, chats and input methods write them by themselves. YAML takes them for letters: the quotes become a part
of the value, `[a，b]` is a list of one, and a program does not know the option `–-epochs`.

## Severity
- warning: it is a text like any other, and may be meant.

## Example
Bad:

```yaml
command: [python, train.py, –-epochs, "90"]
```

Good:

```yaml
command: [python, train.py, --epochs, "90"]
```

## Fix
Write the sign of ASCII. Where the other one is meant, put the text into double quotes.

## When to ignore it
Where the sign is meant and quotes are unwelcome.

## References
YAML 1.2.2, chapter 5 (indicators); Unicode, blocks General Punctuation and Halfwidth and Fullwidth Forms.
""",
)

ALL = (ENCODING, SYNTAX, DUPLICATE_KEY, LIMIT, UNSUPPORTED, NOT_A_MAPPING, AMBIGUOUS, NESTED_LIST, HIDDEN, LOOKALIKE)
