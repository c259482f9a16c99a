"""Long-term memory for GitHub Copilot that can prove it works."""

__version__ = "0.1.0"
