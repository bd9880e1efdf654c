"""A Sphinx extension: `.. recall::` and `.. synopsis::`, also in MyST, answered after a build.

A directive leaves a comment in the page, like the Markdown extension. When Sphinx has written the
HTML, all comments are answered from the finished pages, so these include labels, included files and
docstrings, and Sphinx's search finds a sentence only on its own page.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from docutils import nodes
from pygments.lexers.special import TextLexer
from sphinx import addnodes
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from mkdocs_recall import __version__
from mkdocs_recall.directives.fences import NAMES
from mkdocs_recall.files import write_atomically
from mkdocs_recall.hosts.fill import SiteFiller
from mkdocs_recall.hosts.html_fences import fence_comment, fence_text
from mkdocs_recall.options import LIMITS
from mkdocs_recall.pages.built import SourceNames
from mkdocs_recall.pages.corpus import Corpus

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_LOG: Final = logging.getLogger(__name__)
_DEFAULTS: Final = "recall_defaults"


class _Directive(SphinxDirective):  # type: ignore[misc,unused-ignore]
    has_content = True

    def run(self) -> list[nodes.Node]:
        comment = fence_comment(fence_text(self.name, "\n".join(self.content)))
        return [nodes.raw("", comment, format="html")]


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the directives and languages; Sphinx calls this."""
    for name in NAMES:
        app.add_lexer(name, TextLexer)
        app.add_directive(name, _Directive)
    app.add_config_value(_DEFAULTS, {}, "html", dict)
    app.connect("doctree-read", _keep_from_search)
    app.connect("build-finished", _answer)
    return {"version": __version__, "parallel_read_safe": True, "parallel_write_safe": True}


def _keep_from_search(_: Sphinx, page: nodes.document) -> None:
    language = ""  # the default language of code blocks
    for node in page.findall():
        if isinstance(node, addnodes.highlightlang):
            language = node["lang"]
        elif isinstance(node, nodes.literal_block) and node.get("language", language) in NAMES:
            node["classes"].append("no-search")


def _answer(app: Sphinx, fault: Exception | None) -> None:
    if fault is not None or app.builder.format != "html":
        return
    names = SourceNames(app.srcdir)
    corpus = Corpus.from_built(app.outdir, sources=names, lines=False)
    defaults = app.config[_DEFAULTS]
    site = SiteFiller(app.outdir, corpus, names, defaults=defaults, limits=LIMITS).fill()
    corpus.save()
    for file, content in {**site.files, **site.assets}.items():
        write_atomically(Path(file), content, Path(app.outdir))
    for warning in site.warnings:
        _LOG.warning("%s", warning, type="recall")
