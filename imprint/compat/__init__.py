"""Claims, observations, inference, decisions about Copilot releases: no process, no network."""
