"""Copilot inside distributions of WSL, served by an Imprint on Windows: one memory for both sides.

Setup (from Windows) writes a launcher and the three usual files into a distribution's Copilot home;
Copilot there starts the launcher; the launcher starts Windows' Python; the bridge answers. Learning
reads the distribution's transcripts through `\\\\wsl.localhost`, in its path context.

    paths, mounts, transcripts   pure functions over text: `wslpath`, mountinfo, wsl.conf
    run_wsl, distributions,      wsl.exe, its list, one look into a distribution
      probe
    windows, launcher, hooks     whom the launcher starts, its text, the files that start it
    target, setup, remove,       what is written, as plans; carrying them out
      install, profile, listing
    bridge                       what the launcher starts, once per event (standard library alone)
    context, learning            the path context; stores and announced turns for learning
    checks                       for doctor

What only Windows has can be put in another's place, by the environment of the processes on
Windows' side (setup, the bridge and the importer that it starts):

`IMPRINT_WSL_EXE`
    the program that is started as `wsl.exe`. It is called with `--list --verbose`,
    `--list --running --quiet`, and `-d NAME --exec PROGRAM ARGUMENTS...`.
`IMPRINT_WSL_SHARE`
    a folder in which NAME is the root of the distribution NAME, with the names that Linux uses:
    stands for `\\\\wsl.localhost`. Not needed where Python itself can open `\\\\wsl.localhost`.
`IMPRINT_WSL_PYTHON`
    the Windows path of the `.exe` that the launcher starts; it must lie on a drive that the
    distribution has mounted. It gets the package's folder and the Imprint home as arguments, word
    for word as this process names them.

In Python the same seams are `RunWsl` (run_wsl), `Share` and `WindowsSide` (windows).
Without them setup, remove and list refuse to run elsewhere than on Windows.
"""
