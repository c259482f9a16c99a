"""`python -m imprint`: what the MCP entry and the detached importer start."""

import sys

from imprint.cli import main

if __name__ == "__main__":
    sys.exit(main())
