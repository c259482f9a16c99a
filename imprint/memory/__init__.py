"""The SQLite store: schema, search, digest. Knows no Copilot."""
