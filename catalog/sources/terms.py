"""Under which licence data are, and who is to be named."""


def terms(source: str, licence: str, attribution: str, *, simulated: bool) -> dict[str, str]:
    """Return licence and attribution; what is invented is nobody's work and under nobody's licence.

    Parameters
    ----------
    source, licence, attribution : str
        The upstream's name, and what holds for its real data.
    simulated : bool
    """
    if simulated:
        made_up = f"SIMULATED by Solflis in the format of {source}"
        return {"licence": "none: simulated data", "attribution": made_up}
    return {"licence": licence, "attribution": attribution}
