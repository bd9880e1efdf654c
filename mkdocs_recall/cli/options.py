"""The arguments and options that several commands share, and their checks.

An option has the name of the directive's option, with dashes, and the same checks.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, suppress
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeVar

import click

from mkdocs_recall.cli.output import data_only, note, note_all, progress, read_stdin
from mkdocs_recall.directives import catalog
from mkdocs_recall.errors import OptionError, SiteError
from mkdocs_recall.files import user_cache_folder
from mkdocs_recall.index.sources import WHOLE_SITE, as_sources
from mkdocs_recall.messages import shown_path
from mkdocs_recall.options import BOUNDS, CONTEXTS, DEFAULTS, MODES, MOST, UNITS, RecallOptions
from mkdocs_recall.pages import config as site_config

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from datetime import datetime

    from distributed import Client

    from mkdocs_recall.answers.survey import Finder, Survey
    from mkdocs_recall.options import Limits
    from mkdocs_recall.pages.built import SourceNames
    from mkdocs_recall.pages.corpus import Corpus
    from mkdocs_recall.ranking.result import Result

    Function = Callable[..., int]
    Decorator = Callable[[Function], Function]

_T = TypeVar("_T")


def _checked(
    kind: Any, parse: Callable[[Any], Any], *, number: bool = False
) -> Any:  # generic in click 8.4
    """Return a type of click that checks a value as a fence does, with the same messages.

    A number is read first. Only `--help` shows the rest of the type.
    """

    def convert(value: object, *_: object) -> object:
        try:
            return parse(_as_number(value) if number else value)
        except OptionError as error:
            raise click.BadParameter(str(error)) from error

    kind.convert = convert
    return kind


def _as_number(value: object) -> object:
    if isinstance(value, str):
        with suppress(ValueError):
            return int(value)
        with suppress(ValueError):
            return float(value)
    return value


def _choice(name: str, names: Sequence[str]) -> Any:  # see `_checked`
    return _checked(click.Choice(names), catalog.parser(name, tuple(names)))


_PROPERTIES: Final[Mapping[str, Mapping[str, Any]]] = {
    "language": {
        "type": _checked(click.types.StringParamType(), catalog.parse_language),
        "metavar": "CODE",
    },
    "units": {"multiple": True, "type": _choice("unit", UNITS), "default": None},
    "context": {
        "type": _checked(click.types.StringParamType(), catalog.parse_context, number=True),
        "show_default": True,
        "metavar": f"[{'|'.join(CONTEXTS)}|N]",
    },
    "min_score": {"metavar": "SCORE"},
}
"""Properties of options that do not follow from their kinds."""


def option_of(name: str, **overrides: object) -> Decorator:
    """Return a directive's option for a command."""
    option, default = catalog.OPTIONS[name], DEFAULTS["recall"][name]
    flag = f"--{name.replace('_', '-')}"
    settings: dict[str, Any] = {"default": default, "help": option.help}
    if option.kind is bool and default:
        flag += f"/--no-{name}"
    elif option.kind is bool:
        settings["is_flag"] = True
    elif isinstance(option.kind, tuple):
        settings |= {"type": _choice(name, option.kind), "show_default": True}
    elif name in BOUNDS:
        settings |= _number(name, is_whole=option.kind is int)
    return click.option(flag, **{**settings, **_PROPERTIES.get(name, {}), **overrides})


def _number(name: str, *, is_whole: bool = False) -> dict[str, Any]:
    least, most, _ = BOUNDS[name]
    if is_whole:
        whole = click.IntRange(min=int(least))
        return {"type": _checked(whole, catalog.parser(name, int), number=True), "metavar": "N"}
    is_bounded = most < MOST
    metavar = f"{least:g}-{most:g}" if is_bounded else None
    decimal = click.FloatRange(min=least, max=most if is_bounded else None)
    return {"type": _checked(decimal, catalog.parser(name, float), number=True), "metavar": metavar}


