"""The report (PDF) of horizon level 3, typeset in the process of a job; no module of the API imports it."""
