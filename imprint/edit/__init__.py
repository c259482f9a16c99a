"""Lossless, atomic edits of files that belong to the user."""
