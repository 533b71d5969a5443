"""Every function that mpi_functions.h declares is exported as MPI_X, weak, and as PMPI_X, and no other is.
Arguments: the header, the library."""

import re
import subprocess
import sys


def declared(header):
    with open(header, encoding="utf-8") as file:
        return set(re.findall(r"^RB2_MPI_FUNCTION\([^,]+, (\w+),", file.read(), re.MULTILINE))


def exported(library):
    table = subprocess.run(["nm", "-D", "--defined-only", library], check=True, stdout=subprocess.PIPE, text=True)
    return dict(reversed(line.split()[1:3]) for line in table.stdout.splitlines() if len(line.split()) == 3)


def main():
    functions, symbols = declared(sys.argv[1]), exported(sys.argv[2])
    faults = [f"PMPI_{name} is not exported" for name in functions if symbols.get("PMPI_" + name) != "T"]
    faults += [f"MPI_{name} is not exported, or not weak" for name in functions if symbols.get("MPI_" + name) != "W"]
    faults += [f"{symbol} is exported, but not declared" for symbol in symbols
               if re.match("P?MPI_", symbol) and re.sub("^P?MPI_", "", symbol) not in functions]
    if len(functions) < 100:
        faults.append(f"only {len(functions)} functions found in {sys.argv[1]}")
    print("\n".join(sorted(faults)) or f"{len(functions)} functions, all exported under both names")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
