"""Stores to events to turns to memory. Knows no SQL."""
