"""Text files: bytes to text, and text to rows."""

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from api.plants.reading.problems import check_size, unreadable
from api.plants.reading.workbook import Cell

# UTF-32 first: its mark begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
    (codecs.BOM_UTF8, "utf-8-sig"),
)
# Told apart by letters within words; ties go to cp1252.
_ONE_BYTE = ("cp1252", "cp850", "mac_roman")
_LETTER = re.compile(r"(?<=[A-Za-z])[æøåäöüßéè](?=[a-z])|(?<![^\W_])[ØÅ](?=[a-z])")
_WORDS = 200_000

_DELIMITERS = (",", ";", "\t", "|")
_SEP_LINE = re.compile(r'"?sep=(.)"?[;,\t]*\n', re.IGNORECASE)
# A native Solar-Log file: m[mi++]="15.05.12 21:25:00|0;0;4684;407|0;0;4724;412"
_SCRIPT_LINE = re.compile(r'^\w{1,8}\[[^\]\n]{1,8}\]="([^"\n]*)";?$', re.MULTILINE)
_WHOLE = re.compile(r"[+-]?\d{1,7}")
_SAMPLE_LINES = 300
_SAMPLE_CHARS = 20_000
_CELL_CHARS = csv.field_size_limit()
# No heading has more: a quotation mark lacks its partner.
_CELL_LINES = 8


def decode(content: bytes) -> tuple[str, str]:
    """Return the text of bytes without marks, NUL and carriage returns, and its encoding."""
    text, encoding = _decoded(content)
    for unwanted in ("\0", "\ufeff"):
        text = text.replace(unwanted, "")
    if "\r" in text:
        text = text.replace("\r\r\n", "\n").replace("\r\n", "\n").replace("\r", "\n")
    return text, encoding


def _decoded(content: bytes) -> tuple[str, str]:
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return content.decode(encoding, "replace"), encoding
    start = content[:2000]
    for first, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        if start[first::2].count(0) > 0.8 * len(start) / 2 and start[1 - first :: 2].count(0) < 0.1 * len(start):
            return content.decode(encoding, "replace"), encoding
    text = content.decode("utf-8", "replace")
    if "\ufffd" not in text:
        return text, "utf-8"
    others = len(text) - len(text.encode("ascii", "ignore"))
    if others > 2 * text.count("\ufffd"):  # some damaged letters
        return text, "utf-8"
    words = content[:_WORDS]
    best = max(_ONE_BYTE, key=lambda name: len(_LETTER.findall(words.decode(name, "replace"))))
    return content.decode(best, "replace"), best


def rows_of(text: str) -> tuple[list[list[Cell]], str]:
    """Return the rows of a text, and its delimiter.

    Raises
    ------
    ApiError
        `UNREADABLE`: too large, or a cell of more than 131,072 characters.
    """
    text = text.rstrip("\n ")
    named = ""
    if match := _SEP_LINE.match(text):
        text, named = text[match.end() :], match[1]
    if "]=" in text[:20]:
        text = _SCRIPT_LINE.sub(lambda line: line[1].replace("|", ";"), text)
    lines = text.split("\n")
    check_size(len(lines), 0, 0)
    delimiter = _delimiter(lines, named)
    if not delimiter and '"' in text:  # lines that are quoted as a whole
        lines = [row[0] if row else "" for row in _parsed(text, ",", len(lines))]
        text, delimiter = "\n".join(lines), _delimiter(lines, named)
    if (not delimiter or (delimiter == "," and "," not in lines[0])) and _is_blank_separated(lines):
        text, delimiter = "\n".join(map(_tabbed, lines)), "\t"
    if not delimiter:
        if max(map(len, lines)) > _CELL_CHARS:
            raise unreadable("no_table")
        return [[cell] if (cell := _cell(line)) else [] for line in lines], ""
    check_size(0, 0, text.count(delimiter) + len(lines))
    rows = _parsed(text, delimiter, len(lines))
    check_size(len(rows), max(map(len, rows)), 0)
    strip = _cell if '="' in text else str.strip
    cells: list[list[Cell]] = [list(map(strip, row)) for row in rows]
    while cells and not any(cells[-1]):
        cells.pop()
    return _with_decimals(cells) if delimiter == "," else cells, delimiter


