"""All that knows the Copilot home: detection, contract, MCP entry, instructions block, hooks file."""
