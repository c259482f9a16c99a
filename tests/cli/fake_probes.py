"""Stands in for `pytest probes`: says what lies in a folder, one file per release.

`VERSION.json` is what was seen; `VERSION.hangs` never ends; `VERSION.slow` ends when it is gone;
nothing: it fails. Every start is noted.
"""

import json
import sys
import time
from pathlib import Path

FOLDER = Path(sys.argv[1])
GIVEN = dict(one.removeprefix("--").partition("=")[::2] for one in sys.argv[2:])


def main() -> int:
    version = GIVEN["copilot"]
    with (FOLDER / "calls").open("a", encoding="utf-8") as calls:
        calls.write(json.dumps(GIVEN) + "\n")
    while (FOLDER / f"{version}.hangs").exists() or (FOLDER / f"{version}.slow").exists():
        time.sleep(0.01)
    try:
        seen = json.loads((FOLDER / f"{version}.json").read_bytes())
    except FileNotFoundError:
        sys.stdout.write(f"{version}: nothing of it counts: it can't be asked: does-not-start\n")
        return 1
    if "rows" in GIVEN:
        Path(GIVEN["rows"]).write_text(json.dumps(seen), encoding="utf-8")
    if "record" in GIVEN:
        run = seen[0]["observations"]["run"]
        folder = Path(GIVEN["compat-data"]) / "observations" / run["program"] / version
        folder.mkdir(parents=True)
        text = json.dumps(seen[0]["observations"])
        (folder / f"{run['platform']}.json").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
