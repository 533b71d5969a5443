"""Every function that the C headers declare is exported as MPI_X, weak, so that a profiling tool can define it, and
as PMPI_X, and no other is.
Arguments: the library, the headers."""

import re
import subprocess
import sys


def declared(headers):
    names = set()
    for header in headers:
        with open(header, encoding="utf-8") as file:
            names.update(re.findall(r"^RB2_MPI_FUNCTION\([^,]+, (\w+),", file.read(), re.MULTILINE))
    return names


def exported(library):
    table = subprocess.run(["nm", "-D", "--defined-only", library], check=True, stdout=subprocess.PIPE, text=True)
    return dict(reversed(line.split()[1:3]) for line in table.stdout.splitlines() if len(line.split()) == 3)


def main():
    functions, symbols = declared(sys.argv[2:]), exported(sys.argv[1])
    faults = [f"PMPI_{name} is not exported" for name in functions if symbols.get("PMPI_" + name) not in ("T", "W")]
    faults += [f"MPI_{name} is not exported, or not weak" for name in functions if symbols.get("MPI_" + name) != "W"]
    faults += [f"{symbol} is exported, but not declared" for symbol in symbols
               if re.match("P?MPI_", symbol) and re.sub("^P?MPI_", "", symbol) not in functions]
    if len(functions) < 400:
        faults.append(f"only {len(functions)} functions found in the headers")
    print("\n".join(sorted(faults)) or f"{len(functions)} functions, all exported under both names")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
