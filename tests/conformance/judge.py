"""Runs one program and says whether it passed."""

import os
import re
import signal
import subprocess

TIMED_OUT = 124  # rb2run's exit code at --timeout
_GRACE_SECONDS = 15

PASS, FAIL, NOT_APPLICABLE, SKIPPED = "pass", "fail", "n/a", "skipped"


def execute(command, folder, seconds):
    environment = dict(os.environ, RB2RUN_TIMEOUT=str(seconds))
    process = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True)
    try:
        output, _ = process.communicate(timeout=seconds + _GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        return TIMED_OUT, output
    return process.returncode, output


def first_complaint(output):
    for line in output.splitlines():
        if line.strip() and not re.search("^rb2run: .*share .* usable CPU", line):
            return line.strip()[:160]
    return "no output"


def _verdict(run, code, output):
    crashed = code < 0 or code > 128
    if run.result in ("TestStatus", "TestErrFatal"):  # the program must end with an error
        if code == 0:
            return FAIL, "exit code 0, though the program must end with an error"
        if code == TIMED_OUT and not run.seconds:
            return FAIL, "no end within the time limit"
        return (FAIL, f"crashed with exit code {code}") if crashed else (PASS, "")
    if re.search("MULTIPLE not supported|(must return|requires) MPI_THREAD_MULTIPLE", output, re.IGNORECASE):
        return NOT_APPLICABLE, "not provided: MPI_THREAD_MULTIPLE"
    if code == TIMED_OUT:
        return FAIL, "no end within the time limit: " + first_complaint(output)
    if code != 0:
        return FAIL, f"exit code {code}: " + first_complaint(output)
    if not re.search(r"^\s*No [Ee]rrors\s*$", output, re.MULTILINE):
        return FAIL, "no line \"No Errors\": " + first_complaint(output)
    return PASS, ""


def available_gigabytes():
    with open("/proc/meminfo", encoding="ascii") as table:
        return next(int(line.split()[1]) for line in table if line.startswith("MemAvailable")) / 2**20


def command_line(run, executable, launcher, fabrics):
    """`fabrics`: "", "tcp", or "mixed": the second half of the ranks has tcp only, the first shared memory too."""
    first = (run.ranks + 1) // 2 if fabrics == "mixed" else run.ranks
    limit = ["-x", "RB2_FABRICS=tcp"]
    program = [executable, *run.arguments]
    command = [launcher, "-n", str(first), *(limit if fabrics == "tcp" else []), *program]
    return command if first == run.ranks else [*command, ":", "-n", str(run.ranks - first), *limit, *program]


def judge(run, executable, folder, launcher, seconds, fabrics=""):
    """(outcome, reason, output)"""
    if run.gigabytes * 1.5 > available_gigabytes():
        return SKIPPED, f"needs {run.gigabytes} GB of memory", ""
    code, output = execute(command_line(run, executable, launcher, fabrics), folder, seconds)
    return *_verdict(run, code, output), output
