#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tools/reference/examples.py: the examples in comments of the public headers as one test file: `examples.py FILE`.
# An example is what a comment sets off by four blanks; a line `EXPRESSION  // TEXT` must print TEXT.
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import headers  # noqa: E402

HEAD = """// Made by tools/reference/examples.py from comments of the headers.
#include "weft/tests/catch.h"
#include "weft/tests/reference/shown.h"
#include "weft/weft.h"
using namespace weft;
using weft::testing::shown;
"""
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


def main():
    out = [HEAD]
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
