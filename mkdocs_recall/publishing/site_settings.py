"""The other sites that a site may quote, as its `sites` names them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from mkdocs_recall.errors import OptionError, did_you_mean
from mkdocs_recall.messages import kind_of, shown

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

COPIES: Final = "recall-sites"
"""The folder of the copies, beside `mkdocs.yml`."""
SITES_LOCK: Final = "recall-sites.lock"
"""The name of the file of their digests, beside `mkdocs.yml`."""
_NAME: Final = re.compile(r"[a-z][a-z0-9_-]+(?:@[A-Za-z0-9._+-]+)?", re.ASCII)
"""Two letters or more: a single one is a drive of Windows."""
_SCHEMES: Final = frozenset(
    {"about", "blob", "data", "file", "ftp", "ftps", "git", "http", "https", "javascript"}
    | {"mailto", "sftp", "ssh", "tel", "urn", "view-source", "ws", "wss"}
)
_SETTINGS: Final = ("url", "private")
_NOT_IN_URL: Final = re.compile(r"[\x00-\x20\x7f-\U0010ffff\"<>\\^`{|}]")
_LONGEST_URL: Final = 2_000
_MOST: Final = 1_000
"""Sites of one site."""


@dataclass(frozen=True, slots=True)
class OtherSite:
    """A site that another one may quote."""

    name: str
    """What sources call it: `flux`, or `flux@2.5` for one of its versions."""
    url: str
    """The URL of its root, or of its published file."""
    private: bool = False
    """Whether nothing that is quoted from it may be published."""

    @property
    def file_url(self) -> str:
        """The URL of its published file."""
        from mkdocs_recall.publishing.published_file import FILE

        path = urlsplit(self.url).path
        return self.url if path.endswith(".gz") else f"{self.url.rstrip('/')}/{FILE}"


def copy_path(root: Path, name: str) -> Path:
    """Return the path of the copy of a site.

    Args:
        root: The folder of `mkdocs.yml`.
    """
    return root / COPIES / f"{name}.jsonl.gz"


def is_site_name(name: str) -> bool:
    """Tell whether a site may be called so in a source: `flux`, `flux@2.5`."""
    return bool(_NAME.fullmatch(name)) and name.partition("@")[0] not in _SCHEMES


def as_sites(value: object) -> dict[str, OtherSite]:
    """Return the other sites by name, in the order of the setting.

    Args:
        value: A mapping of names to settings, as YAML has it; None for no site.
    """
    if value is None:
        return {}
    if not isinstance(value, dict):
        msg = (
            "'sites' must map names to settings, such as 'flux: {url: https://…}', "
            f"not {shown(value)}"
        )
        raise OptionError(msg)
    if len(value) > _MOST:
        msg = f"'sites' has {len(value):,} entries, and the limit is {_MOST:,}"
        raise OptionError(msg)
    sites: dict[str, OtherSite] = {}
    by_file: dict[str, str] = {}
    for name, settings in value.items():
        if not isinstance(name, str) or not is_site_name(name):
            msg = (
                f"'sites' cannot have a site {shown(name)}: a name is two or more of a-z, 0-9, '-' "
                "and '_', starts with a letter, is no URL scheme, and may end in a version, such "
                "as 'flux@2.5'"
            )
            raise OptionError(msg)
        if other := by_file.get(name.lower()):
            msg = f"'sites' has '{other}' and '{name}', which some systems take for one file"
            raise OptionError(msg)
        by_file[name.lower()] = name
        sites[name] = _as_site(name, settings)
    return sites


def _as_site(name: str, value: object) -> OtherSite:
    if not isinstance(value, dict):
        msg = f"'sites.{name}' must be a mapping such as {{url: https://…}}, not {shown(value)}"
        raise OptionError(msg)
    for setting in value:
        if setting not in _SETTINGS:
            hint = did_you_mean(str(setting), _SETTINGS)
            msg = f"unknown setting {shown(setting)} in 'sites.{name}'{hint}"
            raise OptionError(msg)
    private = value.get("private", False)
    if not isinstance(private, bool):
        msg = f"'sites.{name}.private' must be true or false, not {shown(private)}"
        raise OptionError(msg)
    return OtherSite(name, _as_url(name, value), private)


def _as_url(name: str, value: Mapping[Any, object]) -> str:
    """Return the URL of a site, which uses `https`, or `file` for `fetch --allow-file`."""
    url = value.get("url")
    if not isinstance(url, str):
        found = "is missing" if url is None else f"must be text, not {kind_of(url)}"
        msg = (
            f"'sites.{name}.url' {found}; write the URL of the site, such as https://flux.example/"
        )
        raise OptionError(msg)
    try:
        parts = urlsplit(url)
        is_url = parts.scheme == "file" or (parts.scheme == "https" and bool(parts.hostname))
        has_user = "@" in parts.netloc
        _ = parts.port
    except ValueError:
        is_url = has_user = False
    if not is_url or len(url) > _LONGEST_URL or _NOT_IN_URL.search(url):
        msg = f"'sites.{name}.url' must be a URL that starts with https://, not {shown(url)}"
        raise OptionError(msg)
    if has_user or parts.query or parts.fragment:
        msg = f"'sites.{name}.url' must have no user, query or fragment: {shown(url)}"
        raise OptionError(msg)
    return url
