"""The error of a file that is read and cannot be interpreted; why is in `prose.toml`."""

from dataclasses import replace
from typing import Any

from api.core.errors import ApiError, problem
from api.core.prose import prose

NOT_INTERPRETED = problem("plants.NOT_INTERPRETED")


def not_interpreted(reason: str, **values: Any) -> ApiError:
    """Return the error to raise; `reason` names the sentence, `values` fill it."""
    why = prose(__file__, "refusals")[reason].format(**values)
    nb, en = (
        text.replace("{why}", why.replace("{", "(").replace("}", ")"))
        for text in (NOT_INTERPRETED.nb, NOT_INTERPRETED.en)
    )
    return replace(NOT_INTERPRETED, nb=nb, en=en)()