def _options(*options: Decorator) -> Decorator:
    def decorate(function: Function) -> Function:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def _as_one(
    name: str, names: Sequence[str], make: Callable[..., Any], *options: Decorator
) -> Decorator:
    """Return a decorator that adds options, of which the function gets some as one value."""

    def decorate(function: Function) -> Function:
        @_options(*options)
        @wraps(function)
        def wrapper(**values: object) -> int:
            parts = {option: values.pop(option) for option in names if option in values}
            return function(**{name: make(**parts)}, **values)

        return wrapper

    return decorate


def formats(**uses: str) -> Decorator:
    """Return a decorator that adds `--format`, first choice first, and `--json`."""
    return _as_one(
        "output_format",
        ("output_format", "as_json"),
        lambda output_format, as_json: "json" if as_json else output_format,
        click.option(
            "--format",
            "output_format",
            type=click.Choice((*uses,)),
            default=next(iter(uses)),
            show_default=True,
            help=", ".join(f"{name} for {use}" for name, use in uses.items()) + ".",
        ),
        click.option("--json", "as_json", is_flag=True, help="The same as --format json."),
    )


format_options: Final = formats(
    text="people", github="annotations on a pull request", json="programs"
)
FILE: Final[Any] = {"metavar": "FILE", "type": click.Path(dir_okay=False)}
FOLDER: Final[Any] = {"metavar": "DIR", "type": click.Path(file_okay=False)}
config_option: Final = click.option(
    *("--config", "-f"),
    **FILE,
    help="The site's mkdocs.yml.  [default: the nearest one, in this folder or above it]",
)

_NOT: Final = "!"


def _as_conditions(
    context: click.Context, parameter: click.Parameter, values: tuple[str, ...]
) -> dict[str, Any]:
    conditions: dict[str, list[str]] = {}
    for condition in values:
        key, equals, value = condition.partition("=")
        if not equals or not key.strip(f" {_NOT}"):
            fault = f"'{condition}' is not KEY=VALUE, such as tags=admin, or KEY!=VALUE"
            raise click.BadParameter(fault, context, parameter)
        conditions.setdefault(key.strip(), []).append(value.strip())
    for key in conditions:
        if f"{key}{_NOT}" in conditions:
            fault = f"'{key}=' and '{key}!=' exclude each other; leave one out"
            raise click.BadParameter(fault, context, parameter)
    return {
        key.removesuffix(_NOT): {"not": texts} if key.endswith(_NOT) else texts
        for key, texts in conditions.items()
    }


def filtered(sources: Sequence[str], conditions: dict[str, Any]) -> tuple[str, ...]:
    """Return sources with the filter of `where_option`."""
    return as_sources({"pages": sources, "where": conditions}) if conditions else tuple(sources)


source_option = click.option(
    "--source",
    multiple=True,
    metavar="SOURCE",
    help="Where to search: a page, a page with #anchor, a folder or a glob. Repeatable.  "
    "[default: all pages]",
)
where_option = click.option(
    "--where",
    "conditions",
    multiple=True,
    metavar="KEY=VALUE",
    callback=_as_conditions,
    help="Only pages whose front matter has this value, or lacks it, with KEY!=VALUE. "
    "Repeatable: any value of a key, but every key.",
)


def nearest_config(here: Path) -> Path | None:
    """Return the configuration in a folder, or the nearest above it, if any."""
    return next(filter(None, map(site_config.config_in, (here, *here.parents))), None)


