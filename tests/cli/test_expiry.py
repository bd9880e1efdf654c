"""Commands leave out pages that state that they have expired."""

from __future__ import annotations

import subprocess

import pytest
from tables import Steps, tabled
from terminal import Terminal

QUESTION = "When does a session expire?"
NEW = "# New\n\nA session expires after 12 hours.\n"
OLD = "# Old\n\nA session expires after 8 hours.\n"
FEBRUARY = {"SOURCE_DATE_EPOCH": "1770724800"}  # 2026-02-10, 12:00 in UTC


def dated(**dates: str) -> str:
    """Return the old page with dates in its front matter."""
    lines = "".join(f"{name}: {date}\n" for name, date in dates.items())
    return f"---\n{lines}---\n{OLD}"


PAGES = {"new.md": NEW}


def test_a_page_is_left_out_from_its_stated_expiry_on(terminal: Terminal) -> None:
    cases = [
        ({"t_expired": "2026-02-10"}, True),
        ({"t_expired": "2026-02-11"}, False),
        ({"t_invalid": "2026-02-10"}, True),
        ({"t_invalid": "2027-01-01", "t_expired": "2026-01-01"}, True),
        ({"t_expired": "2026-02-10T12:00:00+00:00"}, True),
        ({"t_expired": "2026-02-10T12:00:00-01:00"}, False),
        ({"t_expired": "'2026-02-10'"}, True),
        ({"t_expired": "some day"}, False),
        ({"t_created": "2020-01-01"}, False),
    ]
    terminal.write({f"old{number}.md": dated(**dates) for number, (dates, _) in enumerate(cases)})
    expected = [
        "new.md",
        *(f"old{n}.md" for n, (_, is_expired) in enumerate(cases) if not is_expired),
    ]
    for _ in range(2):  # the second time, the dates come from the cache
        listed = terminal.run("pages", variables=FEBRUARY).out.splitlines()
        assert [line.split()[0] for line in listed] == expected


@pytest.mark.parametrize("place", [(), ("--docs", "docs")])
def test_every_command_leaves_it_out(terminal: Terminal, place: tuple[str, ...]) -> None:
    terminal.write({"old.md": dated(t_expired="2026-01-05")})
    for arguments in (
        ("search", QUESTION),
        ("recall", QUESTION),
        ("explain", QUESTION),
        ("pages",),
        ("synopsis", "**"),
    ):
        outcome = terminal.run(*arguments, *place, variables=FEBRUARY)
        assert (outcome.status, outcome.err) == (0, "")
        assert "old.md" not in outcome.out
        outcome = terminal.run(*arguments, *place, "--include-expired", variables=FEBRUARY)
        assert (outcome.status, outcome.err) == (0, "")
        assert "old.md" in outcome.out


def test_now_is_the_date_of_head_where_no_variable_states_it(terminal: Terminal) -> None:
    def commit(date: str) -> None:
        for arguments in (["add", "."], ["commit", "--allow-empty", "-m", "docs: Write"]):
            subprocess.run(  # noqa: S603
                ["git", "-c", "user.name=A", "-c", "user.email=a@b.example", *arguments],  # noqa: S607
                check=True,
                capture_output=True,
                cwd=terminal.folder,
                env=terminal.environment({"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}),
            )

    terminal.write({"old.md": dated(t_expired="2026-01-05")})
    subprocess.run(["git", "init"], check=True, capture_output=True, cwd=terminal.folder)  # noqa: S607
    commit("2026-01-04T23:00:00+00:00")
    assert "8 hours" in terminal.run("search", QUESTION).out
    commit("2026-01-05T00:00:00+00:00")
    assert "8 hours" not in terminal.run("search", QUESTION).out


@tabled
def test_dates_and_the_time_are_reported(terminal: Terminal, case: Steps) -> None:
    terminal.follow(case)


@tabled
def test_a_fence_sets_whether_it_quotes_expired_pages(
    terminal: Terminal, fence: str, *, is_quoted: bool
) -> None:
    terminal.write({"old.md": dated(t_expired="2026-01-05")})
    fences = [f'```recall\nsource: "**"\nquery: {QUESTION}\n{more}```\n' for more in (fence, "")]
    terminal.write({"AGENTS.md": "\n---\n\n".join(fences)}, folder=".")
    outcome = terminal.run("render", "AGENTS.md", variables=FEBRUARY)
    assert outcome.status == 0
    first, second = outcome.out.split("---")
    assert ("8 hours" in first) is is_quoted
    assert "8 hours" not in second
    assert outcome.err.count("commits are ignored") == ("temporal" in fence)
