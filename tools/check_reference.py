#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tools/check_reference.py: each public name has its own comment, each header that <weft/weft.h>
# reaches belongs to a page of docs/reference, and the pages match the comments. Code and formulas in
# comments are indented by four blanks.
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools" / "reference"))
import headers  # noqa: E402
import pages  # noqa: E402

FIELD = re.compile(r"^  (?!static|friend|using|bool operator)[\w:<>,&* ]+\s[\w, ={}.\"'-]+;")


def fields_without_comment(text):
    """Fields of an options struct that nothing is said of, neither above nor behind."""
    lines = text.splitlines()[1:]
    said = False
    for line in lines:
        code, comment = headers.code_of(line)
        if not code.strip():
            said = comment is not None
        elif FIELD.match(code + ("" if code.endswith(";") else " ")):
            if comment is None and not said:
                yield code.strip()
            said = False


# an alias of a name that has its comment where it is declared
USING = re.compile(r"using ([\w:]+::\w+);$")


def names_one_of(name, namespace, documented):
    """Whether a name that is written in a namespace is one of these full names, as C++ looks it up."""
    scopes = namespace.split("::")
    return any("::".join([*scopes[:n], name]) in documented for n in range(len(scopes) + 1))


INDENTED = re.compile(r"^\s*// {3,4}(?=\S)")  # the first blank belongs to every line


def badly_indented(text):
    """Lines of comments that the pages would show as prose: indented, but by less than four blanks."""
    in_item = False
    for i, line in enumerate(text.splitlines(), 1):
        if INDENTED.match(line):
            if not in_item:
                yield i
        else:
            in_item = re.match(r"\s*// - ", line) is not None


def faults():
    listed = pages.read_pages()
    shown = {f for _, _, files in listed for f in files}
    anywhere = {e.full_name for e in headers.read_all() if e.comment}
    for name in headers.public_headers():
        if name.startswith("weft/detail/"):  # declarations that no page shows
            continue
        for line in badly_indented((headers.INCLUDE_DIR / name).read_text(encoding="utf-8")):
            yield f"{name}:{line}: code in a comment is indented by four blanks"
        entries = headers.read_header(name)
        # overloads share the comment of the one that has it
        documented = {e.full_name for e in entries if e.comment}
        if entries and name not in shown:
            yield f"{name}:1: tools/reference/pages.txt names no page for it"
        for e in entries:
            using = USING.match(e.text)
            if headers.is_dtype(e):  # all of them are documented at the enum
                continue
            if using:
                if not names_one_of(using[1], e.namespace, anywhere):
                    yield f"{name}:{e.line}: `{e.text}` names nothing that has a comment"
                continue
            if e.what == "type" and e.name.endswith("Options"):
                for field in fields_without_comment(e.text):
                    yield f"{name}:{e.line}: {e.full_name}: nothing is said of `{field}`"
            elif e.full_name not in documented:
                yield f"{name}:{e.line}: {e.full_name} has no comment of its own"
    table, known = pages.read_peers(), {e.full_name for e in headers.read_all()}
    for ours in sorted(set(table) - known):
        yield f"tools/reference/peers.txt: there is no {ours}"


def main():
    found = list(faults())
    for fault in found:
        print(fault)
    page = subprocess.run([sys.executable, ROOT / "tools/reference/pages.py", "--check", ROOT / "docs"])
    sys.exit(bool(found) or page.returncode)


if __name__ == "__main__":
    main()
