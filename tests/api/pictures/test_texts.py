"""How pictures write energies, and warnings of any letters."""

import pytest

from api.pictures.canvas import laid_out
from api.pictures.figures import energy
from api.pv.picture import draw
from tests.support.pv_answers import calc_answer

TOLD = ("The production is unshaded.", "The snow was fetched on demand.")
# What matplotlib and numpy complain of; not what other tests left open, which may be found at any time.
STRICT = pytest.mark.filterwarnings(
    "error::UserWarning", "error::RuntimeWarning", "error::DeprecationWarning", "default::pytest.PytestWarning"
)


def test_of_too_many_warnings_the_rest_is_counted() -> None:
    five = [*TOLD, "third", "fourth", "fifth"]
    assert [line for _, line in laid_out(five)] == five
    lines = [line for _, line in laid_out([*five, "sixth"])]
    assert lines == [*five[:4], "2 more warnings are in the JSON of this answer."]
    long = " ".join(f"word{i}" for i in range(5000))
    first, second, third, *rest = [line for _, line in laid_out([long, *TOLD])]
    assert third.endswith("…")
    assert long.startswith(f"{first} {second} {third.removesuffix('…')}")
    assert rest == list(TOLD)


@STRICT
@pytest.mark.parametrize(
    ("sent", "shown"),
    [
        ("a\x00b", "a\ufffdb"), ("a\x1bb\x7f", "a\ufffdb\ufffd"), ("a\r\nb\tc\u2028d", "a b c d"),
        ("a\u202eb\u200bc", "a\ufffdb\ufffdc"),  # turns the direction; has no width
        ("\u65e5\U0001f980", "\ufffd\ufffd"), ("\u05d0\u0628", "\ufffd\ufffd"), ("\ud800", "\ufffd"),
        ("e\u0301", "é"), ("b\u0336\u0336", "b\ufffd\ufffd"), ("⎛Å", "\ufffdÅ"), ("Ærøy Ω Ж €", "Ærøy Ω Ж €"),
    ],
)  # fmt: skip
def test_letters_that_cannot_be_written_are_replaced(sent: str, shown: str) -> None:
    assert laid_out([sent]) == [(True, shown)]
    draw(calc_answer(warnings=[sent]))


@pytest.mark.parametrize(
    ("kwh", "text"),
    [(0, "0 kWh"), (0.0123, "0.0123 kWh"), (5.0, "5 kWh"),
     (39.14, "39.1 kWh"), (99.96, "100 kWh"), (8305.4, "8 305 kWh"),
     (99_999.4, "99 999 kWh"), (123_456, "123 MWh"), (9.1e7, "91 000 MWh"), (1.2e8, "120 GWh")],
)  # fmt: skip
def test_energies_are_written_in_a_unit_that_suits_them(kwh: float, text: str) -> None:
    assert energy(kwh).replace("\N{NARROW NO-BREAK SPACE}", " ").replace("\N{NO-BREAK SPACE}", " ") == text
