"""`python -m benchmarks [NAME]...`: all of them, or those named (hook, mcp, try, ...)."""

import importlib
import pkgutil
import sys

import benchmarks

PREFIX = "bench_"


def main(names: list[str]) -> None:
    """Run each benchmark module's `main()`."""
    found = sorted(
        module.name.removeprefix(PREFIX)
        for module in pkgutil.iter_modules(benchmarks.__path__)
        if module.name.startswith(PREFIX)
    )
    unknown = sorted(set(names) - set(found))
    if unknown:
        sys.exit(f"no benchmark {', '.join(unknown)}; there are: {', '.join(found)}")
    for name in names or found:
        importlib.import_module(f"benchmarks.{PREFIX}{name}").main()


if __name__ == "__main__":
    main(sys.argv[1:])
