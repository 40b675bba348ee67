"""The queue of long work: jobs in the database, run by `solflis worker`, results as files by id."""
