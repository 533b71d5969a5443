"""Compiles and links the programs against the header and library under test."""

import re
import subprocess

import suite

_FLAGS = ["-O1", "-g1", "-w", "-ffunction-sections", "-fdata-sections"]
_LINK_FLAGS = ["-Wl,--gc-sections", "-lm", "-lpthread"]


class Builder:
    def __init__(self, tests, work, compiler, threads):
        self.compiler = compiler
        self.work = work
        configuration = work / "include"
        suite.write_configuration(configuration, threads)
        self.flags = _FLAGS + suite.include_flags(tests, configuration) + suite.RENAMED
        if threads:
            self.flags.append("-DMTEST_USE_THREAD")
        self.helpers = []
        for source, flags in suite.helpers(tests, threads):
            target = work / (source.stem + ".o")
            subprocess.run([compiler, *self.flags, *flags, "-c", source, "-o", target], check=True)
            self.helpers.append(target)

    def build(self, program):
        """(executable, "") or (None, why not)."""
        executable = self.work / program.name
        missing = [source.name for source in program.sources if not source.exists()]
        if missing:
            return None, "the suite has no " + ", ".join(missing)
        sources = [self.corrected(source, program) for source in program.sources]
        command = [self.compiler, *self.flags, *program.defines, f"-I{program.sources[0].parent}", *sources,
                   *self.helpers, *_LINK_FLAGS, "-o", executable]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        return (executable, "") if done.returncode == 0 else (None, reason(done.stdout))

    def corrected(self, source, program):
        """The source, or a copy of it with those of the program's corrections that concern it."""
        original = text = source.read_text() if program.corrections else ""
        for wrong, right in program.corrections:
            text = text.replace(wrong, right)
        if text == original:
            return source
        copy = self.work / f"{program.name}_{source.name}"
        copy.write_text(text)
        return copy


def reason(output):
    functions = sorted(set(re.findall(r"undefined reference to `(\w+)'", output)))
    if functions:
        return "not provided: " + ", ".join(functions)
    errors = re.findall(r"error: (.*)", output)
    return "does not compile: " + (errors[0] if errors else output.strip().splitlines()[-1])
