#!/usr/bin/env python3
"""Every command of an installation has a manual page that names it, shows well, and tells exactly the options that the
command's --help tells. Arguments: directory of the commands, directory of the pages."""

import pathlib
import re
import shutil
import subprocess
import sys

# Their options are the compiler's.
COMPILERS = {"rb2cc", "rb2c++"}
OPTION = r"(?<![\w-])--[a-z][a-z-]*"


def page_of(command, pages):
    """The page's file, behind an alias (".so man1/OTHER.1"); None where there is none."""
    page = pages / "man1" / f"{command}.1"
    while page.is_file() and (alias := re.match(r"\.so (\S+)", page.read_text())):
        page = pages / alias[1]
    return page if page.is_file() else None


def options_told_by(command):
    """Those at the beginning of a line of its help, for which the lines of an option's description are indented more."""
    help = subprocess.run([command, "--help"], capture_output=True, text=True, timeout=60)
    if help.returncode != 0:
        sys.exit(f"{command} --help fails: {help.stderr}")
    return set(re.findall(OPTION, "\n".join(re.findall(r"^ {1,4}(-\S+)", help.stdout, re.MULTILINE))))


def options_on(page):
    """The long ones that begin an entry of a list; " Ta " is in the row of a table."""
    entries = re.findall(r"^\.It .*\bFl\b.*", page.read_text(), re.MULTILINE)
    return {"-" + name for entry in entries if " Ta " not in entry for name in re.findall(r"(?<!\S)-[a-z][a-z-]+", entry)}


def complaints(commands, pages):
    told_by = {}
    for command in commands:
        page = page_of(command.name, pages)
        if page is None:
            yield f"no page for '{command.name}'"
            continue
        if command.name not in page.read_text().split("DESCRIPTION")[0]:
            yield f"{page.name} does not name '{command.name}'"
        if command.name not in COMPILERS:
            told_by.setdefault(page, set()).update(options_told_by(command))
    for page, told in told_by.items():
        for option in sorted(told - options_on(page) - {"--help", "--version"}):
            yield f"{page.name} does not tell {option}"
        for option in sorted(options_on(page) - told):
            yield f"{page.name} tells {option}, which no command has"
    if shutil.which("mandoc"):
        for page in sorted(pages.glob("man*/*")):
            lint = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", page.relative_to(pages)], cwd=pages,
                                  capture_output=True, text=True)
            yield from (line for line in lint.stdout.splitlines() if ".so is fragile" not in line)


def main():
    bin_directory, pages = map(pathlib.Path, sys.argv[1:])
    found = list(complaints(sorted(file for file in bin_directory.iterdir() if file.is_file()), pages))
    print("\n".join(found) or "all commands have their pages")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
