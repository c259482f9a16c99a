"""What setup, disconnect, status and doctor share: the arguments that name the target."""

import argparse


def add_target(parser: argparse.ArgumentParser, *, plans: bool = True) -> None:
    """Which home, and for commands that plan, how."""
    parser.add_argument("--target", choices=("copilot",), default="copilot")
    parser.add_argument("--home", metavar="DIR", help="the Copilot home (default: as Copilot does)")
    if plans:
        parser.add_argument("--dry-run", action="store_true", help="show the diff, change nothing")
        parser.add_argument(
            "--force", action="store_true", help="take over what another Imprint installed"
        )