class Where(NamedTuple):
    """The values of `--config`, `--docs`, `--built` and the like."""

    config: str | None = None
    docs: str | None = None
    built: str | None = None
    published: tuple[str, ...] = ()
    sources: SourceNames | None = None
    """The sources of a built site of another generator."""
    lines: bool = True
    """Whether to find the source lines of a built site's sentences."""
    cluster: str | None = None
    """The scheduler of the cluster that holds published sites, or its file."""

    def config_file(self, *, or_docs: bool = True) -> Path:
        """Return the site's `mkdocs.yml`, stated or the nearest."""
        if self.config is not None:
            return Path(self.config)
        here = Path.cwd()
        nearest = nearest_config(here)
        if nearest is not None:
            # MkDocs runs code that the file names.
            if nearest.parent != here and sys.platform != "win32":
                owner = nearest.stat().st_uid
                trusted = {os.geteuid(), here.stat().st_uid, 0}
                if owner not in trusted:
                    fault = "belongs to another user; if you trust it, name it with --config"
                    raise SiteError(f"'{nearest}' {fault}")
            return nearest
        msg = f"there is no mkdocs.yml in '{here}' or above it; name one with --config"
        msg += ", or a folder of Markdown files with --docs" if or_docs else ""
        raise SiteError(msg)

    def site_file(self) -> Path | None:
        """Return the site's `mkdocs.yml`, if it has one."""
        if self.docs is not None or self.sources is not None or self.published:
            return None
        if self.built is not None and self.config is None:
            with suppress(SiteError):
                return self.config_file()
            return None
        return self.config_file()

    def lock_file(self) -> Path:
        """Return the lock file, beside `mkdocs.yml` if there is one."""
        from mkdocs_recall.answers.lock import lock_path

        site_file = self.site_file()
        return lock_path(site_file.parent if site_file else Path.cwd())

    def corpus(
        self,
        *,
        language: str | None = None,
        include_expired: bool = True,
        now: str = "",
        progress: Callable[[int, int], None] | None = None,
    ) -> Corpus:
        """Open the pages as of a time, with a default language for a folder."""
        from mkdocs_recall.pages.corpus import Corpus
        from mkdocs_recall.pages.library import usable_processors

        def clock(folder: str | Path) -> Callable[[], datetime | None] | None:
            return None if include_expired else partial(commit_time, Path(folder), now)

        processes = usable_processors()
        if self.published:
            from mkdocs_recall.pages.published import matching_files

            files = matching_files(self.published)
            at = clock(Path(files[0]).parent)
            return Corpus.from_published(files, now=at, processes=processes, client=self._client())
        if self.docs is not None:
            return Corpus.from_folder(
                self.docs,
                language=language,
                now=clock(self.docs),
                progress=progress,
                processes=processes,
            )
        if self.built is not None:
            site_file = self.site_file()
            at = clock(site_file.parent if site_file else self.built)
            return Corpus.from_built(
                self.built,
                sources=self.sources,
                config_file=site_file,
                lines=self.lines,
                now=at,
                progress=progress,
            )
        config_file = self.config_file()
        at = clock(config_file.parent)
        return Corpus.from_site(config_file, now=at, progress=progress, processes=processes)

    def _client(self) -> Client | None:
        if self.cluster is None:
            return None
        from mkdocs_recall.pages.cluster import connect

        client = connect(self.cluster)
        click.get_current_context().call_on_close(client.close)
        return client

    @contextmanager
    def reading(
        self, *, language: str | None = None, include_expired: bool = True
    ) -> Iterator[Corpus]:
        """Open the pages, and save their cache at the end; meanwhile stdout is stderr."""
        with progress() as show, data_only():
            corpus = self.corpus(language=language, include_expired=include_expired, progress=show)
            yield corpus
            corpus.save()
        if corpus.notice:
            note(f"Note: {corpus.notice}")

    def site_url(self) -> str:
        """Return the URL of the published site; empty if unknown."""
        site_file = self.site_file()
        return site_config.stated_text(site_file, "site_url") if site_file else ""

    def defaults(self) -> dict[str, Any]:
        """Return the site's defaults of a directive's options."""
        from mkdocs_recall.directives.options import site_defaults

        place, written = self._settings()
        return site_config.checked(place, site_defaults, written)

    def unknown_settings(self) -> list[str]:
        """Return a warning for each unknown option of the site: not every host checks them."""
        from mkdocs_recall.directives.options import unknown_settings

        place, written = self._settings()
        faults = unknown_settings(written).values()
        return [f"{shown_path(str(place))}: recall: {fault}" for fault in faults]

    def _settings(self) -> tuple[Path, Mapping[str, Any]]:
        site_file = self.site_file()
        if site_file:
            return site_file, site_config.plugin_options(site_file)
        folder = self.sources.root if self.sources else self.docs
        if not folder:
            return Path(), {}
        place = Path(folder, site_config.SPHINX_SETTINGS)
        return place, site_config.sphinx_defaults(place)

    def default(self, name: str) -> Any:  # each option has its own type
        """Return the site's default of an option, if it states one."""
        parse = catalog.PARSERS[name]
        return self.option(name, lambda value: None if value is None else parse(value))

    def option(self, name: str, parse: Callable[[Any], _T]) -> _T:
        """Return an option of the plugin as parsed; None is parsed if it is not stated."""
        site_file = self.site_file()
        return site_config.plugin_option(site_file, name, parse) if site_file else parse(None)

    def limits(self) -> Limits:
        """Return the limits for pages and directives."""
        return self.option("limits", catalog.as_limits)

    def survey(self, corpus: Corpus, *, shown: Callable[[str], str] = str) -> Survey:
        """Answer all directives of the pages."""
        from mkdocs_recall.answers.survey import Survey

        finder: Finder | None = None
        if self.built is not None and self.sources is not None:
            from mkdocs_recall.hosts.fill import finder_in_site

            finder = finder_in_site(self.built, self.sources)
        note_all(self.unknown_settings(), "Warning: {}")
        return Survey.of(corpus, self.defaults(), self.limits(), shown=shown, finder=finder)

    def files_of_site(self) -> list[str]:
        """Return the site's configuration files, and copies of other sites."""
        from mkdocs_recall.pages.published import COPIES, SITES_LOCK

        site_file = self.site_file()
        if site_file is None:
            return []
        root = site_file.absolute().parent
        copies = sorted((root / COPIES).glob("*.gz"))
        return [*map(str, (*site_config.config_files(site_file), root / SITES_LOCK, *copies))]

    def acknowledgments(self) -> Iterator[str]:
        """Yield the site's own acknowledgments."""
        yield from self.default("acknowledgments") or ()

    def cache_folder(self) -> Path | None:
        """Return the folder of the cache, if any."""
        folder = self.docs if self.built is None else self.built
        if folder is not None:
            return user_cache_folder(folder)
        from mkdocs_recall.pages.site import Site

        return site_config.cache_folder(Site(self.config_file()).path)


