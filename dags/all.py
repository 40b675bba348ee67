"""Every Airflow DAG, made from the table of workflows."""

from dags.factory import make_dags
from dags.settings import ScheduleSettings

globals().update(make_dags(ScheduleSettings.from_environment()))
