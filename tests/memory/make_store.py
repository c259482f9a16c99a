"""Makes the fixture store of the current schema: `python -m tests.memory.make_store`.

Run it once when a schema is made, never again for that schema.
"""

import shutil
import tempfile
from pathlib import Path

from imprint.memory import Memory, WorkRecord, schema
from tests.memory.support import learn, meta, work

DATA = Path(__file__).parent / "data"


def main() -> None:
    """Write `data/store-v<n>.db`."""
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "memory.db"
        with Memory.open(path) as memory:
            learn(memory, meta("a"), "fix get_user_id in HTTPServer", "数据库连接失败 is fixed")
            work(memory, meta("a"), WorkRecord("w", "write", "src/server.py", "", "", 9))
            learn(memory, meta("b", "other", "/src/other", day=2), "a second session")
            learn(memory, meta("c", day=3), "to be forgotten")
            memory.remember("always use tabs", "app")
            memory.forget(session="conversation/c")
        shutil.copyfile(path, DATA / f"store-v{len(schema.MIGRATIONS)}.db")


if __name__ == "__main__":
    main()
