"""What a task makes of what its builder tells it: the DAGs' own functions, without a scheduler."""

from collections.abc import Callable
from typing import Any

import pytest

CLOCK = "2026-06-21T10:10:00Z!"
# key and configuration of the run, and what the builder does
CASES = {
    "key": ("2026-06-21T09", None, "return"),
    "conf": (None, {"partition": "2026-06-20T23"}, "return"),
    "nothing": (None, None, "return"),
    "no key": ("noon", None, "return"),
    "fresh": ("2026-06-21T05", None, "raise NotYetAvailable('no such cycle')"),
    "gone": ("2026-06-21T04", None, "raise NotYetAvailable('no such cycle')"),
    "broken": ("2026-06-21T04", None, "raise SourceError('it is truncated')"),
}
IMAGES = {
    "key": ("2026-06-21T09:45", None, "return"),
    "conf": (None, {"partition": "2026-06-21T09:30"}, "return"),
    "nothing": (None, None, "return"),
    "no key": ("2026-06-21T09:20", None, "return"),
    "night": ("2026-06-21T09:45", None, "raise nowcast_builder.NothingToSee('it is night')"),
    "late": ("2026-06-21T09:15", None, "raise NotYetAvailable('no such image')"),
    "overtaken": ("2026-06-21T09:00", None, "raise NotYetAvailable('no such image')"),
    "broken": ("2026-06-21T09:00", None, "raise SourceError('half of it is missing')"),
}
DAYS = {
    "key": ("2026-06-19", None, None),
    "conf": (None, {"partition": "2026-06-18"}, None),
    "nothing": (None, None, None),
    "no key": ("2026-06-19T00", None, None),
    "nothing there": ("2026-06-19", None, "skill_builder.NothingToJudge('no station_forecast')"),
    "broken": ("2026-06-19", None, "SourceError('frost is away')"),
}
WEEKS = {
    "better": None,
    "no better": "training.NotPublished('no correction is published: 10 against 9')",
    "broken": "SourceError('frost is away')",
}
MORNINGS = {
    "key": ("2026-06-20", None, None),
    "conf": (None, {"partition": "2026-06-19"}, None),
    "nothing": (None, None, None),
    "no key": ("2026-06-19T00", None, None),
    "broken": ("2026-06-19", None, "SourceError('nve_gts is away')"),
    "ahead": ("2026-06-25", None, "ValueError('not observed before 06 UTC of it')"),
}
# Loading Airflow takes seconds: one process plays all cases.
PLAY = f"""
import json, os
from types import SimpleNamespace
from catalog.versions import read_index
from tiles.store import open_store
import dags.build.forecast.forecast as forecast_builder
import dags.build.forecast.nowcast as nowcast_builder
from catalog.sources.errors import NotYetAvailable, SourceError
from dags import forecast, nowcast, verify

class Events(dict):
    def __missing__(self, asset):
        self[asset] = SimpleNamespace(add_partitions=lambda key: published.append([asset.uri.rstrip("/"), key]))
        return self[asset]

def play(task, key, conf, does="return"):
    def build(partition, source=None, *, url, store, clock, report, stations_url=None):
        asked.append([partition, source, url])
        if does != "return":
            raise eval(does.removeprefix("raise "))
    forecast_builder.build = nowcast_builder.build = build
    asked.clear(), published.clear()
    try:
        result = task(SimpleNamespace(partition_key=key, conf=conf), Events())
    except Exception as error:
        result = [type(error).__name__, str(error)]
    return dict(result=result, asked=list(asked), published=list(published))

asked, published = [], []
played = {{name: play(forecast.build, *case) for name, case in {CASES!r}.items()}}
images = {{name: play(nowcast.build, *case) for name, case in {IMAGES!r}.items()}}
played["images"] = images
played["turbidity"] = len(read_index(open_store(os.environ["SOLFLIS_STORE"]), "turbidity").entries)
played["verify"] = play(verify.verify, "2026-06-21T09", None)

import dags.build.correction.training as training
import dags.build.correction.skill as skill_builder
from dags import correction, skill

def judge(key, conf, raised):
    def build(*arguments, stations_url, store, clock, report):
        asked.append([*arguments, stations_url])
        if raised:
            raise eval(raised)
        return SimpleNamespace(version=arguments[0])
    training.build = skill_builder.build = build
    asked.clear(), published.clear()
    run = SimpleNamespace(partition_key=key, conf=conf)
    try:
        result = skill.build(run, Events()) if key != "week" else correction.build(Events())
    except Exception as error:
        result = [type(error).__name__, str(error)]
    return dict(result=result, asked=list(asked), published=list(published))

played["days"] = {{name: judge(*case) for name, case in {DAYS!r}.items()}}
played["weeks"] = {{name: judge("week", None, raised) for name, raised in {WEEKS!r}.items()}}

import dags.build.snow.snow_daily as snow_builder
from dags import snow_daily

def morning(key, conf, raised):
    def build(ask, *, store, clock, report):
        asked.append([ask.partition, ask.url, ask.kartverket_url, len(ask.areas)])
        if raised:
            raise eval(raised)
        return SimpleNamespace(version=ask.partition)
    snow_builder.build = build
    asked.clear(), published.clear()
    try:
        result = snow_daily.build(SimpleNamespace(partition_key=key, conf=conf), Events())
    except Exception as error:
        result = [type(error).__name__, str(error)]
    return dict(result=result, asked=list(asked), published=list(published))

os.environ.update(
    SOLFLIS_NVE_GTS_URL="http://127.0.0.1:4", SOLFLIS_KARTVERKET_URL="http://127.0.0.1:5",
    SOLFLIS_AREAS="Oslo:59.9,10.7",
)
played["mornings"] = {{name: morning(*case) for name, case in {MORNINGS!r}.items()}}

from dags import snow_history, snowload
def yearly(dag):
    ask, *made = dag.steps(SimpleNamespace(run_id="a run"))
    makers = [m.__self__.product.name + "." + m.__name__ for m in made]
    return [ask.url, ask.kartverket_url, ask.clock, len(ask.areas), ask.run, *makers]

played["yearly"] = dict(snow_history=yearly(snow_history), snowload=yearly(snowload))
del os.environ["SOLFLIS_NVE_GTS_URL"]
played["no address"] = morning("2026-06-19", None, None)["result"]
print(json.dumps(played))
"""


