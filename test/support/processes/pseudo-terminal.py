"""Runs a program at a new pseudo terminal: pseudo-terminal.py PROGRAM ARGUMENT...

Standard input is typed into the terminal, and the terminal's output is written to standard output. The last line of standard
error is the result: {"exitCode": 0, "echo": true}, where echo says whether the terminal echoes typed text.
"""
import json
import os
import pty
import select
import sys
import termios

child, terminal = pty.fork()
if child == 0:
    os.execvp(sys.argv[1], sys.argv[1:])

sources = [terminal, sys.stdin.fileno()]
while True:
    ready, _, _ = select.select(sources, [], [])
    if terminal in ready:
        try:
            shown = os.read(terminal, 65536)
        except OSError:  # On Linux this means that the program has closed its side.
            break
        if not shown:
            break
        os.write(sys.stdout.fileno(), shown)
    if sys.stdin.fileno() in ready:
        typed = os.read(sys.stdin.fileno(), 65536)
        if typed:
            os.write(terminal, typed)
        else:
            sources.remove(sys.stdin.fileno())

echo = bool(termios.tcgetattr(terminal)[3] & termios.ECHO)
_, status = os.waitpid(child, 0)
print(json.dumps({"exitCode": os.waitstatus_to_exitcode(status), "echo": echo}), file=sys.stderr)
