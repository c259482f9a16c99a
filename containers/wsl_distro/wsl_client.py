"""What stands behind `wsl.exe` under Wine: asks this machine, over loopback, and prints the answer.

Runs on Windows' Python, with its standard library alone, from the archive in that `wsl.exe`.
"""

import base64
import json
import os
import socket
import sys

ANSWER_BYTES = 65536


def call(port: int, secret: str) -> None:
    """Answer one call of `wsl.exe`, and end."""
    order = {
        "secret": secret,
        "argv": sys.argv[1:],
        "utf8": os.environ.get("WSL_UTF8", ""),
    }
    with socket.create_connection(("127.0.0.1", port)) as channel:
        channel.sendall(json.dumps(order).encode() + b"\n")
        data = b""
        while chunk := channel.recv(ANSWER_BYTES):
            data += chunk
    answer = json.loads(data)
    for stream, name in ((sys.stdout, "stdout"), (sys.stderr, "stderr")):
        stream.buffer.write(base64.b64decode(answer[name]))
        stream.flush()
    os._exit(int(answer["exit_code"]))
