#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tools/reference/examples.py: writes the examples in comments of the public headers, and the code
# of PAGES, as one test file: `examples.py FILE`. An example is a part of a comment that is indented
# by four blanks, or all code blocks of a page. A line `EXPRESSION  // TEXT` must print TEXT.
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import headers  # noqa: E402

HEAD = """// Made by tools/reference/examples.py from comments of the headers.
#include "tests/support/catch.h"
#include "tests/support/shown.h"
#include "weft/weft.h"
using namespace weft;
using weft::testing::shown;
"""
PAGES = ["docs/coming_from_torch.md"]
BLOCK = re.compile(r"^```cpp\n(.*?)^```", re.M | re.S)
SHOWN = re.compile(r"^(.*\S)\s+// (.+)$")


def example_lines(lines):
    """The example as C++: what says what it prints is compared with it."""
    for line in lines:
        match = SHOWN.match(line)
        if not match:
            yield line
        elif "=" in match[1].split("(")[0].replace("==", "") and match[1].endswith(";"):
            name = re.search(r"(\w+)\s*=", match[1])[1]
            yield match[1]
            yield f'CHECK(shown({name}) == R"_({match[2]})_");'
        else:
            yield f'CHECK(shown({match[1].rstrip(";")}) == R"_({match[2]})_");'


def page_lines(name):
    """The blocks of a page in their order, but those that include."""
    for block in BLOCK.findall((headers.ROOT / name).read_text(encoding="utf-8")):
        if not block.startswith("#include"):
            yield from block.splitlines()


def main():
    out = [HEAD]
    for name in PAGES:
        out.append(f'TEST_CASE("the code of {name}", "[reference]") {{')
        out += [f"  {line}" for line in example_lines(page_lines(name))]
        out.append("}\n")
    for e in headers.read_all():
        lines = headers.examples_of(e)
        if not lines:
            continue
        out.append(f'TEST_CASE("the example of {e.full_name}, {e.file}:{e.line}", "[reference]") {{')
        out += [f"  {line}" for line in example_lines(lines)]
        out.append("}\n")
    text = "\n".join(out)
    file = pathlib.Path(sys.argv[1])
    if not file.exists() or file.read_text() != text:
        file.write_text(text)


if __name__ == "__main__":
    main()
