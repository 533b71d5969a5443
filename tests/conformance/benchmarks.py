#!/usr/bin/env python3
"""Builds NetPIPE and the HPC Challenge from Debian's source packages, unchanged, runs them and checks their results."""

import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys

import build
import expectations
import judge
from run import SKIP_EXIT_CODE

# Sizes up to -u; a fixed number of messages for each, or a busy machine makes NetPIPE send many more.
NETPIPE_OPTIONS = {
    "integrity": ["-i", "-u", "100000", "-n", "20"],
    "integrity, receives posted early, any source": ["-i", "-a", "-z", "-u", "100000", "-n", "20"],
    "synchronous": ["-S", "-u", "10000", "-n", "50"],
}
# Names of MPI 1 that the standard has dropped.
HPCC_RENAMED = ["-DMPI_Address=MPI_Get_address", "-DMPI_Type_struct=MPI_Type_create_struct"]
HPCC_SECONDS = 240
HPCC_RANKS = 4


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=["netpipe", "hpcc"])
    parser.add_argument("--source", type=pathlib.Path, required=True, help="where fetch_source.sh put the packages")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="for what is built")
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="with rb2cc and rb2run")
    parser.add_argument("--update", action="store_true", help="rewrite expected.tsv from this outcome")
    return parser.parse_args()


def compile_and_link(options, sources, flags, libraries, target):
    """"", or why it cannot be built."""
    compiler = options.bin / "rb2cc"

    def compile_one(source):
        output = options.work / (re.sub(r"\W", "_", str(source.relative_to(options.source))) + ".o")
        done = subprocess.run([compiler, "-O1", "-w", *flags, "-c", source, "-o", output], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        return output, build.reason(done.stdout) if done.returncode else ""

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        compiled = list(pool.map(compile_one, sources))
    why_not = next((why for _, why in compiled if why), "")
    if why_not:
        return why_not
    done = subprocess.run([compiler, *(output for output, _ in compiled), *libraries, "-o", target],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return build.reason(done.stdout) if done.returncode else ""


def run_netpipe(options):
    source = options.source / "netpipe" / "src"
    program = options.work / "NPmpi"
    why_not = compile_and_link(options, [source / "netpipe.c", source / "mpi.c"], ["-DMPI"], [], program)
    if why_not:
        return {"benchmarks/netpipe": (judge.NOT_APPLICABLE, why_not)}
    return {f"benchmarks/netpipe {name}": netpipe_outcome(options, program, arguments)
            for name, arguments in NETPIPE_OPTIONS.items()}


def netpipe_outcome(options, program, arguments):
    table = options.work / "np.out"
    table.unlink(missing_ok=True)
    code, output = judge.execute([options.bin / "rb2run", "-n", "2", program, "-o", table, *arguments], options.work, 120)
    if code != 0 or "Integrity check failed" in output:
        return judge.FAIL, f"exit code {code}: " + judge.first_complaint(output)
    if "-i" in arguments:
        good = "Integrity check passed" in output or "Doing an integrity check" in output
        return (judge.PASS, "") if good else (judge.FAIL, "no integrity check was made")
    rows = [[float(number) for number in line.split()] for line in table.read_text().splitlines()]
    good = len(rows) > 10 and all(size > 0 and rate > 0 and seconds > 0 for size, rate, seconds in rows)
    return (judge.PASS, "") if good else (judge.FAIL, f"{len(rows)} rows, or figures that are not positive")


def hpcc_sources(source):
    """What HPCC's own makefile links."""
    folder = source / "hpl" / "lib" / "arch" / "build"
    objects = re.findall(r"^OBJS\d+ = (.*)$", (folder / "Makefile.hpcc").read_text(), re.MULTILINE)
    return [(folder / name).resolve().with_suffix(".c") for line in objects for name in line.split()]


def hpcc_input(source):
    """The example input with small problems."""
    lines = (source / "_hpccinf.txt").read_text().splitlines()
    changed = {"Ns": "128", "NBs": "32"}
    return "".join(re.sub(r"^\S+(?=\s+(\w+)$)", lambda value: changed.get(value[1], value[0]), line) + "\n"
                   for line in lines)


def run_hpcc(options):
    source = options.source / "hpcc"
    program = options.work / "hpcc-program"
    flags = ["-DAdd_", "-DF77_INTEGER=int", "-DStringSunStyle", f"-I{source}/include", f"-I{source}/hpl/include",
             *HPCC_RENAMED]
    why_not = compile_and_link(options, hpcc_sources(source), flags, ["-lblas", "-lm"], program)
    if "-lblas" in why_not:
        return {"benchmarks/hpcc": (judge.SKIPPED, "this machine has no libblas")}
    if why_not:
        return {"benchmarks/hpcc": (judge.NOT_APPLICABLE, why_not)}
    folder = options.work / "hpcc-run"
    folder.mkdir(exist_ok=True)
    report = folder / "hpccoutf.txt"
    report.unlink(missing_ok=True)
    (folder / "hpccinf.txt").write_text(hpcc_input(source))
    command = [options.bin / "rb2run", "-n", str(HPCC_RANKS), program]
    code, output = judge.execute(command, folder, HPCC_SECONDS)
    return {"benchmarks/hpcc": hpcc_verdict(code, output, report)}


def hpcc_verdict(code, output, report):
    if code != 0 or not report.exists():
        return judge.FAIL, f"exit code {code}: " + judge.first_complaint(output)
    text = report.read_text(errors="replace")
    if "Success=1" not in text:
        return judge.FAIL, "the report does not say Success=1"
    wrong = re.findall(r"^.*\b(FAILED|Failed)\b.*$", text, re.MULTILINE)
    residual = re.search(r"1 tests completed and passed residual checks", text)
    if not residual:
        return judge.FAIL, "HPL's residual check did not pass"
    return (judge.FAIL, f"{len(wrong)} lines of the report say failed") if wrong else (judge.PASS, "")


def main():
    options = parse_arguments()
    for name in ("source", "work", "bin"):
        setattr(options, name, getattr(options, name).resolve())
    if not (options.source / options.name / ".complete").exists():
        note = options.source / f"{options.name}.unavailable"
        print(f"SKIPPED: no source of {options.name}:", note.read_text().strip() if note.exists() else "not fetched")
        return SKIP_EXIT_CODE
    options.work = options.work / options.name
    options.work.mkdir(parents=True, exist_ok=True)
    results = {"netpipe": run_netpipe, "hpcc": run_hpcc}[options.name](options)
    expected = expectations.load()
    if options.update:
        expected = expectations.updated(expected, "benchmarks", results, everything=False)
        expectations.save(expected)
    return 0 if expectations.report("benchmarks", results, expected, everything=False) else 1


if __name__ == "__main__":
    sys.exit(main())
