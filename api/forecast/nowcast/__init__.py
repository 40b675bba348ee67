"""The nowcast: the next four hours from satellite images, or from the forecast where those say nothing."""
