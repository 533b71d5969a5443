#!/usr/bin/env python3
"""Runs directories of MPICH's test suite against rb2 and compares the outcome with expected.tsv. See README.md."""

import argparse
import concurrent.futures
import pathlib
import sys
import time

import build
import expectations
import judge
import suite

SKIP_EXIT_CODE = 77  # ctest's SKIP_RETURN_CODE
_SECONDS = 180  # per program, unless the suite says more
_SECONDS_ALONE = 600
_SECONDS_OF_KNOWN_FAILURES = 5  # some of them hang


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directories", nargs="*", default=suite.DIRECTORIES, help="default: all")
    parser.add_argument("--source", type=pathlib.Path, required=True, help="where fetch_source.sh put the suite")
    parser.add_argument("--work", type=pathlib.Path, required=True, help="for what is built")
    parser.add_argument("--bin", type=pathlib.Path, required=True, help="with rb2cc and rb2run")
    parser.add_argument("--only", default="", help="programs whose name contains this")
    parser.add_argument("--fabrics", choices=["", "tcp", "mixed"], default="", help="over TCP, or half of the ranks")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--update", action="store_true", help="rewrite expected.tsv from this outcome")
    parser.add_argument("--verbose", action="store_true", help="show the output of what fails")
    return parser.parse_args()


def time_limit(run, known_failure):
    if run.result:  # the end is part of the test
        return run.seconds or _SECONDS
    if known_failure:
        return _SECONDS_OF_KNOWN_FAILURES
    return max(run.seconds, _SECONDS_ALONE if run.program in suite.ALONE else _SECONDS)


def run_directory(options, directory, expected):
    """{name: (outcome, reason)} of a directory's runs."""
    tests = options.source / "mpich" / "test" / "mpi"
    work = options.work / directory.replace("/", "_")
    builder = build.Builder(tests, work, options.bin / "rb2cc", threads=directory.startswith("threads"))
    wanted = [run for run in suite.runs(tests, directory) if options.only in run.program]
    programs = suite.programs(tests, directory, dict.fromkeys(run.program for run in wanted))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        built = dict(zip(programs, pool.map(builder.build, programs.values())))

        def one(run):
            executable, why_not = built[run.program]
            if executable is None:
                return judge.NOT_APPLICABLE, why_not, ""
            seconds = time_limit(run, expectations.is_known_failure(expected, f"{directory}/{run.name}"))
            return judge.judge(run, executable, tests / directory, options.bin / "rb2run", seconds, options.fabrics)

        # Those that are run alone come last.
        order = sorted(wanted, key=lambda run: run.program in suite.ALONE)
        together = [run for run in order if run.program not in suite.ALONE]
        outcomes = list(pool.map(one, together)) + [one(run) for run in order[len(together):]]
    results = {f"{directory}/{run.name}": outcome for run, outcome in zip(order, outcomes)}
    if options.verbose:
        for name, (outcome, _, output) in results.items():
            if outcome == judge.FAIL:
                print(f"--- {name}\n{output}")
    return {name: (outcome, reason) for name, (outcome, reason, _) in results.items()}


def main():
    options = parse_arguments()
    for name in ("source", "work", "bin"):
        setattr(options, name, getattr(options, name).resolve())
    if not (options.source / "mpich" / ".complete").exists():
        note = options.source / "mpich.unavailable"
        print("SKIPPED: no source of MPICH's tests:", note.read_text().strip() if note.exists() else "run fetch_source.sh")
        return SKIP_EXIT_CODE
    expected = expectations.load()
    good = True
    for directory in options.directories:
        begin = time.monotonic()
        results = run_directory(options, directory, expected)
        if options.update:
            expected = expectations.updated(expected, directory, results, everything=not options.only)
            expectations.save(expected)
        good &= expectations.report(directory, results, expected, everything=not options.only and not options.fabrics)
        print(f"{directory}: {time.monotonic() - begin:.0f} s", flush=True)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
