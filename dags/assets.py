"""The assets that DAGs publish and listen to, named once."""

from airflow.sdk import Asset

FORECAST = Asset(name="forecast", uri="solflis://forecast")
FORECAST_VERIFIED = Asset(name="forecast_verified", uri="solflis://forecast/verified")
DAY = Asset(name="day", uri="solflis://day")
NOWCAST = Asset(name="nowcast", uri="solflis://nowcast")
CORRECTION = Asset(name="correction", uri="solflis://correction")
SKILL = Asset(name="skill", uri="solflis://skill")
CLIMATE_ARCHIVE = Asset(name="climate_archive", uri="solflis://climate_archive")
TMY = Asset(name="tmy", uri="solflis://tmy")
HORIZON = Asset(name="horizon", uri="solflis://horizon")
SNOW_DAILY = Asset(name="snow_daily", uri="solflis://snow_daily")
SNOW_HISTORY = Asset(name="snow_history", uri="solflis://snow_history")
SNOWLOAD = Asset(name="snowload", uri="solflis://snowload")
