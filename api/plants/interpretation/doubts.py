"""What stays open while a file is interpreted, and what was corrected."""

from dataclasses import dataclass, field
from typing import Any

from api.core.prose import prose


@dataclass
class Doubts:
    """Questions and corrections, and the certainty of the least certain decision.

    Parameters
    ----------
    questions : list of str
        Sentences, in Norwegian.
    changes : list of dict
        Corrections: `kode` and `tekst`.
    certainty : float
        0 to 1.
    """

    questions: list[str] = field(default_factory=list)
    changes: list[dict[str, str]] = field(default_factory=list)
    certainty: float = 1.0

    def decide(self, certainty: float) -> None:
        """Add a decision of some certainty."""
        self.certainty = min(self.certainty, certainty)

    def ask(self, name: str, certainty: float = 1.0, **values: Any) -> None:
        """Add a question of `prose.toml`, after a decision of some certainty."""
        self.decide(certainty)
        self.questions.append(prose(__file__, "questions")[name].format(**values))

    def change(self, code: str, certainty: float, **values: Any) -> None:
        """Add a correction, by its code in `prose.toml`."""
        self.decide(certainty)
        self.changes.append({"kode": code, "tekst": prose(__file__, "changes")[code].format(**values)})
