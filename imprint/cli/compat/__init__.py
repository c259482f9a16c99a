"""The actions of `imprint compat`, one module each: what it does, and how it is told."""
