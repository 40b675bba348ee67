"""Plain functions from upstream to a published version; they run without Airflow."""
