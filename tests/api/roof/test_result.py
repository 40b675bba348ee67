"""Fields of the result that need no analysis."""

from types import SimpleNamespace
from typing import Any, get_args

from api.data.surfaces import Surface, read_surfaces
from api.roof.frame import Frame
from api.roof.result import Analysis, arrays, norwegian, result_of
from kernels.roof.layout.result import Reason
from kernels.roof.layout.rules import Module
from tests.kernels.roof.layout.scenes import gable, layout_of


def test_more_than_four_planes_are_merged() -> None:
    groups = [SimpleNamespace(tilt=20.0 + n, azimuth=60.0 * n, modules=[0] * (n + 1)) for n in range(6)]
    layout: Any = SimpleNamespace(surfaces=[SimpleNamespace(groups=groups)])
    found, merged = arrays(layout, Module(wp=1000))
    assert (len(found), merged) == (4, True)
    assert sum(one.kwp for one in found) == 21
    text = ",".join(one.written() for one in found)
    assert all(isinstance(one, Surface) for one in read_surfaces(text, SimpleNamespace(field_name="arrays")))  # type: ignore[arg-type]


def test_at_most_four_planes_keep_tenths_of_a_degree() -> None:
    angles = [(31.26, 180.14), (31.26, 0.14), (10.0, 359.97), (10.0, 90.0), (10.4, 90.8)]

    def written(count: int) -> str:
        groups = [SimpleNamespace(tilt=tilt, azimuth=azimuth, modules=[0]) for tilt, azimuth in angles[:count]]
        found, _ = arrays(SimpleNamespace(surfaces=[SimpleNamespace(groups=groups)]), Module(wp=1000))  # type: ignore[arg-type]
        return ",".join(one.written() for one in found)

    assert written(4) == "1:31.3:0.1,1:31.3:-179.9,1:10:-180,1:10:-90"
    assert written(5) == "2:10:-90,1:31:0,1:31:-180,1:10:-180"


def test_a_fall_just_west_of_north_is_0_and_not_360() -> None:
    roof = gable(turn=0.02)
    layout = layout_of(roof, pitched_north_max_tilt_deg=90)
    asked = {"lat": 60.0, "lon": 10.0, "modul_lengde_mm": 2382, "modul_bredde_mm": 1134, "kvalitetssjekk": True}
    found = Analysis(asked, Frame.at(60.0, 10.0), roof, layout, Module(), None, {}, "oppgitt", [], (), (), 0.0)
    fields = result_of(found)["takflater"][1]
    assert fields["moduler"] > 0
    assert (fields["fallretning_grader"], fields["fallretning_hoydemodell_grader"]) == (0, 0)


def test_every_reason_has_a_sentence() -> None:
    values = {"steep_north": (20.0,), "eave": (4.21, 5, 1.0, 4, 0.8), "shifted": (3,)}
    keys = get_args(Reason.__annotations__["key"])
    said = {key: norwegian(Reason(key, values.get(key, ()))) for key in keys}
    assert "4.2 grader" in said["eave"]
    assert "5 moduler med rektangularitet 1.00, ikke 4 med 0.80" in said["eave"]
    assert said["steep_north"].endswith("20 grader")
    assert "3 moduler" in said["shifted"]
