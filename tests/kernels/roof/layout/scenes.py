"""Made-up roofs, and a plain count of what a layout does wrong on them."""

import math
from dataclasses import replace

import numpy as np
import shapely
from shapely import Polygon, box
from shapely.affinity import rotate

from kernels.roof.layout.layout import lay_out
from kernels.roof.layout.result import Layout
from kernels.roof.layout.rules import Module, Options, Rules
from kernels.roof.roof import Edge, Obstacle, Plane, Roof, Surface

LATITUDE = 60.0
MM = 1e-3


def layout_of(roof: Roof, options: Options | None = None, shade=None, module: Module | None = None, **rules) -> Layout:
    return lay_out(roof, module or Module(), options or Options(), Rules(**rules), latitude=LATITUDE, shade=shade)


def falling(tilt: float, azimuth: float, through: tuple[float, float, float] = (0, 0, 6)) -> Plane:
    slope, facing = math.tan(math.radians(tilt)), math.radians(azimuth)
    a, b = -slope * math.sin(facing), -slope * math.cos(facing)
    x, y, z = through
    return Plane(a, b, z - a * x - b * y)


def surface(number: int, plane: Plane, points, kinds=None, others=None, holes=()) -> Surface:
    """A surface whose exterior has one edge of a kind from each point to the next."""
    others = others or {}
    ends = [*points[1:], points[0]]
    edges = tuple(
        Edge(tuple(map(float, a)), tuple(map(float, b)), kind, others.get(i))
        for i, (a, b, kind) in enumerate(zip(points, ends, kinds or (), strict=False))
    )
    return Surface(number, plane, Polygon(points, holes), edges)


def roof_of(*surfaces: Surface, obstacles=(), form="sammensatt", axis=90.0) -> Roof:
    outline = shapely.union_all([s.polygon for s in surfaces])
    return Roof(outline, surfaces, tuple(obstacles), form, axis, 8.0)


def shed(length=10.0, depth=6.0, tilt=20.0, azimuth=180.0, obstacles=()) -> Roof:
    """A shed roof that falls south before it is turned to an azimuth."""
    points = [(0, 0), (length, 0), (length, depth), (0, depth)]
    one = surface(1, falling(tilt, 180), points, ("eave", "gable", "wall", "gable"))
    return turned(roof_of(one, obstacles=obstacles, form="pulttak"), 180 - azimuth)


def gable(length=12.0, width=10.0, tilt=18.0, obstacles=(), turn=0.0) -> Roof:
    """A gable roof whose ridge runs east to west before it is turned, with surface 1 falling south and 2 north."""
    half = width / 2
    south = surface(
        1, falling(tilt, 180), [(0, 0), (length, 0), (length, half), (0, half)], ("eave", "gable", "ridge", "gable"),
        {2: 2},
    )  # fmt: skip
    high = 6 + half * math.tan(math.radians(tilt))
    north = surface(
        2, falling(tilt, 0, (0, half, high)), [(0, half), (length, half), (length, width), (0, width)],
        ("ridge", "gable", "eave", "gable"), {0: 1},
    )  # fmt: skip
    return turned(roof_of(south, north, obstacles=obstacles, form="saltak"), turn)


def hip(length=14.0, width=9.0, tilt=18.0, obstacles=()) -> Roof:
    h, high = width / 2, 6 + width / 2 * math.tan(math.radians(tilt))
    a, b, c, d, p, q = (0, 0), (length, 0), (length, width), (0, width), (h, h), (length - h, h)
    top = (*p, high)
    four = (
        surface(1, falling(tilt, 180, top), [a, b, q, p], ("eave", "hip", "ridge", "hip"), {1: 2, 2: 3, 3: 4}),
        surface(2, falling(tilt, 90, (*q, high)), [b, c, q], ("eave", "hip", "hip"), {1: 3, 2: 1}),
        surface(3, falling(tilt, 0, top), [c, d, p, q], ("eave", "hip", "ridge", "hip"), {1: 4, 2: 1, 3: 2}),
        surface(4, falling(tilt, 270, top), [d, a, p], ("eave", "hip", "hip"), {1: 1, 2: 3}),
    )
    return roof_of(*four, obstacles=obstacles, form="valm")


