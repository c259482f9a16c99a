"""A stand-in for a distribution of WSL, with a Windows side, on Linux.

Two containers without a network share a drive (`C:`, mounted as `/mnt/c`), the user's home (what
`\\\\wsl.localhost` shows), and a folder of sockets. In the distribution a program that begins with
`MZ` is handed over by the kernel's binfmt_misc to `/init-sim`, as WSL hands it to `/init`; the
Windows side runs it. `wsl.exe` on the Windows side runs commands in the distribution. Each
stand-in answers what the real one is documented to answer, notes what it was asked, and fails at
anything else.
"""
