"""Our files for CI and editors: the action, the hook, the schemas."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
import yaml
from golden_demo import DEMO, ROOT
from jsonschema import Draft7Validator  # type: ignore[import-untyped]
from repositories import Repository
from tables import tabled
from terminal import Terminal

from mkdocs_recall import OptionError
from mkdocs_recall.directives.catalog import OPTIONS, fence_schema, questions_schema, site_schema
from mkdocs_recall.directives.fences import find_fences
from mkdocs_recall.directives.options import read_options
from mkdocs_recall.hosts.config import RecallConfig

ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}
HOOKS = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
AUTH = "# Auth\n\nA session expires after 12 hours.\n"
FENCE = "# Home\n\n```recall\nsource: auth.md\nquery: When does a session expire?\n```\n"
QUESTIONS = "- query: When does a session expire?\n  expect_source: auth.md\n"


@pytest.fixture
def edited(repository: Repository) -> Terminal:
    """A site in git whose lock is up to date but for an edit in the work tree."""
    here = Terminal(repository.root)
    here.configure("site_name: Larch\nplugins: [recall]\n")
    here.write({"auth.md": AUTH, "index.md": FENCE})
    here.write({"questions.yml": QUESTIONS}, folder=".")
    assert here.run("lock").status == 0
    repository.git("add", ".")
    repository.git("commit", "-m", "docs: Write")
    here.write({"auth.md": AUTH.replace("12 hours", "a day")})
    return here


def run(here: Terminal, name: str, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Run a step of the action as a runner does."""
    given = {key: value["default"] for key, value in ACTION["inputs"].items()} | inputs
    step = STEPS[name]
    variables = {
        key: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda match: given[match[1]], value)
        for key, value in step.get("env", {}).items()
    }
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    variables |= {"PATH": path, "GITHUB_STEP_SUMMARY": str(here.folder / "summary.md")}
    return subprocess.run(  # noqa: S603 - our own action
        ["bash", "-euo", "pipefail", "-c", step["run"]],  # noqa: S607
        capture_output=True,
        text=True,
        check=False,
        cwd=here.folder,
        env=here.environment(variables),
    )


@pytest.mark.skipif(os.name == "nt", reason="the steps are written for bash")
def test_the_steps_of_the_action_work(edited: Terminal, repository: Repository) -> None:
    checked = run(edited, "Check")
    assert (checked.returncode, "answer changed" in checked.stdout) == (3, True)
    repository.git("commit", "-am", "docs: Edit")
    compared = run(edited, "Impact", base="HEAD~1")
    assert (compared.returncode, compared.stderr.count("Error")) == (0, 0)
    comment = (edited.folder / "recall-impact.md").read_text(encoding="utf-8")
    assert comment.startswith("### Answers that change\n\n``````diff\ndocs/index.md:3: recall")
    assert "+ A session expires after a day.\n" in comment
    assert (edited.folder / "summary.md").read_text(encoding="utf-8") == comment
    assert run(edited, "Impact", base="HEAD").returncode == 0
    assert "None." in (edited.folder / "recall-impact.md").read_text(encoding="utf-8")
    asked = {"questions": "questions.yml", "min-hit": "1"}
    assert run(edited, "Evaluate", **asked).returncode == 0
    edited.write({"questions.yml": "- query: session?\n  none: true\n"}, folder=".")
    assert run(edited, "Evaluate", **asked).returncode == 3


def test_the_action_installs_its_own_version_and_uses_no_other_action() -> None:
    assert '"$GITHUB_ACTION_PATH"' in STEPS["Install"]["run"]
    assert [step for step in STEPS.values() if "uses" in step] == []


def test_the_hook_of_pre_commit_fails_on_a_changed_answer(edited: Terminal) -> None:
    (hook,) = HOOKS
    program, *arguments = shlex.split(hook["entry"])
    assert (program, hook["language"], hook["pass_filenames"]) == ("mkdocs-recall", "python", False)
    assert edited.run(*arguments).status == 3
    edited.write({"auth.md": AUTH})
    assert edited.run(*arguments).status == 0
    assert all(re.search(hook["files"], name) for name in ("docs/a.md", "mkdocs.yml"))


def faults(schema: dict[str, Any], text: str) -> list[str]:
    Draft7Validator.check_schema(schema)
    return [error.message for error in Draft7Validator(schema).iter_errors(yaml.safe_load(text))]


def test_each_fence_of_the_documentation_fits_the_schema() -> None:
    for page in sorted(DEMO.rglob("*.md")):
        for fence in find_fences(page.read_text(encoding="utf-8")):
            if not fence.embedm:
                assert faults(fence_schema(fence.name), fence.body) == [], (page, fence.body)


@tabled
def test_the_schema_refuses_what_the_parser_refuses(body: str, *, refused: bool) -> None:
    assert bool(faults(fence_schema(), body)) is refused
    with pytest.raises(OptionError) if refused else nullcontext():
        read_options("recall", body)


def test_the_mkdocs_yml_schema_checks_only_our_settings() -> None:
    schema = site_schema()
    plugin = schema["properties"]["plugins"]["anyOf"][1]["properties"]["recall"]
    site_wide = {name for name, option in OPTIONS.items() if option.site_wide}
    assert set(plugin["properties"]) == {*RecallConfig(), *site_wide}
    good = "site_name: x\nplugins:\n- search\n- recall: {lock: warn, limits: {page_size: 9}}\n"
    assert faults(schema, good) == []
    assert faults(schema, good.replace("warn", "warm"))


def test_questions_fit_their_schema_and_others_do_not() -> None:
    assert faults(questions_schema(), f"{QUESTIONS}- query: x\n  none: true\n") == []
    assert faults(questions_schema(), "- query: x")


@pytest.mark.parametrize("file", ["mkdocs", "recall", "synopsis", "questions"])
def test_the_command_prints_each_schema(tmp_path: Path, file: str) -> None:
    outcome = Terminal(tmp_path).run("schema", file)
    assert (outcome.status, '"$schema"' in outcome.out) == (0, True)
