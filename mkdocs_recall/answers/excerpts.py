"""The parts of a quote, section by section, for any output format (HTML, Markdown).

The rows of a quote are tables, each row under the header of its own table. The notes for readers
beside a quote are in the page's language if translated, else in English.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby, zip_longest
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from mkdocs_recall.options import RecallOptions
from mkdocs_recall.ranking.quotation import (
    Chunk,
    chunks,
    colon_after,
    is_cut,
    is_item,
    merge_quotations,
    opening_of,
    shares_line,
)
from mkdocs_recall.ranking.result import cited_heading, headings_within, section_key
from mkdocs_recall.text.language import get_language
from mkdocs_recall.text.model import LABELS, Item, lead_ins

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mkdocs_recall.options import Options
    from mkdocs_recall.ranking.result import FoundBy, Passage, Result
    from mkdocs_recall.text.model import Block, Document, Heading


class Notes(NamedTuple):
    """The texts of one language."""

    note: str
    """The title of a note."""
    no_match: str
    """The quote is a synopsis, since no sentence answers the query, which readers do not see."""
    by_meaning: str
    """Few words of the query match, so the quote was chosen by its meaning."""
    error: str
    """The title of the box in the place of a quote whose directive has a fault."""


_NOTES = {
    "en": Notes(
        "Note",
        "There is no direct answer here. A summary follows instead.",
        "Few words of this question appear here. The following is close to it in meaning.",
        "Directive error",
    ),
    "de": Notes(
        "Hinweis",
        "Eine direkte Antwort gibt es hier nicht. Stattdessen folgt eine Zusammenfassung.",
        "Von dieser Frage finden sich nur wenige Wörter. Das Folgende ist ihr im Sinn nah.",
        "Fehler in der Direktive",
    ),
    "es": Notes(
        "Nota",
        "Aquí no hay una respuesta directa. En su lugar sigue un resumen.",
        "Se encuentran pocas palabras de esta consulta. Lo que sigue tiene un sentido parecido.",
        "Error en la directiva",
    ),
    "fr": Notes(
        "Note",
        "Il n’y a pas de réponse directe ici. Voici un résumé à la place.",
        "Peu de mots de cette question se retrouvent. Ce qui suit en est proche par le sens.",
        "Erreur dans la directive",
    ),
    "it": Notes(
        "Nota",
        "Qui non c’è una risposta diretta. Segue invece un riassunto.",
        "Si trovano poche parole di questa domanda. Quanto segue le è vicino nel significato.",
        "Errore nella direttiva",
    ),
    "ja": Notes(
        "注記",
        "ここに直接の答えはありません。代わりに要約を示します。",
        "この質問の語はほとんど見つかりません。以下は意味の近い文です。",
        "ディレクティブのエラー",
    ),
    "nl": Notes(
        "Opmerking",
        "Hier staat geen direct antwoord. In plaats daarvan volgt een samenvatting.",
        "Van deze vraag zijn weinig woorden gevonden. Het volgende komt er in betekenis dichtbij.",
        "Fout in de directive",
    ),
    "pt": Notes(
        "Nota",
        "Aqui não há uma resposta direta. Em vez disso, segue um resumo.",
        "Poucas palavras desta consulta foram encontradas. O que segue tem um sentido próximo.",
        "Erro na diretiva",
    ),
    "ru": Notes(
        "Примечание",
        "Прямого ответа здесь нет. Вместо него — краткое изложение.",
        "Слов этого запроса найдено мало. Следующее близко к нему по смыслу.",
        "Ошибка в директиве",
    ),
    "zh": Notes(
        "注",
        "这里没有直接的答案。以下是摘要。",
        "此问题的词语很少出现。以下内容与其含义相近。",
        "指令错误",
    ),
}


EMBEDM_NOTES: Final = {
    "recall": "No relevant content could be retrieved.",
    "synopsis": "No summary could be generated.",
}
"""What embedm 1.0.1 writes for a source without sentences, by directive, in any language."""


class AuthorNotes(NamedTuple):
    """The labels of one language below a quote in a preview."""

    title: str
    doubts: str
    quoted: str
    """Before the place of the quote."""
    places: str
    next: str
    """Of a synopsis: above the sentences that came next."""
    words: str
    """Before the words of the query that a place has."""
    more: str
    copy: str


_AUTHOR_NOTES: Final = {
    "en": "For authors|Doubts|Quoted:|Other places|Next sentences|words|More lines|Copy",
    "de": "Für Autoren|Zweifel|Zitiert:|Andere Stellen|Nächste Sätze|Wörter|Mehr Zeilen|Kopieren",
    "es": "Para autores|Dudas|Citado:|Otros lugares|Frases siguientes|palabras|Más líneas|Copiar",
    "fr": "Pour l’auteur|Doutes|Cité :|Autres passages|Phrases suivantes|mots|Autres lignes|Copier",
    "it": "Per gli autori|Dubbi|Citato:|Altri punti|Frasi successive|parole|Altre righe|Copia",
    "ja": "執筆者向け|疑問点|引用元:|ほかの候補|次の文|一致した語|その他の行|コピー",
    "nl": "Voor auteurs|Twijfels|Bron:|Andere plaatsen|Volgende zinnen|woorden|Meer regels|Kopie",
    "pt": "Para autores|Dúvidas|Fonte:|Outros lugares|Frases seguintes|palavras|Mais linhas|Copiar",
    "ru": "Авторам|Сомнения|Цитата:|Другие места|Следующие фразы|слова|Ещё строки|Копировать",
    "zh": "致作者|疑点|引自：|其他位置|后续句子|词语|更多行|复制",
}
"""In the order of `AuthorNotes`."""


def author_notes(language: str) -> AuthorNotes:
    """Return the labels in a language, or in English if there is no translation."""
    labels = _AUTHOR_NOTES.get(get_language(language).code, _AUTHOR_NOTES["en"])
    return AuthorNotes(*labels.split("|"))


def notes(language: str) -> Notes:
    """Return the notes in a language, or in English if there is no translation."""
    return _NOTES.get(get_language(language).code, _NOTES["en"])


_UNKNOWN_LIST: Final = -1
"""The number of a list of a page that was published before lists had numbers."""


class QuotedCell(NamedTuple):
    """A cell of a row: the half-open span of its block's text."""

    header: str
    start: int
    end: int


