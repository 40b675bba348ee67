"""Widths of words in the reports' font, to place and wrap them."""

from collections.abc import Sequence
from functools import cache

_LETTERS = (
    " !#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}~"
    "æøåÆØÅäöüéÄÖ°²·–×≥−±«»\N{NO-BREAK SPACE}"
)
# Advance widths of Libertinus Serif, 1/1000 em: weight 400, weight 600.
_WIDTHS = (
    """
    250 288 465 465 637 705 190 298 298 369 550 220 338 220 323 465 465 465 465 465 465 465 465 465 465 236 236 550
    550 550 435 895 695 588 646 701 557 485 685 730 297 322 637 528 839 699 702 541 702 587 485 597 661 652 951 660
    575 604 356 356 518 486 392 457 493 428 506 447 310 500 538 271 272 512 264 790 542 504 519 503 372 390 316 531
    497 747 490 515 424 277 205 277 449 687 504 457 865 702 695 457 504 531 447 695 702 267 307 250 548 550 527 550
    550 543 543 250
    """,
    """
    250 244 463 438 637 729 215 315 315 433 537 244 358 244 316 490 490 490 490 490 490 490 490 490 490 219 219 512
    551 512 430 988 699 620 666 718 562 513 727 723 319 380 660 538 853 710 730 550 730 609 475 597 678 636 998 708
    617 624 375 375 518 486 392 476 505 435 527 461 336 508 550 286 289 523 289 801 563 519 523 518 401 401 331 550
    527 778 521 533 432 306 220 306 473 715 519 476 910 730 699 476 519 550 461 699 730 267 332 301 534 527 527 537
    527 560 560 250
    """,
)
_OTHER = 0.75


@cache
def _widths(bold: bool) -> dict[str, float]:
    return {letter: int(width) / 1000 for letter, width in zip(_LETTERS, _WIDTHS[bold].split(), strict=True)}


def width(words: str, size: float, *, bold: bool = False) -> float:
    """Return how wide words are at a font size; letters that are not in the table count 0.75 em."""
    widths = _widths(bold)
    return size * sum(widths.get(letter, _OTHER) for letter in words)


def wrapped(words: str, size: float, room: float, most: int = 99) -> list[str]:
    """Return words in lines no wider than the room; the last of `most` lines ends in `...` where it is cut."""
    lines = [""]
    for word in _pieces(words, size, room):
        longer = f"{lines[-1]} {word}".strip()
        if width(longer, size) <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines if len(lines) <= most else [*lines[: most - 1], shortened(" ".join(lines[most - 1 :]), size, room)]


def shortened(words: str, size: float, room: float, *, bold: bool = False) -> str:
    """Return words, cut and followed by `...` where they are wider than the room."""
    if width(words, size, bold=bold) <= room:
        return words
    while words and width(f"{words}...", size, bold=bold) > room:
        words = words[:-1]
    return f"{words.rstrip()}..."


def _pieces(words: str, size: float, room: float) -> Sequence[str]:
    """Return words, those wider than the room in parts."""
    found = []
    for word in words.split():
        while width(word, size) > room:
            fits = next(n for n in range(len(word), 0, -1) if width(word[:n], size) <= room or n == 1)
            found.append(word[:fits])
            word = word[fits:]
        found.append(word)
    return found
