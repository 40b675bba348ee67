"""EN 1991-1-4 A.3 and 4.3 to 4.5 once more: scalar Python written from the clauses, to compare the kernels with."""

from math import exp, log, log10

# terrain category: (z0, zmin, k_r) of table NA.4.1
CATEGORIES = {
    0: (0.003, 2.0, 0.16),
    1: (0.01, 2.0, 0.17),
    2: (0.05, 4.0, 0.19),
    3: (0.3, 8.0, 0.22),
    4: (1.0, 16.0, 0.24),
}


def effective_length(h: float, l_u: float) -> float:
    """L_e in m, table A.2."""
    return h / 0.3 if h / l_u > 0.3 else l_u


def upwind_a(a: float) -> float:
    """A of (A.5), which is s at the crest."""
    return float(0.1552 * a**4 - 0.8575 * a**3 + 1.8133 * a**2 - 1.9115 * a + 1.0124)


def s_upwind(x: float, z: float, l_u: float, l_e: float) -> float:
    """s before the crest (x <= 0)."""
    a = z / l_e
    if x / l_u < -1.5 or a > 2:
        return 0.0
    return max(0.0, upwind_a(a) * exp((0.3542 * a**2 - 1.0577 * a + 2.6456) * x / l_u))


def s_hill(x: float, z: float, l_d: float, l_e: float) -> float:
    """s behind the crest of a hill or ridge (x >= 0)."""
    a = z / l_e
    if x / l_d > 2 or a > 2:
        return 0.0
    return max(0.0, upwind_a(a) * exp((-0.3056 * a**2 + 1.0212 * a - 1.7637) * x / l_d))


def s_cliff(x: float, z: float, l_e: float) -> float:
    """s behind the edge of a cliff or escarpment (x >= 0).

    Below z = 0.1 L_e the curve is that of 0.1 L_e; where x/L_e is 0, s is that of the crest, whatever z is.
    """
    a, far = z / l_e, x / l_e
    if far > 3.5 or a > 2:
        return 0.0
    height = log10(max(a, 0.1))

    def curve(at: float) -> float:
        u = log10(at)
        return (
            (-1.3420 * height**3 - 0.8222 * height**2 + 0.4609 * height - 0.0791) * u**2
            + (-1.0196 * height**3 - 0.8910 * height**2 + 0.5343 * height - 0.1156) * u
            + (0.8030 * height**3 + 0.4236 * height**2 - 0.5738 * height + 0.1606)
        )

    if far < 0.1:
        edge, end = upwind_a(a), max(0.0, curve(0.1))
        return edge + (end - edge) * far / 0.1
    return max(0.0, curve(far))


def c_o(h: float, l_u: float, l_d: float, x: float, z: float, *, cliff: bool) -> float:
    """Orography factor, (A.1) to (A.3); lengths in m, x positive behind the crest."""
    phi = h / l_u
    if phi < 0.05:
        return 1.0
    l_e = effective_length(h, l_u)
    if x < 0:
        s = s_upwind(x, z, l_u, l_e)
    elif cliff:
        s = s_cliff(x, z, l_e)
    else:
        s = s_hill(x, z, l_d, l_e)
    return 1 + 2 * s * phi if phi < 0.3 else 1 + 0.6 * s


def must_count(h: float, l_u: float, l_d: float, x: float, *, cliff: bool) -> bool:
    """Whether A.3(3) asks for orography to be taken into account."""
    phi = h / l_u
    if phi < 0.05:
        return False
    if x < 0:
        return phi <= 0.3 and -x <= l_u / 2
    if cliff:
        return x < 1.5 * effective_length(h, l_u) if phi < 0.3 else x < 5 * h
    return x < l_d / 2 if phi < 0.3 else x < 1.6 * h


def wind(category: int, v_b: float, z: float, c_o: float = 1.0, k_i: float = 1.0) -> tuple[float, float, float]:
    """(v_m in m/s, I_v, q_p in N/m2) by 4.3 to 4.5, with air of 1.25 kg/m3 and 7 I_v."""
    z0, z_min, k_r = CATEGORIES[category]
    roughness = log(max(z, z_min) / z0)
    v_m = k_r * roughness * c_o * v_b
    i_v = k_i / (c_o * roughness)
    return v_m, i_v, (1 + 7 * i_v) * 0.5 * 1.25 * v_m**2