@dataclass(slots=True)
class QuotedTable:
    """Rows that follow each other under the same headers."""

    headers: list[str]
    rows: list[tuple[Piece, list[QuotedCell]]] = field(default_factory=list)

    def aligned(self, cells: Sequence[QuotedCell]) -> list[QuotedCell | None]:
        """Return the cells of a row by column; None where the row has none."""
        if len(cells) == len(self.headers):
            return list(cells)
        by_header = {cell.header: cell for cell in cells}
        return [by_header.get(header) for header in self.headers]


def cells_of(block: Block) -> list[QuotedCell]:
    """Return the cells of a row; none for other blocks, and for a row without headers."""
    cells: list[QuotedCell] = []
    header = ""
    if block.kind != "table":
        return cells
    for mark in block.marks:
        if mark.role == "header":
            header = block.text[mark.start : mark.end]
        elif mark.role == "cell":
            cells.append(QuotedCell(header, mark.start, mark.end))
            header = ""
    return cells if any(cell.header for cell in cells) else []


def tables_of(pieces: Sequence[Piece]) -> list[QuotedTable]:
    """Return the tables of a run of rows.

    A text lacks the empty cells of its row, so that rows of one table may have different headers.
    """
    tables: list[QuotedTable] = []
    for piece in pieces:
        cells = cells_of(piece.chunk.block) if piece.chunk else []
        headers = [cell.header for cell in cells]
        if not (tables and _joins(headers, tables[-1])):
            tables.append(QuotedTable(headers))
        elif len(headers) > len(tables[-1].headers):
            tables[-1].headers = headers
        tables[-1].rows.append((piece, cells))
    return tables


def _joins(headers: list[str], table: QuotedTable) -> bool:
    """Return whether a row may stand in a table: one has all headers of the other, each once."""
    few, many = sorted((headers, table.headers), key=len)
    return few == many or (set(few) < set(many) and len(set(many)) == len(many))


class Piece(NamedTuple):
    """A part of a quote: sentences of one block that follow each other, or a "…"."""

    kind: Literal["text", "row", "title", "code", "figure"]
    chunk: Chunk | None
    """None for the "…" after the last item of a list, or the last line of code, that goes on."""
    apart: bool
    """Whether something is left out before it."""
    label: bool = False
    """Whether it is a term that the next piece defines."""
    ends: bool = True
    """Whether the next piece may stand on its line."""
    items: tuple[Item, ...] = ()
    """The items of lists in which it is written, outermost first."""

    @property
    def colon(self) -> str:
        """What stands between a label and the next piece."""
        return colon_after(self.chunk) if self.label and self.chunk else ""


