"""A stand-in for a distribution of WSL, with a Windows side, on Linux.

The distribution, a container without a network, and its Windows side share a drive (`C:`, mounted
as `/mnt/c`), the user's home (what `\\\\wsl.localhost` shows), and a folder of sockets. In the
distribution a program that begins with `MZ` is handed over by the kernel's binfmt_misc to
`/init-sim`, as WSL hands it to `/init`; the Windows side runs it. `wsl.exe` on the Windows side
runs commands in the distribution. Each stand-in answers what the real one is documented to answer,
notes what it was asked, and fails at anything else.

    world, inside, claims        both sides running; a session inside; what is asked of them
    interop, init_sim, relay     how a program of Windows comes from one side to the other
    windows_side                 what the Windows side is; two play it:
    linux_python, sides          a Linux Python in a second container
    wine_python, wine_server,    Windows' CPython under Wine, on this machine
      wsl_client
    wsl_exe                      what `wsl.exe` answers, whoever plays
"""