@pytest.fixture(scope="module")
def played(in_airflow: Callable[..., Any]) -> Any:
    return in_airflow(
        PLAY, SOLFLIS_CLOCK=CLOCK, SOLFLIS_METEOSAT_URL="http://127.0.0.1:2", SOLFLIS_FROST_URL="http://127.0.0.1:3"
    )


@pytest.mark.parametrize(
    ("case", "cycle"), [("key", "2026-06-21T09"), ("conf", "2026-06-20T23"), ("nothing", "2026-06-21T10")]
)
def test_a_run_builds_its_cycle_and_publishes_that_partition(played: Any, case: str, cycle: str) -> None:
    assert played[case] == {
        "result": cycle,
        "asked": [[cycle, "met_nordic", "http://127.0.0.1:1"]],
        "published": [["solflis://forecast", cycle]],
    }


def test_the_clear_sky_beyond_the_forecast_is_there_after_the_first_run(played: Any) -> None:
    assert played["turbidity"] == 1


def test_what_is_no_cycle_fails_without_a_retry_or_a_request(played: Any) -> None:
    assert played["no key"]["result"][0] == "AirflowFailException"
    assert "'noon' is not a cycle" in played["no key"]["result"][1]
    assert played["no key"]["asked"] == []


def test_a_cycle_that_may_still_come_is_retried(played: Any) -> None:
    assert played["fresh"]["result"] == ["NotYetAvailable", "no such cycle"]
    assert played["fresh"]["published"] == []


def test_a_cycle_that_is_no_longer_held_is_skipped_with_a_sentence(played: Any) -> None:
    assert played["gone"]["result"] == [
        "AirflowSkipException",
        "cycle 2026-06-21T04 is skipped: no such cycle",
    ]
    assert played["gone"]["published"] == []


def test_a_broken_file_is_no_reason_to_skip_however_old(played: Any) -> None:
    assert played["broken"]["result"] == ["SourceError", "it is truncated"]


def test_verify_fails_on_a_version_that_is_not_published(played: Any) -> None:
    assert played["verify"] == {
        "result": [
            "AirflowFailException",
            "forecast 2026-06-21T09 is not published; there is nothing to verify",
        ],
        "asked": [],
        "published": [],
    }


