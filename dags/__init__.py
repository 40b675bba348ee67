"""Upstream to published tiles, as Airflow DAGs over plain builder functions."""
