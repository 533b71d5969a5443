"""What MPICH's test suite asks for: the programs of a directory, how each is built, and with which ranks and arguments
it is run. Read from the suite's own Makefile.am and testlist files."""

import dataclasses
import pathlib
import re

DIRECTORIES = ["pt2pt", "datatype", "comm", "group", "attr", "errhan", "coll", "threads/pt2pt", "init"]

# Programs that the suite runs from lists made at its configure time: one line each, in the testlist's form.
_DTP = "arg=-type=MPI_INT arg=-sendcnt=512 arg=-recvcnt=512 arg=-seed=1 arg=-testsize=16"
MADE_AT_CONFIGURE_TIME = {
    "pt2pt": [f"pingping 2 {_DTP}", f"pingping_barrier 2 {_DTP}", f"sendrecv1 2 {_DTP}"],
    "coll": ["bcast 4 arg=-type=MPI_INT arg=-count=512 arg=-evenmemtype=host arg=-oddmemtype=host arg=-seed=1"
             " arg=-testsize=16"],
    "attr": ["fkeyvaltype 1 arg=-type=MPI_INT arg=-count=1 arg=-seed=1 arg=-testsize=16"],
}

# Programs that take long when their ranks do not run at the same time: run alone.
ALONE = {"sendflood", "ctxalloc", "ctxsplit", "multisend4", "threads", "nonblocking3_corrected"}

# Fewer rounds than the 100,000 of the suite, which look for communicators that nobody gives back.
_SHORTER = {"ctxsplit": ("--loopcount", "5000")}

# Programs that are right with MPICH's handles only: run once more with the first text of each pair replaced by the
# second, under a name of their own, so that the rest of what they test is tested.
_TYPES_IN_INTS = [("int *sendtypes", "MPI_Datatype *sendtypes"), ("int *recvtypes", "MPI_Datatype *recvtypes")]
_REQUEST_FOR_MESSAGE = [("*message != MPI_REQUEST_NULL", "*message != MPI_MESSAGE_NULL")]
CORRECTED = {
    "nonblocking2": _TYPES_IN_INTS,
    "nonblocking3": _TYPES_IN_INTS,
    "mt_improbe_isendrecv": _REQUEST_FOR_MESSAGE,
    "mt_improbe_sendrecv": _REQUEST_FOR_MESSAGE,
}
_CORRECTED = "_corrected"

# The suite of 2022 uses names that the ABI of MPI 5.0 has under another one, or left to Fortran.
RENAMED = [
    "-DMPI_Fint=int",
    "-DMPI_Message_c2f=MPI_Message_toint", "-DMPI_Message_f2c=MPI_Message_fromint",
    *(f"-DMPIX_Delete_error_{what}=MPI_Remove_error_{what}" for what in ("class", "code", "string")),
    "-DPMPI_Message_c2f=PMPI_Message_toint", "-DPMPI_Message_f2c=PMPI_Message_fromint",
]
RENAMED_IN_DTPOOLS = ["-DMPI_Type_hvector=MPI_Type_create_hvector", "-DMPI_Type_hindexed=MPI_Type_create_hindexed"]


@dataclasses.dataclass(frozen=True)
class Run:
    """One line of a testlist."""

    program: str
    ranks: int
    arguments: tuple = ()
    result: str = ""  # how to judge it, when not by "No Errors"
    seconds: int = 0  # the suite's own limit; 0: none
    gigabytes: float = 0.0

    @property
    def name(self):
        return " ".join([self.program, str(self.ranks), *self.arguments])


@dataclasses.dataclass
class Program:
    name: str
    sources: list
    defines: list
    corrections: list = ()  # pairs: text in a source, and what replaces it


def parse_line(line):
    """A Run, or None for a comment, a line that configure leaves out by default, and a repetition of another line
    that differs in MPICH's own settings only."""
    words = line.split("#")[0].split()
    if len(words) < 2 or "@" in words[0] or any(word.startswith("env=MPIR_CVAR") for word in words):
        return None
    options = {}
    arguments = []
    for word in words[2:]:
        key, _, value = word.partition("=")
        if key == "arg":
            arguments.append(value)
        else:
            options[key] = value
    arguments.extend(_SHORTER.get(words[0], ()))
    return Run(words[0], int(words[1]), tuple(arguments), options.get("resultTest", ""),
               int(options.get("timeLimit", 0)), float(options.get("mem", 0)))


def runs(tests, directory):
    """The runs of a directory, each once, in the suite's order."""
    folder = tests / directory
    testlist = folder / "testlist"
    text = (testlist if testlist.exists() else folder / "testlist.in").read_text()
    lines = text.splitlines() + MADE_AT_CONFIGURE_TIME.get(directory, [])
    found = [run for run in map(parse_line, lines) if run]
    found += [dataclasses.replace(run, program=run.program + _CORRECTED) for run in found if run.program in CORRECTED]
    return list(dict.fromkeys(found))


def _makefile_variables(path):
    text = re.sub(r"\\\n", " ", path.read_text())
    return dict(re.findall(r"^(\w+)\s*\+?=\s*(.*)$", text, re.MULTILINE))


def programs(tests, directory, names):
    """How each of `names` is built."""
    folder = tests / directory
    variables = _makefile_variables(folder / "Makefile.am")
    found = {}
    for full_name in names:
        name = full_name.removesuffix(_CORRECTED)
        sources = variables.get(name + "_SOURCES", name + ".c").split()
        flags = variables.get(name + "_CPPFLAGS", "").split()
        if "LDADDDATA" in variables.get(name + "_LDADD", ""):
            sources.append("../util/dtypes.c")
        found[full_name] = Program(full_name, [folder / source for source in sources if source.endswith(".c")],
                                   [flag for flag in flags if flag.startswith("-D")],
                                   CORRECTED[name] if name != full_name else ())
    return found


def helpers(tests, threads):
    """Sources that every program is linked with, and flags of their own."""
    util = tests / "util"
    package = util / ("mtest_thread.c" if threads else "mtest_single.c")
    sources = [(path, []) for path in (util / "mtest.c", util / "mtest_common.c", package)]
    sources += [(path, RENAMED_IN_DTPOOLS) for path in sorted((tests / "dtpools" / "src").glob("*.c"))]
    return sources


def include_flags(tests, configuration):
    folders = [configuration, tests / "include", tests / "dtpools" / "include"]
    return [f"-I{pathlib.Path(folder)}" for folder in folders]


def write_configuration(folder, threads):
    """The two headers that configure would make, with what the programs look at."""
    folder.mkdir(parents=True, exist_ok=True)
    package = "THREAD_PACKAGE_POSIX" if threads else "THREAD_PACKAGE_NONE"
    (folder / "mpitestconf.h").write_text(f"#define THREAD_PACKAGE_NAME {package}\n#define HAVE_STDARG_H 1\n"
                                          "#define HAVE_MPI_INTEGER16 1\n"
                                          "#define USE_STRICT_MPI 1\n")  # the standard, without MPICH's extensions
    (folder.parent / "dtpoolsconf.h").write_text("")  # included as "../dtpoolsconf.h"
