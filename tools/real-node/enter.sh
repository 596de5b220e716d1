#!/bin/sh
# The first process in the namespaces of a node: enter.sh PROGRAM ARGUMENTS. A shell, because it also waits for processes that lost
# their parent, such as containerd's shims.
set -eu
# What a node writes to these folders must not reach the machine.
for folder in /run /var/lib /var/log; do mount -t tmpfs -o mode=755 tmpfs "$folder"; done
code=0
"$@" || code=$?
exit "$code"