@pytest.mark.parametrize(
    ("case", "image"), [("key", "2026-06-21T09:45"), ("conf", "2026-06-21T09:30"), ("nothing", "2026-06-21T09:45")]
)
def test_a_run_builds_the_nowcast_of_its_image(played: Any, case: str, image: str) -> None:
    assert played["images"][case] == {
        "result": image,
        "asked": [[image, None, "http://127.0.0.1:2"]],
        "published": [["solflis://nowcast", image]],
    }


def test_at_night_the_nowcast_is_skipped_with_a_sentence(played: Any) -> None:
    night = played["images"]["night"]
    assert night["result"] == ["AirflowSkipException", "nowcast 2026-06-21T09:45 is skipped: it is night"]
    assert night["published"] == []


def test_a_late_image_is_waited_for_until_it_is_no_news(played: Any) -> None:
    images = played["images"]
    assert images["late"]["result"] == ["NotYetAvailable", "no such image"]
    skipped = ["AirflowSkipException", "nowcast 2026-06-21T09:00 is skipped: no such image"]
    assert images["overtaken"]["result"] == skipped
    assert images["broken"]["result"] == ["SourceError", "half of it is missing"]
    assert images["no key"]["result"][0] == "AirflowFailException"
    assert "is not an image" in images["no key"]["result"][1]


@pytest.mark.parametrize(("case", "day"), [("key", "2026-06-19"), ("conf", "2026-06-18"), ("nothing", "2026-06-20")])
def test_a_run_judges_its_day_and_without_one_yesterday(played: Any, case: str, day: str) -> None:
    assert played["days"][case] == {
        "result": day,
        "asked": [[day, "met_nordic", "http://127.0.0.1:3"]],
        "published": [["solflis://skill", day]],
    }


def test_a_day_without_anything_to_judge_is_skipped_with_a_sentence(played: Any) -> None:
    days = played["days"]
    assert days["nothing there"]["result"] == [
        "AirflowSkipException",
        "2026-06-19 is skipped: no station_forecast",
    ]
    assert days["nothing there"]["published"] == []
    assert days["broken"]["result"] == ["SourceError", "frost is away"]
    assert days["no key"]["result"] == [
        "AirflowFailException",
        "'2026-06-19T00' is not a day: write one such as 2026-06-20",
    ]


def test_a_table_that_is_no_better_is_a_skipped_run_and_frost_away_is_a_retry(played: Any) -> None:
    weeks = played["weeks"]
    assert weeks["better"]["asked"] == [["met_nordic", "http://127.0.0.1:3"]]
    assert weeks["better"]["published"] == [["solflis://correction", "met_nordic"]]
    assert weeks["no better"]["result"] == ["AirflowSkipException", "no correction is published: 10 against 9"]
    assert weeks["no better"]["published"] == []
    assert weeks["broken"]["result"] == ["SourceError", "frost is away"]


@pytest.mark.parametrize(("case", "day"), [("key", "2026-06-20"), ("conf", "2026-06-19"), ("nothing", "2026-06-21")])
def test_a_run_builds_the_snow_of_its_morning(played: Any, case: str, day: str) -> None:
    assert played["mornings"][case] == {
        "result": day,
        "asked": [[day, "http://127.0.0.1:4", "http://127.0.0.1:5", 1]],
        "published": [["solflis://snow_daily", day]],
    }


def test_snow_that_cannot_be_asked_for_is_a_retry_and_no_day_a_failure(played: Any) -> None:
    mornings = played["mornings"]
    assert mornings["broken"] == {
        "result": ["SourceError", "nve_gts is away"],
        "asked": mornings["broken"]["asked"],
        "published": [],
    }
    assert mornings["ahead"]["result"] == ["AirflowFailException", "not observed before 06 UTC of it"]
    assert mornings["no key"]["result"][0] == "AirflowFailException"
    assert mornings["no key"]["asked"] == []
    assert played["no address"][0] == "ValueError"
    assert "SOLFLIS_NVE_GTS_URL is not set" in played["no address"][1]


@pytest.mark.parametrize("name", ["snow_history", "snowload"])
def test_what_is_made_of_all_days_of_snow_is_asked_where_the_settings_say(played: Any, name: str) -> None:
    asked, makers = played["yearly"][name][:5], played["yearly"][name][5:]
    assert asked == ["http://127.0.0.1:4", "http://127.0.0.1:5", CLOCK.replace("Z", "+00:00"), 1, "a run"]
    assert makers == [f"{name}.begin", f"{name}.build_group", f"{name}.finish"]
