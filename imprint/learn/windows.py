"""Recorded paths of Windows, told apart from those of other systems by their form alone."""


def is_windows_path(directory: str) -> bool:
    """Whether a recorded directory has a drive, or is a UNC path."""
    return directory[1:3] in {":\\", ":/"} or directory[1:] == ":" or directory[:2] == "\\\\"