def commit_time(
    folder: Path, moment: str = "", *, note: Callable[[str], None] | None = note
) -> datetime | None:
    """Return the stated time, or that of the variable or HEAD; note that there is none."""
    from mkdocs_recall.factors.history import VARIABLE, now

    current = now(moment, folder)
    if note and current is None:
        note(
            f"Note: some pages state when they expire, but neither git nor {VARIABLE} "
            "tells the time; all are quoted"
        )
    return current


def _where(
    config: str | None,
    built: str | None,
    docs: str | None = None,
    published: tuple[str, ...] = (),
    cluster: str | None = None,
) -> Where:
    places = (("config", config), ("docs", docs), ("built", built))
    for name, value in (*places, *(("published", pattern) for pattern in published)):
        if published and value is not None and name != "published":
            msg = f"--{name} and --published are two places to read from; name one"
            raise click.UsageError(msg)
        if value == "":  # an unset shell variable
            msg = f"--{name} is empty; name a {'file' if name == 'config' else 'folder'}"
            raise click.UsageError(msg)
    if docs is not None and config is not None:
        raise click.UsageError("--config and --docs are two places to read from; name one")
    if cluster is not None and not published:
        msg = "--cluster holds what sites have published; name the files with --published"
        raise click.UsageError(msg)
    if docs is not None and built is not None:
        from mkdocs_recall.pages.built import SourceNames

        return Where(built=built, sources=SourceNames(docs, site=built))
    return Where(config, docs, built, published, cluster=cluster)