def flat(length=20.0, depth=10.0, obstacles=(), tilt=0.0, polygon=None) -> Roof:
    one = Surface(1, falling(tilt, 180), polygon or box(0, 0, length, depth))
    return roof_of(one, obstacles=obstacles, form="flatt")


def thing(x, y, wide=0.6, deep=0.6, kind="annet", height=1.0, source="hoydemodell") -> Obstacle:
    return Obstacle(box(x, y, x + wide, y + deep), kind, height, source)


def moved(roof: Roof, place, sense: int = 1, turn: float = 0.0) -> Roof:
    """A roof whose shapes and planes went through `place`; it turned azimuths, and is a mirror image if sense is -1."""
    inverse = np.linalg.inv(np.array([place(1, 0), place(0, 1)]).T - np.array([place(0, 0)] * 2).T)

    def plane(old: Plane) -> Plane:
        a, b = np.array([old.a, old.b]) @ inverse
        x, y = place(0, 0)
        return Plane(float(a), float(b), old.c - float(a) * x - float(b) * y)

    def polygon(old: Polygon) -> Polygon:
        return shapely.transform(old, lambda p: np.array([place(*xy) for xy in p]))

    def edges(old):
        new = [e._replace(start=place(*e.start), end=place(*e.end)) for e in old]
        return tuple(new if sense > 0 else [e._replace(start=e.end, end=e.start) for e in new])

    surfaces = tuple(
        replace(s, plane=plane(s.plane), polygon=polygon(s.polygon), edges=edges(s.edges)) for s in roof.surfaces
    )
    obstacles = tuple(replace(o, polygon=polygon(o.polygon)) for o in roof.obstacles)
    return replace(
        roof,
        outline=polygon(roof.outline),
        surfaces=surfaces,
        obstacles=obstacles,
        axis=(sense * roof.axis - turn) % 180,
    )


def turned(roof: Roof, angle: float) -> Roof:
    """Counter-clockwise, degrees."""
    c, s = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    return moved(roof, lambda x, y: (c * x - s * y, s * x + c * y), turn=angle) if angle else roof


def shifted(roof: Roof, dx: float, dy: float) -> Roof:
    return moved(roof, lambda x, y: (x + dx, y + dy))


def mirrored(roof: Roof) -> Roof:
    return moved(roof, lambda x, y: (-x, y), sense=-1)


def on_slope(shape, plane: Plane):
    """A shape in plan as it lies on the plane: turned so that the fall is along y, and stretched there."""
    return shapely.affinity.scale(
        rotate(shape, plane.azimuth, origin=(0, 0)), 1, 1 / math.cos(math.radians(plane.tilt)), origin=(0, 0)
    )


def faults(roof: Roof, found: Layout, rules: Rules) -> list[str]:
    """What a layout breaks by more than 1 mm, found with shapely's distances only."""
    bad = []
    counts = {laid.surface: laid.count for laid in found.surfaces}
    for one, laid in zip(roof.surfaces, found.surfaces, strict=True):
        if not laid.count:
            continue
        plane = Plane(0, 0, 0) if one.is_flat else one.plane
        modules = np.array([on_slope(module, plane) for module in shapely.polygons(laid.modules)])
        inner = shapely.buffer(modules, -MM / 2, join_style="mitre")
        first, second = shapely.STRtree(inner).query(inner, predicate="intersects")
        if (first != second).any():
            bad.append("modules overlap")
        outline = on_slope(one.polygon, plane)
        if not shapely.covers(outline.buffer(MM), modules).all():
            bad.append("outside the surface")
        if one.is_flat and (shapely.distance(outline.boundary, modules) < rules.edge_setback_m - MM).any():
            bad.append("flat edge")
        for edge in () if one.is_flat else one.edges:
            line = on_slope(shapely.LineString([edge.start, edge.end]), plane)
            across = edge.kind in ("ridge", "hip") and counts.get(edge.other, 0) > 0
            wanted = rules.ridge_setback_m if across else rules.pitched_edge_setback_m
            if (shapely.distance(line, modules) < wanted - MM).any():
                bad.append(edge.kind)
        for obstacle in roof.obstacles:
            if obstacle.source == "hoydemodell" and 0 < obstacle.height < rules.protrusion_min_m:
                continue
            measured = obstacle.kind == "annet" and obstacle.source == "hoydemodell"
            usual = rules.protrusion_clearance_m if measured else rules.clearance(obstacle.kind)
            wanted = rules.obstacle_clearance_m.get(obstacle.kind, usual)
            if (shapely.distance(on_slope(obstacle.polygon, plane), modules) < wanted - MM).any():
                bad.append("obstacle")
    return bad


