#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tools/check_paths.py: pages of docs name files that exist. Every `path` in backquotes that begins
# with a folder of the tree, every `file.cpp` without a folder, and every link between pages must lead
# to a file or folder. A path with one of the words of ANY stands for several files. Lines of pages
# have up to 100 columns, except for tables, code and links. The index of the decisions lists each
# record with its title.
import fnmatch
import pathlib
import re
import sys

from check_sizes import listed

ROOT = pathlib.Path(__file__).resolve().parent.parent
COLUMNS = 100
# Pages that are made from the comments of headers, and the history of names.
SKIPPED = ("docs/reference/", "CHANGELOG.md")
BUILT = ("build/",)  # outputs, which the repository does not have
PATH = re.compile(r"`[\"<]?([\w.*/-]+/[\w.*/-]*)[\">]?`")
FILE = re.compile(r"`([\w.]+\.(?:h|cpp|cu|py|sh|cmake))`")
FOREIGN = {"cuda.h"}  # files of others that pages name
ANY = re.compile(r"NAME|FOLDER|NN|PRESET")
LINK = re.compile(r"\]\(([^)#\s]*)(?:#[^)]*)?\)")


def prose(text):
    """(line number, line) of the lines outside code blocks."""
    code = False
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(r"\s*```", line):
            code = not code
        elif not code:
            yield number, line


def exists(name, files, folders):
    name = name.rstrip("/")
    if "*" in name:
        return any(fnmatch.fnmatch(f, name) for f in files)
    # docs/decisions/0013 stands for the record with that number; core/op for both of its files
    return name in folders or name in files or any(f.startswith((name + "-", name + ".")) for f in files)


def faults(page, files, folders, tops):
    for number, line in prose((ROOT / page).read_text()):
        for name in PATH.findall(line):
            path = f"include/{name}" if name.startswith("weft/") else name
            if path.split("/")[0] not in tops or path.startswith(BUILT) or ANY.search(path):
                continue
            if not exists(path, files, folders):
                yield f"{page}:{number}: there is no {name}"
        for name in FILE.findall(line):
            if name not in FOREIGN and not ANY.search(name) and not any(f.endswith(name) for f in files):
                yield f"{page}:{number}: there is no {name}"
        for target in LINK.findall(line):
            if target and "://" not in target and not (ROOT / page).parent.joinpath(target).exists():
                yield f"{page}:{number}: there is no {target} beside the page"
        shown = LINK.sub("]()", line)
        if len(shown) > COLUMNS and len(shown.split()) > 1 and not line.lstrip().startswith("|"):
            yield f"{page}:{number}: {len(shown)} columns; at most {COLUMNS}"


def unlisted():
    folder = ROOT / "docs/decisions"
    index = (folder / "README.md").read_text()
    for record in sorted(folder.glob("0*.md")):
        number, title = record.read_text().splitlines()[0].removeprefix("# ").split(": ", 1)
        row = f"| [{number}]({record.name}) | {title} |"
        if row not in index:
            yield f"docs/decisions/README.md: the index lacks the line {row}"


def main():
    files = set(listed())
    folders = {str(parent) for f in files for parent in pathlib.PurePosixPath(f).parents}
    tops = {f.split("/")[0] for f in files if "/" in f}
    found = [fault for page in sorted(files) if page.endswith(".md") and not page.startswith(SKIPPED)
             for fault in faults(page, files, folders, tops)]
    found += unlisted()
    print("\n".join(found) if found else "paths: the pages name files that exist")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
