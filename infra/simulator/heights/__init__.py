"""The simulated land: its ground, the towns and woods on it, and the services that tell of both."""
