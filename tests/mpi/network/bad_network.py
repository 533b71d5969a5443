#!/usr/bin/env python3
"""bad_network.py RB2RUN TROUBLE_LIBRARY PROGRAM CASE [SEEDS]: a job over TCP whose network is a bad one (trouble.cc).

CASE: `late` and `pieces` must not be noticed; with `resets` a job either ends well or with one error that names the
ranks, the host and the fabric. It never hangs, and never ends well with wrong data (the programs check theirs)."""

import os
import re
import subprocess
import sys

RANKS = 4
SECONDS = 60  # of one job
LOST = re.compile(r"rank (\d+) \((\S+)\): rank (?!\1 )\d+ on \2 can no longer be reached: tcp: .*; to try: ")

CASES = {
    "late": {"TROUBLE_RANK": "1", "TROUBLE_LANE": "0", "TROUBLE_DELAY_US": "3000"},
    "pieces": {"TROUBLE_SHORT": "777"},
    "resets": {},
}


def trouble_of(case, seed):
    """With resets some jobs end before their first message, and some well."""
    resets = {"TROUBLE_RESETS": str(20 * 6 ** (seed % 6))} if case == "resets" else {}
    return {**CASES[case], **resets, "TROUBLE_SEED": str(seed)}


def run(launcher, library, program, trouble):
    """(exit code, output) of a job in which `trouble` is."""
    command = [launcher, "--timeout", str(SECONDS), "-n", str(RANKS), "-x", f"LD_PRELOAD={library}"]
    for name, value in trouble.items():
        command += ["-x", f"{name}={value}"]
    done = subprocess.run(command + program, env=dict(os.environ, RB2_FABRICS="tcp"), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          timeout=SECONDS + 30)
    return done.returncode, done.stdout


def complaint(case, code, output):
    """What is wrong with the end of a job; empty if nothing."""
    if code == 0:
        return "" if case == "resets" or "trouble made: " in output else "no trouble was made"
    if case != "resets":
        return f"exit code {code}, though nothing was lost"
    if code != 1:
        return f"exit code {code}"
    return "" if LOST.search(output) else "the error does not name ranks, host and fabric"


def main():
    launcher, library, program, case = *sys.argv[1:3], sys.argv[3].split(), sys.argv[4]
    seeds = int(sys.argv[5]) if len(sys.argv) > 5 else 1
    lost = bad = 0
    for seed in range(1, seeds + 1):
        code, output = run(launcher, library, program, trouble_of(case, seed))
        wrong = complaint(case, code, output)
        lost += code != 0
        bad += bool(wrong)
        if wrong:
            print(f"--- seed {seed}: {wrong}\n{output}")
    print(f"{case}: {seeds} jobs, {lost} ended by a lost connection, {bad} not as they should")
    return 1 if bad or (case == "resets" and seeds > 1 and lost == 0) else 0


if __name__ == "__main__":
    sys.exit(main())
