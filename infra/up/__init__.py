"""`solflis up`: simulator, Airflow and API on one machine, started and stopped together."""