def _is_blank_separated(lines: Sequence[str]) -> bool:
    """Return whether nearly all lines are as many words, a stamp and a number at least."""
    split = [line.split() for line in _sample(lines) if ", " not in line]
    width, number = Counter(map(len, split)).most_common(1)[0] if split else (0, 0)
    return width > 1 and number > 0.9 * len(split) and sum(_is_number(words[-1]) for words in split) > 0.8 * number


def _is_number(word: str) -> bool:
    return bool(re.fullmatch(r"[+-]?\d+([.,]\d+)?|-+|nan", word.lower()))


def _tabbed(line: str) -> str:
    """Return a line with tabs between its words; only wider blanks divide headings."""
    between = r"\s+" if re.match(r"\s*\d", line) else r"\s{2,}"
    return re.sub(between, "\t", line.strip())


def _with_decimals(rows: list[list[Cell]]) -> list[list[Cell]]:
    """Return rows of a table with decimal commas between commas with each number in one cell.

    The headings tell how many columns there are. A row of another width, of which nobody can say how it is divided,
    becomes empty.
    """
    heads = next((row for row in rows if len(row) > 1 and not any(map(_WHOLE.fullmatch, row))), [])  # type: ignore[arg-type]
    if not heads:
        return rows
    width, usual = len(heads), Counter(map(len, rows)).most_common(1)[0][0]
    if not width < usual < 2 * width:
        return rows
    model = next(row for row in rows if len(row) == usual)
    before = next((column for column, cell in enumerate(model) if _WHOLE.fullmatch(str(cell))), usual)
    if usual - before != 2 * (width - before) or not all(map(_WHOLE.fullmatch, map(str, model[before:]))):
        return rows

    def joined(row: list[Cell]) -> list[Cell]:
        if len(row) <= width:
            return row
        pairs = zip(row[before::2], row[before + 1 :: 2], strict=False)
        return [*row[:before], *(f"{one},{two}" for one, two in pairs)] if len(row) == usual else []

    return [joined(row) for row in rows]


def _parsed(text: str, delimiter: str, lines: int) -> list[list[str]]:
    try:
        if '"' not in text:
            return list(csv.reader(io.StringIO(text, newline="\n"), delimiter=delimiter, quoting=csv.QUOTE_NONE))
        try:
            rows = list(
                csv.reader(io.StringIO(text, newline="\n"), delimiter=delimiter, skipinitialspace=True, strict=True)
            )
            if len(rows) == lines or not any(_is_torn(cell, delimiter) for row in rows for cell in row):
                return rows
        except csv.Error:
            pass
        return [_row(line, delimiter) for line in text.split("\n")]
    except csv.Error:
        raise unreadable("no_table") from None


def _row(line: str, delimiter: str) -> list[str]:
    return next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), [])


def _is_torn(cell: str, delimiter: str) -> bool:
    """Return whether a cell holds rows that a stray quotation mark has made one."""
    return "\n" in cell and (delimiter in cell or cell.count("\n") > _CELL_LINES)


def _cell(text: str) -> str:
    """Return a cell's text, where `="123"` is 123."""
    text = text.strip()
    return text[2:-1].strip() if text.startswith('="') and text.endswith('"') else text


def _delimiter(lines: Sequence[str], named: str) -> str:
    """Return what separates the columns of most lines; empty where nothing does.

    A semicolon, tab or bar that is in nearly every line wins over a comma, unless the comma makes twice as many
    columns: decimal commas are as regular as delimiters are.
    """
    sample = list(_sample(lines))
    found: dict[str, tuple[float, ...]] = {}
    for delimiter in _DELIMITERS:
        try:
            widths = Counter(len(_row(line, delimiter)) for line in sample)
        except csv.Error:
            continue
        several = Counter({width: number for width, number in widths.items() if width > 1})
        if several:
            (width, number), comma = several.most_common(1)[0], delimiter == ","
            share = (number if comma else several.total()) / len(sample)
            found[delimiter] = ((share >= 0.5) + (share >= 0.8), width * (1 if comma else 2), share)
    if named in found and found[named][0]:
        return named
    return max(found, key=found.__getitem__, default="")


def _sample(lines: Sequence[str]) -> Iterator[str]:
    """Yield lines from all over a text."""
    step = max(1, len(lines) // _SAMPLE_LINES)
    head = lines[: _SAMPLE_LINES // 3] if step > 1 else ()
    for line in (*head, *lines[len(head) :: step]):
        if line and not line.isspace():
            yield line[:_SAMPLE_CHARS]
