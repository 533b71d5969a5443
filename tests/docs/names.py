#!/usr/bin/env python3
"""What the documentation names is there, and what there is to set is documented: files and folders in `backquotes`, links,
variables RB2_... and RB2RUN_..., and the tests of known-troubles.md. Argument: the root of the tree."""

import pathlib
import re
import sys

CODE = {".cc", ".hpp", ".inl", ".c", ".h", ".in"}
VARIABLE = r"\bRB2(?:RUN)?_[A-Z0-9_]*[A-Z0-9]\b"
# Paths of an installation or of a build, file endings, and what rb2 takes as a list.
NOT_IN_TREE = re.compile(r"/.*|~.*|lib/.*|bin/.*|\.\w+|eth0,.*")


def tree(root):
    """All files, relative, without those that are built or git's, or made for the test of this one."""
    for path in root.rglob("*"):
        name = path.relative_to(root)
        if path.is_file() and name.parts[0] not in ("build", ".git") and "untrue" not in name.parts:
            yield name


def places(files):
    """Every way to name a file or folder: from the root or from any folder on its way, whole or without the ending."""
    for file in files:
        for path in (file, file.with_suffix(""), *file.parents):
            for start in range(len(path.parts)):
                yield "/".join(path.parts[start:])


def named_files(text):
    for name in re.findall(r"`([\w./+*{},-]+)`", text):
        if ("/" in name or re.search(r"\.(cc|hpp|inl|h|c|cmake|sh|py|pml|md|txt)$", name)) and not NOT_IN_TREE.fullmatch(name):
            yield from expanded(name.removeprefix("../").rstrip("/"))


def expanded(name):
    """a/{b,c} names two; a pattern names what its folder has."""
    if brace := re.search(r"\{([^}]*)\}", name):
        for word in brace[1].split(","):
            yield from expanded(name[: brace.start()] + word + name[brace.end() :])
    else:
        yield re.sub(r"/?[^/]*\*.*", "", name)


def missing_files(root, page, known):
    text = (root / page).read_text()
    for name in named_files(text):
        if name not in known:
            yield f"{page} names {name}, which is not there"
    for link in re.findall(r"\]\((?!https?:)([^)#\s]+)", text):
        if not (root / page.parent / link).exists():
            yield f"{page} links to {link}, which is not there"


def is_cmake_test(name, text):
    """Whether a CMakeLists.txt makes it: of a name made in a loop what varies is a word somewhere in the file."""
    words = set(re.findall(r"\w+", text))
    for made in re.findall(r"(?:add_test\(NAME|rb2_mp_test\(|rb2_refused\()\s*([\w.${}]+)", text):
        pattern = re.sub(r"\\\$\\\{\w+\\\}", r"([^.]+)", re.escape(made))
        if (found := re.fullmatch(pattern, name)) and words.issuperset(found.groups()):
            return True
    return False


def missing_tests(root, files):
    """Of those that the last column of known-troubles.md names."""
    tests = [(root / file).read_text() for file in files if file.suffix == ".cc" and file.parts[0] == "tests"]
    cases = {".".join(pair) for text in tests for pair in re.findall(r"TEST(?:_P|_F)?\(\s*(\w+),\s*(\w+)\)", text)}
    build = [(root / file).read_text() for file in files if file.name == "CMakeLists.txt" and file.parts[0] == "tests"]
    for page in (file for file in files if file.name == "known-troubles.md"):
        for row in re.findall(r"^\|.*\|(.*)\|$", (root / page).read_text(), re.M):
            for name in re.findall(r"`([\w.]+)`", row):
                if name not in cases and not any(is_cmake_test(name, text) for text in build):
                    yield f"{page} names {name}, which is no test"


def variables(root, files, pattern):
    return {name for file in files for name in re.findall(pattern, (root / file).read_text())}


def complaints(root):
    files = sorted(tree(root))
    known = {""} | set(places(files))
    for page in files:
        if page.suffix == ".md":
            yield from missing_files(root, page, known)
    yield from missing_tests(root, files)
    code = [file for file in files if file.suffix in CODE]
    build = [file for file in files if file.name == "CMakeLists.txt" or file.suffix == ".cmake"]
    pages = [file for file in files if file.suffix == ".md" or file.parts[:2] == ("docs", "man")]
    told = variables(root, pages, r"(?<!Dt )" + VARIABLE)
    for name in sorted(told - variables(root, code + build, VARIABLE)):
        yield f"the documentation tells of {name}, which nobody reads"
    read = variables(root, [file for file in code if file.parts[0] != "tests"], f'"({VARIABLE})"')
    for name in sorted(read - told):
        yield f"{name} is read and not documented"


def main():
    found = list(complaints(pathlib.Path(sys.argv[1]).resolve()))
    print("\n".join(found) or "all names are there")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
