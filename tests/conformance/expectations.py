"""expected.tsv: the runs that do not pass, one a line: name, outcome (fail or n/a), reason. All others must pass."""

import collections
import pathlib

import judge

_FILE = pathlib.Path(__file__).parent / "expected.tsv"
_UNEXPLAINED = "UNEXPLAINED: "


def load():
    """{name: (outcome, reason)}"""
    rows = (line.split("\t") for line in _FILE.read_text().splitlines() if line and not line.startswith("#"))
    return {name: (outcome, reason) for name, outcome, reason in rows}


def save(expected):
    head = [line for line in _FILE.read_text().splitlines() if line.startswith("#")]
    rows = ["\t".join((name, *expected[name])) for name in sorted(expected)]
    _FILE.write_text("\n".join(head + rows) + "\n")


def is_known_failure(expected, name):
    outcome, reason = expected.get(name, (judge.PASS, ""))
    return outcome == judge.FAIL and not reason.startswith(_UNEXPLAINED)


def belongs(name, directory):
    return name.split(" ")[0].rpartition("/")[0] == directory


def updated(expected, directory, results, everything):
    """The expectations, with a directory's as these results have them. Reasons given for known failures stay."""
    new = {name: row for name, row in expected.items()
           if not belongs(name, directory) or (name not in results and not everything)
           or results.get(name, ("",))[0] == judge.SKIPPED}
    for name, (outcome, reason) in results.items():
        if outcome == judge.FAIL:
            known = expected.get(name)
            new[name] = known if known and known[0] == judge.FAIL else (outcome, _UNEXPLAINED + reason)
        elif outcome == judge.NOT_APPLICABLE:
            new[name] = (outcome, reason)
    return new


def _surprises(directory, results, expected, everything):
    for name, (outcome, reason) in results.items():
        wanted, why = expected.get(name, (judge.PASS, ""))
        if outcome not in (wanted, judge.SKIPPED):
            yield f"{name}: expected {wanted}, got {outcome}" + (f": {reason}" if reason else "")
        elif why.startswith(_UNEXPLAINED):
            yield f"{name}: expected.tsv does not explain this failure"
    for name in expected:
        if everything and belongs(name, directory) and name not in results:
            yield f"{name}: in expected.tsv, but not in the suite"


def report(directory, results, expected, everything):
    """Prints what came out; True when all is as expected."""
    for name, (outcome, reason) in results.items():
        if outcome != judge.PASS:
            why = expected[name][1] if outcome == judge.FAIL and name in expected else reason
            print(f"{outcome:7} {name}: {why}")
    surprises = list(_surprises(directory, results, expected, everything))
    for surprise in surprises:
        print("NOT AS EXPECTED", surprise)
    count = collections.Counter(outcome for outcome, _ in results.values())
    applicable = count[judge.PASS] + count[judge.FAIL]
    share = f"{100 * count[judge.PASS] / applicable:.1f} % of the applicable" if applicable else "none applicable"
    print(f"{directory}: {count[judge.PASS]} passed ({share}), {count[judge.FAIL]} failed, "
          f"{count[judge.NOT_APPLICABLE]} not applicable, {count[judge.SKIPPED]} skipped")
    return not surprises
