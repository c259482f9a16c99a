"""All that knows the Copilot home: detection, contract, entry, instructions block, hooks file."""