class Excerpt(NamedTuple):
    """The quoted parts of one section."""

    document: Document
    pieces: Sequence[Piece]
    cited: Passage | None
    """The passage whose place the citation links to; None where there is no citation."""
    found_by: FoundBy


def excerpts(result: Result, options: Options, uri: str) -> list[Excerpt]:
    """Return the excerpts of a result, one for each section, in document order.

    Args:
        result: The passages; there is at least one.
        options: The directive's `cite`.
    """
    sections = groupby(result.in_document_order(), key=section_key)
    return [_excerpt(list(passages), options, uri) for _, passages in sections]


def section_parts(
    quoted: Sequence[Excerpt], options: RecallOptions
) -> Iterator[tuple[list[tuple[int, str]], Excerpt]]:
    """Yield the excerpts of a section that is quoted whole, without their citations.

    Each comes behind the headings that are new above it, with their levels: that of the section
    itself has the level 1.
    """
    shown: set[Heading] = set()
    for excerpt in quoted:
        block = next(piece.chunk.block for piece in excerpt.pieces if piece.chunk)
        above = headings_within(block, options.section or "")
        new = [(level, heading.text) for level, heading in above if heading not in shown]
        shown.update(heading for _, heading in above)
        for pieces in _paragraphs(excerpt):
            yield new, excerpt._replace(pieces=pieces, cited=None)
            new = []


def _paragraphs(excerpt: Excerpt) -> list[list[Piece]]:
    """Return the pieces of a section, each text of a block for itself, and items as such."""
    groups: list[list[Piece]] = []
    for each in excerpt.pieces:
        block = each.chunk.block if each.chunk and each.kind == "text" and not each.label else None
        is_listed = block is not None and not each.items and is_item(excerpt.document, block)
        within = (Item(_UNKNOWN_LIST, block.number),) if block and is_listed else each.items
        piece = each._replace(items=within)
        previous = groups[-1][-1] if groups else None
        if previous and not (_is_text(piece) and _is_text(previous)):
            groups[-1].append(piece)
        else:
            groups.append([piece])
    return groups


def _is_text(piece: Piece) -> bool:
    return piece.kind == "text" and not piece.items and not piece.label


def cited_section(first: Excerpt, options: RecallOptions) -> Excerpt:
    """Return an excerpt for the citation of a section that is quoted whole."""
    cited = first.cited and cited_heading(first.cited, options.section or "")
    return first._replace(cited=cited)


def group_by_kind(pieces: Sequence[Piece], depth: int = 0) -> list[tuple[str, list[Piece]]]:
    """Return the runs of pieces of one kind, each with that kind; those of one list are a `list`.

    Args:
        depth: In how many items all of them are written.
    """

    def key(piece: Piece) -> tuple[str, int]:
        within = piece.items[depth : depth + 1]
        return ("list", within[0].list) if within else (piece.kind, 0)

    return [(kind, list(group)) for (kind, _), group in groupby(pieces, key=key)]


def group_by_item(pieces: Sequence[Piece], depth: int) -> list[tuple[Item, list[Piece]]]:
    """Return the items of one list, each with the pieces in it.

    Args:
        depth: In how many items the list itself is.
    """
    groups = groupby(pieces, key=lambda piece: piece.items[depth].position)
    items = [list(group) for _, group in groups]
    return [(group[0].items[depth], group) for group in items]


