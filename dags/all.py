"""Every Airflow DAG, made from the table of workflows."""

from dags.factory import make_dags
from dags.settings import DagSettings

globals().update(make_dags(DagSettings.from_environment()))
