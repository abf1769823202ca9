"""Print a workflow of GitHub Actions or a pipeline of GitLab that checks manifests, profiles and what is built of them.

  specgen ci github > .github/workflows/specgen.yaml
  specgen ci gitlab > .gitlab-ci.yml

Findings go to code scanning and to the lines of a pull request, or to the code quality report of a merge request; an
error fails the job, and so does a folder `out` that is not what `profiles` come to. What pip installs stands in one
variable, SPECGEN, as a line of a requirements file. In GitLab the file may be included by the one that is there.
"""

from __future__ import annotations

from specgen.cli import exits

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from specgen.cli.terminal import Terminal

HELP = "print a workflow of GitHub or a pipeline of GitLab that runs the checks"

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
  # what pip installs: where your copy of specgen lives, or a path in this repository
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
      - run: specgen build profiles --out out --check
"""

GITLAB = """\
# .gitlab-ci.yml
variables:
  # what pip installs: where your copy of specgen lives, or a path in this repository
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
    - specgen build profiles --out out --check
"""


def add(parser: ArgumentParser) -> None:
    """Options of the verb."""
    parser.add_argument("service", choices=("github", "gitlab"), help="where the repository lies")


def run(options: Namespace, terminal: Terminal) -> int:
    """The verb."""
    terminal.answer(GITHUB if options.service == "github" else GITLAB)
    return exits.GOOD
