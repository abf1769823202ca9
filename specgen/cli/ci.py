"""Print a workflow of GitHub Actions or a pipeline of GitLab that checks manifests, profiles and what is built of them.

  specgen ci github > .github/workflows/specgen.yaml
  specgen ci gitlab > .gitlab-ci.yml
  specgen ci github jobs/dev --out trees/dev > .github/workflows/specgen.yaml

Findings go to code scanning and to the lines of a pull request, or to the code quality report of a merge request; an
error fails the job, and so does a folder of --out that is not what the profiles come to: `out`, and `profiles`, where
no others are named, as seen from the root of the repository. In GitLab the file may be included by the one that is
there. Of several trees each has a line `specgen build … --out … --check` of its own: print it once, and add the others.

What pip installs stands in one variable, SPECGEN, and is an example: put there what holds your specgen, as a line of a
requirements file, `specgen @ git+https://github.com/YOU/specgen@v0.1.0` or a folder of the repository, `./specgen`.

The same checks before each commit: `specgen explain pre-commit` prints the piece of `.pre-commit-config.yaml`.

What a change does to jobs (`specgen diff`) is one comment on a pull request of GitHub, written anew with each push; on
one from a fork, whose code gets no token that writes, it is the summary of the run. GitLab gives a job no token by
which it could write a note: there it is an artifact that the merge request links to.
"""

from __future__ import annotations

from specgen.cli import exits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from specgen.cli.terminal import Terminal

HELP = "print a workflow of GitHub or a pipeline of GitLab that runs the checks"
EXAMPLES = (
    ("specgen ci github", "a workflow that lints, builds and compares"),
    ("specgen ci gitlab", "the same as a pipeline"),
)

GITHUB = """\
# .github/workflows/specgen.yaml
name: specgen
on:
  push:
    branches: [main]
  pull_request:
permissions:
  contents: read
env:
  # what pip installs: put in where your copy of specgen lives, or a path in this repository such as ./specgen
  SPECGEN: specgen @ git+https://github.com/example/specgen@v0.1.0
jobs:
  lint:
    runs-on: ubuntu-latest
    permissions:
      contents: read
      security-events: write  # findings go to code scanning
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - run: pip install "$SPECGEN"
      - run: specgen lint --format sarif --exit-zero . > specgen.sarif
      # code scanning takes nothing from the pull request of a fork; its lines are annotated all the same
      - if: github.event_name == 'push' || github.event.pull_request.head.repo.full_name == github.repository
        uses: github/codeql-action/upload-sarif@v4
        with:
          sarif_file: specgen.sarif
          category: specgen
      - run: specgen lint --format github .
  build:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - run: pip install "$SPECGEN"
      - run: specgen build <profiles> --out <out> --check
  diff:
    # never on pull_request_target: that would give the code of forks this repository's secrets
    if: github.event_name == 'pull_request'
    runs-on: ubuntu-latest
    permissions:
      contents: read
      pull-requests: write  # one comment, written anew with each push; a fork's token only reads, whatever stands here
    concurrency:
      group: specgen-diff-${{ github.event.pull_request.number }}
      cancel-in-progress: true
    steps:
      - uses: actions/checkout@v4
        with:
          fetch-depth: 2  # the merge that is checked, and HEAD^1, what it is merged into
          persist-credentials: false
      - uses: actions/setup-python@v5
        with:
          python-version: "3.12"
      - run: pip install "$SPECGEN"
<diff>      - run: cat specgen.md >> "$GITHUB_STEP_SUMMARY"
      # what is too long for a comment stands in the summary alone
      - if: github.event.pull_request.head.repo.full_name == github.repository
        env:
          GH_TOKEN: ${{ github.token }}
          NUMBER: ${{ github.event.pull_request.number }}
        run: |
          { echo '<!-- specgen diff -->'; awk '(n += length($0) + 1) < 60000' specgen.md; } > comment.md
          mine='.[] | select(.user.type == "Bot" and (.body | startswith("<!-- specgen diff -->"))) | .id'
          comments="repos/$GITHUB_REPOSITORY/issues/$NUMBER/comments"
          id=$(gh api --paginate "$comments" --jq "$mine" | sed -n 1p)
          if [ -n "$id" ]; then
            gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$id" -F body=@comment.md
          else
            gh api --silent --method POST "$comments" -F body=@comment.md
          fi
"""

