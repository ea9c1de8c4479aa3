#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tools/check_sizes.py: files have up to 800 lines, functions up to 80, folders up to 40 sources.
# Each file begins with the licence line and its purpose, and contains no to-do marks. Functions are
# found by their braces, which is good enough for our style.
import collections
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MAX_FILE, MAX_FUNCTION, MAX_FOLDER = 800, 80, 40
SUFFIXES = {".h", ".cpp", ".py", ".sh", ".cmake"}
LEFT = "TO" + "DO"
SCOPE = re.compile(r"\b(namespace|class|struct|union|enum|extern)\b[^()]*$")
LAMBDA = re.compile(r"\[[^\[\]]*\]\s*(<[^{}]*>)?\s*(\(.*\))?\s*(mutable|noexcept|constexpr|\s)*(->[^{}]*)?$", re.S)
HEAD = re.compile(r"\)\s*(const|noexcept|override|final|&|\s)*(->[^{}]*|:[^{}]*)?$", re.S)
CONTROL = re.compile(r"^\s*(\}\s*)?(else\s+)?(if|for|while|switch|catch)\b")


def blank(text):
    """The text with comments, strings and preprocessor lines blanked; line breaks stay."""
    pattern = re.compile(
        r'R"([^()\\ ]*)\(.*?\)\1"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])*\''
        r"|^[ \t]*#(?:\\\n|[^\n])*", re.S | re.M)
    return pattern.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text)


def functions(text):
    """(first line, number of lines) of every function and lambda."""
    stack, head, start = [], 0, 0
    line = 1
    code = blank(text)
    for i, c in enumerate(code):
        if c == "\n":
            line += 1
        elif c == "{":
            before = code[head:i]
            is_function = not SCOPE.search(before) and not CONTROL.match(before.strip()) and bool(
                LAMBDA.search(before) or HEAD.search(before))
            first = line - before.strip().count("\n")
            stack.append((first, is_function))
            head = i + 1
        elif c == "}":
            if stack:
                start, is_function = stack.pop()
                if is_function:
                    yield start, line - start + 1
            head = i + 1
        elif c == ";":
            head = i + 1


def check(path):
    text = path.read_text()
    lines = text.splitlines()
    if len(lines) > MAX_FILE:
        yield f"{path}:1: {len(lines)} lines; at most {MAX_FILE}"
    top = "\n".join(lines[:5])
    if "SPDX-License-Identifier: Apache-2.0" not in top or "Copyright The Weft authors" not in top:
        yield f"{path}:1: the licence line and 'Copyright The Weft authors' belong on top"
    if path.suffix in SUFFIXES and f" {path}: " not in top and f" {path} " not in top:
        yield f"{path}:1: the third line names the file and says what it is for"
    for number, line in enumerate(lines, 1):
        if LEFT in line:
            yield f"{path}:{number}: nothing is left to do: open an issue or do it"
    if path.suffix in (".h", ".cpp"):
        for first, count in functions(text):
            if count > MAX_FUNCTION:
                yield f"{path}:{first}: a function of {count} lines; at most {MAX_FUNCTION}"


def listed():
    """Names of what git knows or would add; without git, of every file outside build folders."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if found.returncode == 0:
        return found.stdout.splitlines()
    names = [str(path.relative_to(ROOT)) for path in ROOT.rglob("*") if path.is_file()]
    return [name for name in names if not name.startswith((".", "build"))]


def tracked():
    """The sources among the listed files."""
    for path in sorted(set(map(pathlib.Path, listed()))):
        if (path.suffix in SUFFIXES or path.name in ("dev", "CMakeLists.txt")) and (ROOT / path).is_file():
            yield path


def crowded(paths):
    folders = collections.Counter(path.parent for path in paths)
    for folder, count in sorted(folders.items()):
        if count > MAX_FOLDER:
            yield f"{folder}: {count} sources of its own; at most {MAX_FOLDER}"


def main():
    import os
    os.chdir(ROOT)
    paths = list(tracked())
    faults = [fault for path in paths for fault in check(path)] + list(crowded(paths))
    print("\n".join(faults) if faults else "sizes: every file, function and folder is small enough")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
