"""How it is run: the `solflis` command, the processes it starts, the upstream simulator."""
