#!/usr/bin/env python3
"""killed_jobs.py RB2RUN PROGRAM_AND_ARGUMENTS ROUNDS: jobs of ranks that exchange messages are killed (SIGKILL) at random
moments: the launcher, one rank, or all ranks and the launcher. Soon no process, segment or file of the job is left."""

import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

RANKS = 4
PATIENCE = 5  # seconds after the end of the launcher


def children(pid):
    listed = pathlib.Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for path in listed for child in path.read_text().split()]


def command(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0].decode()
    except OSError:
        return ""


def nonce(folder):
    """Of the job whose scratch directory is in `folder`; empty if there is none yet."""
    names = [name for name in os.listdir(folder) if name.startswith("rb2run-")]
    return names[0].rsplit("-", 1)[1] if names else ""


def kill(victims):
    for pid in victims:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def strike(job, program, random_):
    """Kills a part of the job; says which."""
    ranks = [pid for pid in children(job.pid) if command(pid) == program]
    kind = random_.choice(["launcher", "rank", "all"])
    if kind == "rank" and ranks:
        kill([random_.choice(ranks)])
    elif kind == "all":
        kill(ranks + [job.pid])
    else:
        kill([job.pid])
    return kind


def processes(mark):
    """Those whose environment has the mark."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark in path.read_bytes():
                found.append(path.parent.name)
        except OSError:
            pass  # it has ended
    return found


def left_over(folder, of_job):
    segments = [name for name in os.listdir("/dev/shm") if of_job and of_job in name]
    return segments + os.listdir(folder) + processes(f"TMPDIR={folder}".encode())


def one_round(launcher, program, random_):
    """What is left of a job that was killed."""
    with tempfile.TemporaryDirectory() as folder:
        job = subprocess.Popen([launcher, "-n", str(RANKS), *program], env=dict(os.environ, TMPDIR=folder),
                               stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        moment = random_.uniform(0, 0.15)
        until = time.monotonic() + moment
        of_job = ""
        while job.poll() is None and (time.monotonic() < until or not of_job):
            of_job = of_job or nonce(folder)
            time.sleep(0.001)
        kind = strike(job, program[0], random_)
        job.wait(60)
        until = time.monotonic() + PATIENCE
        while (left := left_over(folder, of_job)) and time.monotonic() < until:
            time.sleep(0.01)
        return f"{kind} killed after {moment * 1000:.0f} ms: left {left}" if left else ""


def main():
    launcher, program, rounds = sys.argv[1], sys.argv[2].split(), int(sys.argv[3])
    seed = int(os.environ.get("RB2_KILL_SEED", time.time_ns() % 100000))
    random_ = random.Random(seed)
    wrong = [text for text in (one_round(launcher, program, random_) for _ in range(rounds)) if text]
    print("\n".join(wrong + [f"seed {seed}: {rounds} jobs killed, {len(wrong)} left something"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
