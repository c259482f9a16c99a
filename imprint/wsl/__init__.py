"""Distributions of WSL: their paths, the launcher in them, and the bridge behind it."""
