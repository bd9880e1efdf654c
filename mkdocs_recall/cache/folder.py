"""The folder of a cache: where it is by default, and whether a stranger may have filled it.

A cache decides what is quoted, and its keys are no secret. By default, it is among the user's own
files, where no clone puts one. In a work tree of git, a pull request may bring a forged cache to
the very place of ours, so that one is not used where git tracks a file in it, or a link on the way.
"""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path
from typing import Final

_LONGEST: Final = 50
"""Characters of a name; a file system takes 255 bytes."""
_ELSEWHERE: Final = "leave out 'cache_dir', or name a folder outside of the repository"


def user_cache_folder(path: str | os.PathLike[str]) -> Path | None:
    """Return the cache folder of a site, by its configuration, or of a folder or file without one.

    It is in the user's own cache. None where the user has none, as in a container.
    """
    from platformdirs import user_cache_path

    try:
        caches = user_cache_path("mkdocs-recall")
    except RuntimeError:
        return None
    path = Path(path).resolve()
    name = "-".join(path.parts[1:][-2:])[-_LONGEST:]
    own = caches / f"{name}-{sha256(os.fsencode(path)).hexdigest()[:16]}"
    return own if own.is_absolute() else None  # older versions of platformdirs may leave `~`


def make_folder(folder: Path) -> None:
    """Create the folder of a cache; git ignores it if nothing else is in it."""
    folder.mkdir(parents=True, exist_ok=True)
    if not any(folder.iterdir()):  # else it holds files that are not ours
        (folder / ".gitignore").write_text("*\n", encoding="utf-8")


def refusal(folder: Path) -> str:
    """Return why a cache in a folder is neither read nor written; an empty text where it is.

    Git is started only where the folder is in a work tree. If it has no answer, it may track files
    there.
    """
    try:
        links = [path for path in (folder, *folder.parents) if path.is_symlink()]
        places = [folder.resolve(), *(path.parent.resolve() / path.name for path in links)]
    except (OSError, RuntimeError) as error:  # a circle of links
        return str(error)
    for place in places:
        for top in (place, *place.parents):
            if os.path.lexists(top / ".git") and (reason := _tracking(place, top)):
                return reason
    return ""


def _tracking(place: Path, top: Path) -> str:
    """Return that git tracks a file or folder of a work tree, with a remedy; empty if not."""
    from mkdocs_recall.git import GitError, run_git

    name = place.relative_to(top).as_posix()
    try:
        # To some file systems, `.Cache` is the same folder.
        tracked = run_git(top, "ls-files", "-z", "--", f":(icase,literal){name}")
    except GitError as error:
        return f"git cannot tell whether it tracks files there: {error}; {_ELSEWHERE}"
    remedy = f"run 'git rm -rf {name}', {_ELSEWHERE}"
    return f"git tracks files there, which strangers may have written; {remedy}" if tracked else ""
