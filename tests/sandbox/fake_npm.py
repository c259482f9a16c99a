"""Stands in for npm: serves the folder FAKE_REGISTRY, and fails as FAKE_NPM_FAILS says.

`<registry>/<package>/<version>.tgz` are the tarballs; `calls` in it gets a line per call.
"""

# ruff: noqa: T201 (a program, run as such)

import base64
import hashlib
import json
import os
import shutil
import sys
import time
from pathlib import Path

registry = Path(os.environ["FAKE_REGISTRY"])
command, name, *rest = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
with (registry / "calls").open("a", encoding="utf-8") as calls:
    calls.write(f"{command} {name}\n")


def fail(code, summary):
    print(json.dumps({"error": {"code": code, "summary": summary, "detail": ""}}))
    sys.exit(1)


failure = os.environ.get("FAKE_NPM_FAILS", "")
if failure == "hang":
    time.sleep(300)
if failure:
    fail(failure, f"request to https://registry.example failed, reason: {failure}")
package, _, version = name.rpartition("@") if "@" in name[1:] else (name, "", "")
folder = registry / package.replace("/", "+")
tarball = folder / f"{version}.tgz"
if not folder.is_dir() or (version and not tarball.is_file()):
    fail("E404", f"No match found for version {version}")
if command == "pack":
    time.sleep(float(os.environ.get("FAKE_NPM_SECONDS", "0")))
    shutil.copy(tarball, f"{folder.name}-{version}.tgz")
elif rest == ["versions"]:
    print(json.dumps([path.stem for path in folder.glob("*.tgz")]))
else:
    digest = base64.b64encode(hashlib.sha512(tarball.read_bytes()).digest()).decode("ascii")
    wrong = tarball.with_suffix(".integrity")
    integrity = wrong.read_text(encoding="utf-8") if wrong.is_file() else f"sha512-{digest}"
    dist = {"integrity": integrity, "tarball": "https://registry.example/x.tgz"}
    # Of one key npm prints the value alone; of several an object, without those that are missing.
    facts = {"name": package, "version": version, "dist": dist, "bin": {"copilot": "index.js"}}
    asked = {key: facts[key] for key in rest if key in facts}
    print(json.dumps(asked if len(rest) > 1 else dist))