_built_option: Final = click.option(
    "--built",
    **FOLDER,
    help="Read the finished site in this folder, with the output of its plugins.",
)
where_options: Final = _as_one(
    "where",
    ("config", "docs", "built", "published", "cluster"),
    _where,
    config_option,
    click.option(
        "--docs",
        **FOLDER,
        help="Read the Markdown files of this folder, without a site. With --built: the folder of "
        "the sources, which the pages are named after.",
    ),
    _built_option,
)
site_options: Final = _as_one("where", ("config", "built"), _where, config_option, _built_option)
"""Of a command that needs a site with a configuration."""
any_where_options: Final = _options(
    click.option(
        "--published",
        metavar="PATTERN",
        multiple=True,
        type=click.Path(),
        help="Read the files that sites have published, such as 'org/*.jsonl.gz'. Repeatable.",
    ),
    where_options,
)
cluster_options: Final = _options(
    click.option(
        "--cluster",
        metavar="ADDRESS",
        help="With --published: let the workers of this Dask cluster hold the sites, such as "
        "tls://10.0.0.5:8786. Also the scheduler's file.",
    ),
    any_where_options,
)

LONGEST: Final = 100_000
"""The most characters of a query: a program may pass on any text."""
_BYTES: Final = 4 * LONGEST
_SEMANTIC: Final = "--semantic"
_FACTORS: Final = ("semantic", "gate", "model", "temporal", "enrich")
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_EXPIRY: Final = "include_expired"
expiry_option = option_of(_EXPIRY)


def _names_of(directive: str) -> list[str]:
    options = (option for option in catalog.OPTIONS.values() if directive in option.directives)
    return [option.name for option in options if option.help and option.name != _EXPIRY]


def query_text(value: tuple[str, ...]) -> str:
    """Return a query from an argument or stdin."""
    fault = ""
    data = value[0].encode("utf-8", "surrogateescape")
    if len(value) == 1 and value[0] == "-":
        data = read_stdin(_BYTES + 1)
    query = data.decode("utf-8", "replace").removeprefix("\ufeff").strip()
    if len(value) > 1:
        fault = "the query is one argument: put it in quotes"
    elif len(data) > _BYTES or len(query) > LONGEST:
        fault = f"the query has more than {LONGEST:,} characters; ask something shorter"
    elif not query:
        fault = "the query is empty; ask something"
    if fault:
        raise click.BadParameter(fault)
    return query


query_argument = click.argument(
    "query",
    nargs=-1,
    required=True,
    metavar="QUERY",
    callback=lambda _, __, value: query_text(value),
)


def with_recall_options(*, lists: bool = False) -> Decorator:
    """Return a decorator that adds the options of a recall, as a `TerminalQuery`."""
    usual = "Maximum number of sentences.  [default: 3, or as many as fit --max-tokens]"
    overrides: dict[str, dict[str, Any]] = {"max_sentences": {"help": usual}}
    if lists:
        help_text = "Number of sentences to add on each side of a chosen one."
        count = {**_number("context", is_whole=True), "default": 0, "show_default": False}
        overrides["max_sentences"] = {"default": 10, "show_default": True}
        overrides["context"] = {**count, "help": help_text}
    names = [name for name in _names_of("recall") if not (lists and name == "max_words")]

    def make(source: Sequence[str], conditions: dict[str, Any], **parameters: Any) -> TerminalQuery:
        values = {name: parameters.pop(name) for name in names}
        values |= {"source": filtered(source, conditions) or WHOLE_SITE, "on_empty": "omit"}
        values["units"] = values["units"] or None
        return TerminalQuery(text=parameters.pop("query"), values=values, **parameters)

    return _as_one(
        "query",
        ("source", "conditions", *names, "where", "factors", "include_expired", "query"),
        make,
        source_option,
        where_option,
        *(option_of(name, **overrides.get(name, {})) for name in names),
        factor_options(),
        expiry_option,
        json_option,
    )