GITLAB = """\
# .gitlab-ci.yml
variables:
  # what pip installs: put in where your copy of specgen lives, or a path in this repository such as ./specgen
  SPECGEN: specgen @ git+https://github.com/example/specgen@v0.1.0
.specgen:
  image: python:3.12
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
    - if: $CI_COMMIT_BRANCH == $CI_DEFAULT_BRANCH
  before_script:
    - pip install "$SPECGEN"
specgen-lint:
  extends: .specgen
  script:
    - specgen lint --format gitlab --exit-zero . > gl-code-quality-report.json
    - specgen lint .
  artifacts:
    when: always
    reports:
      codequality: gl-code-quality-report.json
specgen-build:
  extends: .specgen
  script:
    - specgen build <profiles> --out <out> --check
specgen-diff:
  extends: .specgen
  # a merge request of a fork runs in the fork, with none of this project's variables
  rules:
    - if: $CI_PIPELINE_SOURCE == "merge_request_event"
  variables:
    GIT_DEPTH: 0  # for the commit that the branch left
  script:
    # the target branch where its merge is what is checked, else what the branch left
<diff>    - cat specgen.md
  # a note needs a token with the scope `api`, and CI_JOB_TOKEN has none: the merge request links to this instead
  artifacts:
    expose_as: specgen diff
    paths:
      - specgen.md
"""


# What a change does to the jobs of one path, of which the first begins the file.
_OF_GITHUB = """\
      - run: specgen diff HEAD^1:<old> <new> --format markdown --exit-zero > specgen.md
"""
_OF_GITLAB = """\
    - >-
      specgen diff "${CI_MERGE_REQUEST_TARGET_BRANCH_SHA:-$CI_MERGE_REQUEST_DIFF_BASE_SHA}:<old>" <new>
      --format markdown --exit-zero > specgen.md
"""
_SERVICES = {"github": (GITHUB, _OF_GITHUB), "gitlab": (GITLAB, _OF_GITLAB)}


def add(parser: ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument("service", choices=tuple(_SERVICES), help="where the repository lies")
    parser.add_argument(
        "files", metavar="PATH", nargs="*", default=(), help="job profiles, and folders of them (default: profiles)"
    )
    parser.add_argument(
        "--out", metavar="DIR", default="out", help="the folder that they are built into (default: out)"
    )


def run(options: Namespace, terminal: Terminal) -> int:
    """The verb."""
    paths = [_path(one) for one in options.files or ("profiles",)]
    text, line = _SERVICES[options.service]
    lines = [line.replace("<old>", one if one != "." else "").replace("<new>", one) for one in paths]
    diff = "".join([lines[0], *(one.replace(" > ", " >> ") for one in lines[1:])])
    said = text.replace("<profiles>", " ".join(paths)).replace("<out>", _path(options.out))
    terminal.answer(said.replace("<diff>", diff))
    return exits.GOOD


def _path(path: str) -> str:
    """A path in the repository, spelled so that neither YAML nor a shell reads more into it."""
    import re
    from posixpath import normpath

    from specgen.diagnostics.model import BadQuestion

    found = normpath(path) if path else ""
    if found.startswith(("/", "-")) or found.split("/")[0] == "..":
        raise BadQuestion(f"{path}: it is no path below the root of the repository, where the checks run")
    if not re.fullmatch(r"[A-Za-z0-9._/@+-]+", found):
        raise BadQuestion(f"{path or '``'}: a shell would read this path as something else; name it otherwise")
    return found