def split_runs(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """Return the runs of pieces with nothing left out between them; each is an item of a list."""
    runs: list[list[Piece]] = []
    for piece in pieces:
        last = runs[-1][-1] if runs else None
        if last is None or (
            piece.kind in {"text", "row"}
            and not _share_list(last, piece)
            and ((piece.apart and not last.label) or last.chunk is None)
        ):
            runs.append([])
            piece = piece._replace(apart=False)  # noqa: PLW2901 - a run of its own is apart
        runs[-1].append(piece)
    return runs


def _share_list(one: Piece, other: Piece) -> bool:
    return bool(one.items and other.items) and one.items[0].list == other.items[0].list


def title_of(result: Result, options: Options) -> str:
    """Return the title of an admonition: the query, or else the page's title."""
    if isinstance(options, RecallOptions) and options.query:
        return options.query[0].text.strip()
    return result.passages[0].title


def citation_label(passage: Passage) -> str:
    """Return the text of a citation: titles of the page and the tabs, and the nearest heading.

    The title of another site comes first, unless it is the page's title, too.

    The heading is left out if it is the page's title. A tab comes after the heading that it is
    under, and before one that is in it.
    """
    block, title = passage.block, passage.title
    above = [block, *lead_ins(passage.document.blocks, block)]
    tabs = [other for other in above if other.kind == "tab"]
    names = [tab.text for tab in reversed(tabs) if tab.section < block.section]
    if block.heading and not _is_title(block.headings[-1], title):
        names.append(block.heading)
    names += [tab.text for tab in reversed(tabs) if tab.section == block.section]
    publisher = passage.document.publisher
    site = [publisher.title] if publisher and publisher.title != title else []
    return " › ".join((*site, title, *names))


def _excerpt(passages: Sequence[Passage], options: Options, uri: str) -> Excerpt:
    """Return the excerpt of one section; `passages` are those quoted from it."""
    first = passages[0]
    is_cited = options.cite if isinstance(options.cite, bool) else first.uri != uri
    return Excerpt(
        first.document, list(_pieces(passages)), first if is_cited else None, first.found_by
    )


def _pieces(passages: Sequence[Passage]) -> Iterator[Piece]:
    """Yield the pieces of one section; a sentence that several passages quote comes once."""
    document = passages[0].document
    quotation = merge_quotations(document, [passage.quotation for passage in passages])
    quoted = chunks(document, quotation.sentences)
    blocks = {chunk.block.number for chunk in quoted}
    lists = _written_lists(document, quoted, goes_on=quotation.goes_on)
    items: tuple[Item, ...] = ()
    openings = {chunk.block.number for chunk in quoted if chunk.end == len(chunk.block.text)}
    after_cut = False  # code that is cut ends with "…" itself
    for chunk, following in zip_longest(quoted, quoted[1:]):
        block, apart = chunk.block, chunk.apart and not after_cut
        after_cut = is_cut(chunk)
        items = block.items if block.items and block.items[0].list in lists else ()
        if not block.items and is_item(document, block) and not cells_of(block):
            opening = opening_of(document, block)
            if opening is not None and opening.number in openings:
                items = (Item(_UNKNOWN_LIST, block.number),)
        if block.kind == "code":
            title = _title(document, block)
            if title and title.number not in blocks:
                yield Piece("title", Chunk(title, 0, len(title.text), apart), apart, items=items)
                apart = False
            yield Piece("code", chunk, apart, items=items)
            if after_cut:
                yield Piece("code", None, apart=False, items=items)
        elif block.kind == "figure":
            yield Piece("figure", chunk, apart, items=items)
        elif cells_of(block):
            yield Piece("row", chunk, apart, items=items)
        else:
            label = block.kind in LABELS
            ends = label or not following or shares_line(document, chunk, following)
            yield Piece("text", chunk, apart, label=label, ends=ends, items=items)
    if quotation.goes_on:
        last = items[-1] if items else Item(_UNKNOWN_LIST, -1)
        further = last._replace(position=-1, number=last.number and last.number + 1)
        yield Piece("text", None, apart=False, items=(*items[:-1], further))


def _written_lists(document: Document, quoted: Sequence[Chunk], *, goes_on: bool) -> frozenset[int]:
    """Return the lists that are written as lists.

    These are numbered ones, whose text may name a step, and those of which several items are
    quoted, or an item with its lead-in. A sentence of one item alone is text.
    """
    positions: dict[int, set[int]] = {}
    written: set[int] = set()
    ended = {chunk.block.number for chunk in quoted if chunk.end == len(chunk.block.text)}
    for chunk in quoted:
        block = chunk.block
        if not block.items:
            continue
        outer = block.items[0]
        positions.setdefault(outer.list, set()).add(outer.position)
        opening = opening_of(document, block)
        if (
            len(positions[outer.list]) > 1
            or any(item.number for item in block.items)
            or (opening is not None and opening.number in ended)
            or (goes_on and chunk is quoted[-1])
        ):
            written.add(outer.list)
    return frozenset(written)


def _title(document: Document, block: Block) -> Block | None:
    """Return the title of a code block: the label right above it that may be quoted."""
    above = None if block.lead is None else document.blocks[block.lead]
    if above is None or above.kind != "label" or above.section != block.section:
        return None
    return above if all(part.quotable for part in above.sentences) else None


def _is_title(heading: Heading, title: str) -> bool:
    """Return whether a heading is the page's title.

    The title may be longer: it includes the names of images in the heading.
    """
    if heading.text == title:
        return True
    if heading.level != 1:
        return False
    whole, text = ("".join(filter(str.isalnum, t)) for t in (title, heading.text))
    return bool(text) and whole.startswith(text)