first, *others = _names_of("synopsis")
options_of_synopsis: Final = _options(
    option_of(first, default=DEFAULTS["synopsis"][first], show_default=True),
    *map(option_of, others),
    expiry_option,
    json_option,
)


def factor_options(*, enrich: bool = True) -> Decorator:
    """Return a decorator that adds the options of factors, passed as `factors`."""
    options = [
        click.option(
            _SEMANTIC,
            callback=_as_mode,
            metavar="[supplement|blend|gate]",
            help="Also compare meanings: where words find too little (supplement), also to "
            "reorder what they find (blend), or only to decide whether there is an answer (gate).",
        ),
        click.option(
            "--gate",
            **_number("semantic.gate"),
            help="Minimum similarity of meaning of an answer. Without a mode, meaning decides "
            "nothing else.",
        ),
        click.option(
            "--model",
            metavar="NAME[:FOLDER]",
            help="Model that compares meanings.  [default: the site's, else minilm]",
        ),
        click.option(
            "--temporal",
            is_flag=True,
            help="Also rank by recency: when pages were edited, and how fast they age.",
        ),
    ]
    if enrich:
        text = "Tell the model which files were edited last."
        options.append(click.option("--enrich", is_flag=True, help=text))

    return _as_one("factors", _FACTORS, _checked_factors, *options)


def _checked_factors(**values: object) -> dict[str, object]:
    factors = {**dict.fromkeys(_FACTORS), **values}
    for name in ("gate", "model", "enrich"):
        is_stated = factors[name] is not None and factors[name] is not False
        if is_stated and factors["semantic"] is None:
            raise click.UsageError(f"--{name} is for questions by meaning: add {_SEMANTIC}")
    return factors


def options_of(
    factors: Mapping[str, Any], where: Where, *, include_expired: bool
) -> dict[str, Any]:
    """Return the stated factors at a terminal as options of a recall."""
    options: dict[str, Any] = {}
    if (mode := factors["semantic"]) is not None:  # empty for the site's mode
        settings = {**(where.default("semantic") or {}), "enabled": True}
        typed = {"mode": mode or None, "gate": factors["gate"], "model": factors["model"]}
        settings |= {name: value for name, value in typed.items() if value is not None}
        options["semantic"] = catalog.as_semantic(settings)
    if factors["temporal"]:
        settings = {**(where.default("temporal") or {}), "enabled": True}
        options |= {"temporal": catalog.as_temporal(settings), "include_expired": include_expired}
    if factors["enrich"]:
        options["enrich"] = "always"
    return options


class TerminalQuery(NamedTuple):
    """A query at a terminal: its text, its options, and its pages."""

    text: str
    where: Where
    values: Mapping[str, Any]
    factors: Mapping[str, Any]
    include_expired: bool

    @contextmanager
    def opened(self) -> Iterator[tuple[Corpus, RecallOptions]]:
        """Open the pages; yield them and the options of the recall."""
        from mkdocs_recall.directives.options import recall_options

        factors = options_of(self.factors, self.where, include_expired=self.include_expired)
        values: dict[str, Any] = {**self.values, **factors}
        # With `--temporal`, the recall itself leaves out expired pages.
        every = self.include_expired or self.factors["temporal"]
        with self.where.reading(language=values["language"], include_expired=every) as corpus:
            yield corpus, recall_options(self.text, **values)

    def answer(self) -> tuple[Result, Corpus]:
        """Answer the query; return the pages, too."""
        with self.opened() as (corpus, options):
            return corpus.answer(options), corpus


def _as_mode(_context: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    return _choice("semantic.mode", MODES)(value) if value else value


def with_mode(arguments: Sequence[str]) -> Iterator[str]:
    """Yield arguments in which a bare `--semantic` does not take the query for its mode."""
    may_be_option = True
    for number, argument in enumerate(arguments):
        may_be_option = may_be_option and argument != "--"
        follower = arguments[number + 1] if number + 1 < len(arguments) else ""
        is_bare = argument == _SEMANTIC and follower not in MODES
        yield f"{argument}=" if is_bare and may_be_option else argument
