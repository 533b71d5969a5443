#!/usr/bin/env python3
"""hostile_job.py RB2RUN TROUBLE_LIBRARY BUSY_PROGRAM COUNT: COUNT connections of strangers reach the ranks of a running
job: garbage, a port scan, half open ones, and an opening that a real connection of the job had before (recorded by
trouble.cc). The job must go on all the time, end with right results, and say little."""

import os
import pathlib
import re
import socket
import struct
import subprocess
import sys
import tempfile
import time

RANKS = 4
SECONDS = 240
HELD_OPEN = 400  # of the half-open connections; older ones are closed
HELLO_BYTES = 144
MOST_LINES = 30  # about strangers


def children(pid):
    listed = pathlib.Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for path in listed for child in path.read_text().split()]


def doors(launcher):
    """Addresses at which the ranks listen."""
    inodes = set()
    for rank in children(launcher):
        for entry in pathlib.Path(f"/proc/{rank}/fd").iterdir():
            found = re.match(r"socket:\[(\d+)\]", os.readlink(entry))
            if found:
                inodes.add(found[1])
    found = []
    for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]:
        words = line.split()
        if words[3] == "0A" and words[9] in inodes:
            address, port = words[1].split(":")
            found.append((socket.inet_ntoa(struct.pack("<I", int(address, 16))), int(port, 16)))
    return found


class Strangers:
    def __init__(self, addresses, opening):
        self.addresses, self.opening = addresses, opening
        self.held = []
        self.let_in = 0  # knocks that came through
        self.kinds = [self.garbage, self.scan, self.half_open, self.replay]

    def knock(self, number):
        caller = socket.socket()
        caller.settimeout(5)
        try:
            caller.connect(self.addresses[number % len(self.addresses)])
            self.let_in += 1
            self.kinds[number // len(self.addresses) % len(self.kinds)](caller)
        except OSError:
            caller.close()  # thrown out already

    def garbage(self, caller):
        caller.sendall(b"GET / HTTP/1.1\r\nHost: you\r\n\r\n" * 3)
        caller.close()

    def scan(self, caller):
        caller.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        caller.close()

    def half_open(self, caller):
        self.hold(caller)

    def replay(self, caller):
        caller.sendall(self.opening)
        self.hold(caller)

    def hold(self, caller):
        self.held.append(caller)
        if len(self.held) > HELD_OPEN:
            self.held.pop(0).close()


def recorded_opening(record, deadline):
    """The first bytes that some rank sent when it called another."""
    while time.monotonic() < deadline:
        data = record.read_bytes() if record.exists() else b""
        # Those of an acceptor are shorter (a challenge of 40 bytes); both begin with the same magic number.
        messages = data.split(b"rb2tcp01")[1:]
        for message in messages:
            if len(message) + 8 == HELLO_BYTES:
                return b"rb2tcp01" + message
        time.sleep(0.05)
    raise SystemExit("no connection of the job was seen")


def main():
    launcher, library, program, count = *sys.argv[1:4], int(sys.argv[4])
    with tempfile.TemporaryDirectory() as folder:
        record, stop = pathlib.Path(folder, "record"), pathlib.Path(folder, "stop")
        command = [launcher, "--timeout", str(SECONDS), "-n", str(RANKS), "-x", f"LD_PRELOAD={library}",
                   "-x", f"TROUBLE_RECORD={record}", program, str(stop)]
        with subprocess.Popen(command, env=dict(os.environ, RB2_FABRICS="tcp"), stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace") as job:
            opening = recorded_opening(record, time.monotonic() + 30)
            strangers = Strangers(doors(job.pid), opening)
            begin = time.monotonic()
            for number in range(count):
                strangers.knock(number)
            lasted = time.monotonic() - begin
            time.sleep(1)  # what is still at the doors is met by a working job
            running = job.poll() is None
            stop.touch()
            output = job.communicate()[0]
    about_strangers = [line for line in output.splitlines() if line.startswith("rb2:")]
    print(output)
    print(f"{strangers.let_in} of {count} connections to {len(strangers.addresses)} doors in {lasted:.1f} s, exit code {job.returncode}, "
          f"{len(about_strangers)} lines")
    good = strangers.let_in > count / 2 and running and job.returncode == 0 and "wrong bytes 0" in output and len(about_strangers) <= MOST_LINES
    return 0 if good and len(strangers.addresses) >= RANKS else 1


if __name__ == "__main__":
    sys.exit(main())
