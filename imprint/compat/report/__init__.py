"""The report: what is known about releases, as files for people and programs.

One module per file, and `model` that all are made of; a page for browsers would be another one
beside them, and an entry in `report_files`.
"""

from importlib.resources.abc import Traversable

from imprint.compat.report.changes_page import changes_page
from imprint.compat.report.index_page import index_page
from imprint.compat.report.matrix_page import matrix_page
from imprint.compat.report.model import Report, load_report
from imprint.compat.report.published import published
from imprint.compat.report.seeds_page import seeds_page

__all__ = ["REPORTS", "Report", "load_report", "report_files"]

REPORTS = "reports"
"""The folder beside the data folder of a checkout that holds the files, as committed."""


def report_files(folder: Traversable) -> dict[str, bytes]:
    """The files of the report on a data folder, by name; the same data give the same bytes."""
    report = load_report(folder)
    return {
        "README.md": index_page(report),
        "matrix.json": published(report),
        "matrix.md": matrix_page(report),
        "changes.md": changes_page(report),
        "seeds.md": seeds_page(report),
    }
