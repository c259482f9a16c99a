"""Claims, observations, inference and decisions about Copilot releases: pure, no process, no network."""