def any_roof(random: np.random.Generator) -> Roof:
    """A roof of any form and size with obstacles, turned and somewhere."""
    form, tilt = random.integers(6), random.uniform(6.5, 50)
    length, width = random.uniform(6, 25), random.uniform(5, 14)
    where = [(random.uniform(0, length), random.uniform(0, width)) for _ in range(random.integers(5))]
    kinds = ("annet", "pipe", "takluke", "ventilasjon", "kjoleaggregat")
    obstacles = []
    for x, y in where:
        wide, deep = random.uniform(0.3, 2, 2)
        shape = rotate(box(x, y, x + wide, y + deep), random.uniform(0, 90))
        source = "bilde" if random.random() < 0.3 else "hoydemodell"
        obstacles.append(Obstacle(shape, str(random.choice(kinds)), float(random.uniform(0.1, 2)), source))
    if form == 0:
        roof = shed(length, width, tilt, obstacles=obstacles)
    elif form == 1:
        roof = gable(length, width, tilt, obstacles)
    elif form == 2:
        roof = hip(max(length, width + 1), width, tilt, obstacles)
    elif form == 3:
        roof = flat(length, width, obstacles, tilt=random.uniform(0, 5))
    elif form == 4:  # an L with a court
        shape = box(0, 0, length, width).union(box(0, 0, 0.5 * length, 1.8 * width))
        court = box(0.1 * length, 0.3 * width, 0.1 * length + 1.5, 0.3 * width + 1.5)
        roof = flat(obstacles=obstacles, polygon=shape.difference(court))
    else:
        roof = crooked(random, length, width, tilt, obstacles)
    return shifted(turned(roof, random.uniform(0, 360)), *random.uniform(-100, 100, 2))


def crooked(random: np.random.Generator, length, width, tilt, obstacles=()) -> Roof:
    """A single surface with corners that are moved, and an eave askew of its fall."""
    points = np.array(
        [(0, 0), (length, 0), (length, width), (0.6 * length, width), (0.5 * length, 1.3 * width), (0, width)]
    )
    points = points + random.uniform(-0.8, 0.8, points.shape)
    kinds = ("eave", "gable", "wall", "valley", "gable", "gable")
    return roof_of(surface(1, falling(tilt, 180), [tuple(p) for p in points], kinds), obstacles=obstacles)


def any_rules(random: np.random.Generator) -> Rules:
    return Rules(
        edge_setback_m=random.uniform(0, 1.5),
        pitched_edge_setback_m=random.uniform(0, 0.8),
        ridge_setback_m=random.uniform(0, 1),
        pitched_access_edge=bool(random.random() < 0.5),
        lane_width_m=random.uniform(0, 2),
        lane_interval_m=random.uniform(10, 30),
        protrusion_min_m=random.uniform(0.2, 1),
        protrusion_clearance_m=random.uniform(0, 1),
        obstacle_clearance_m={"pipe": random.uniform(0, 2)},
        min_run_modules=int(random.integers(1, 4)),
        align_columns=bool(random.random() < 0.6),
        common_row_direction=bool(random.random() < 0.5),
        pitched_orientation=str(random.choice(["portrait", "landscape", "auto"])),
        pitched_north_max_tilt_deg=random.uniform(0, 60),
    )


def any_options(random: np.random.Generator) -> Options:
    return Options(
        mounting=str(random.choice(["auto", "south", "east_west"])),
        direction=str(random.choice(["auto", "building", "compass"])),
        row_spacing=float(random.uniform(1.2, 4)) if random.random() < 0.5 else None,
        unit_spacing=float(random.uniform(2.2, 5)) if random.random() < 0.5 else None,
        rack_tilt=float(random.uniform(5, 20)),
        row_azimuth=float(random.uniform(0, 180)) if random.random() < 0.3 else None,
    )
