"""A process that has imported the modules of commands, and forks to run each command.

Most of a command's time goes into imports. A fork has them done, and is otherwise a separate
process, with its own folder, environment and streams.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import runpy
import sys
from contextlib import redirect_stderr, redirect_stdout
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from tempfile import TemporaryDirectory

_SITE = "{{site_name: Larch, theme: {{name: {theme}}}, plugins: [search, recall]}}"
_PAGE = """# Sign-in

A session expires after a day. It is one of the user. See also [the top](#sign-in).

```recall
source: index.md
query: when does a session expire?
```

```synopsis
source: index.md
```
"""
_COMMANDS = (
    *("recall|when does a session expire?|--source|index.md", "synopsis|index.md|--json"),
    *("search|session", "recall|session|--json", "pages", "lock", "check", "render|docs/index.md"),
)


def serve(requests: int, replies: int) -> str:
    """Run requested commands, one after another; in a fork, return the module to run.

    Args:
        requests: The file descriptor from which they are read, a line each: a JSON object with the
            `module`, the `arguments`, the `folder`, the `environment`, and the files for the
            `streams`.
        replies: The one to which their exit statuses are written, a line each.
    """
    with os.fdopen(requests, "rb") as lines, os.fdopen(replies, "wb") as statuses:
        for line in lines:
            command = json.loads(line)
            if command["arguments"][:1] == ["mcp"]:
                import_module("mkdocs_recall.cli.mcp_server")
            child = os.fork()
            if not child:
                _become(command)
                return str(command["module"])
            _, status = os.waitpid(child, 0)
            statuses.write(b"%d\n" % os.waitstatus_to_exitcode(status))
            statuses.flush()
    os._exit(0)


def _import_all() -> None:
    """Import the package, except what few commands need, and its late imports."""
    import_module("mkdocs_recall")
    from python_markdown import DEFAULT_EXTENSIONS

    late = ("__main__", "cli.mcp_", "hosts.sphinx_extension")
    for module in walk_packages(sys.modules["mkdocs_recall"].__path__, "mkdocs_recall."):
        if not module.name.removeprefix("mkdocs_recall.").startswith(late):
            import_module(module.name)
    for name in DEFAULT_EXTENSIONS:
        import_module(name if "." in name else f"markdown.extensions.{name}")
    for name in ("mkdocs.commands.build", "mkdocs.contrib.search"):
        import_module(name)


def _warm_up() -> None:
    """Build and query a site, so that forks have lazily made objects, such as patterns."""
    from kept import keep
    from mkdocs.commands.build import build
    from mkdocs.config import load_config
    from mkdocs.utils import get_theme_names

    from mkdocs_recall.cli.group import group

    keep()
    theme = "material" if "material" in get_theme_names() else "mkdocs"
    before, environment = Path.cwd(), dict(os.environ)
    with (
        TemporaryDirectory() as folder,
        Path(os.devnull).open("w", encoding="utf-8") as null,
        redirect_stdout(null),
        redirect_stderr(null),
    ):
        os.environ["XDG_CACHE_HOME"] = folder
        os.chdir(folder)
        Path("docs").mkdir()
        Path("mkdocs.yml").write_text(_SITE.format(theme=theme), encoding="utf-8")
        Path("docs/index.md").write_text(_PAGE, encoding="utf-8")
        build(load_config("mkdocs.yml"))
        for command in _COMMANDS:
            group.main(command.split("|"), standalone_mode=False)
        os.chdir(before)
    os.environ.clear()
    os.environ.update(environment)


def _become(command: dict[str, object]) -> None:
    """Take over the folder, the environment and the streams of a command."""
    arguments, environment = command["arguments"], command["environment"]
    folder, streams = command["folder"], command["streams"]
    assert isinstance(arguments, list)
    assert isinstance(environment, dict)
    assert isinstance(folder, str)
    assert isinstance(streams, list)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for number, path in enumerate(streams):
        opened = os.open(path, os.O_WRONLY | os.O_TRUNC if number else os.O_RDONLY)
        os.dup2(opened, number)
        os.close(opened)
    sys.argv[1:] = arguments
    paths = filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))
    sys.path[:1] = [folder, *(path for path in paths if path not in sys.path)]


def _run(module: str) -> int:
    """Run the command, and return its exit status."""
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else 0
    return 0


if __name__ == "__main__":
    _import_all()
    _warm_up()
    gc.collect()
    gc.freeze()
    status = _run(serve(*map(int, sys.argv[1:])))
    atexit._run_exitfuncs()  # noqa: SLF001 - all that matters of an exit
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)  # tearing down all modules costs more than most commands
