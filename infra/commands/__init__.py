"""The subcommands of `solflis`, a module each, loaded when called."""
