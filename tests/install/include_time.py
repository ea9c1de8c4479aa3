#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/install/include_time.py: #include <weft/weft.h> costs at most LIMIT seconds of processor
# time, best of at most ten, on a machine that compiles standard headers as fast as the one the limit
# was set on; one that is slower or busier, just then, gets as much more. Arguments: compiler,
# include directory.
import os
import pathlib
import subprocess
import sys

LIMIT, SKIPPED = 0.56, 77  # the goal is 0.5 and 0.49 was measured; the rest is noise
STANDARD_HEADERS = ("array", "map", "optional", "span", "string", "tuple", "variant", "vector")
STANDARD_SECONDS = 0.27  # what those alone cost there


def user_seconds(command, source):
    before = os.times().children_user
    subprocess.run(command, input=source, text=True, check=True)
    return os.times().children_user - before


def main():
    compiler, include = sys.argv[1:3]
    if not (pathlib.Path(include) / "weft/weft.h").exists():
        print("skipped: there is no weft.h yet")
        return SKIPPED
    command = [compiler, "-std=c++20", "-fsyntax-only", "-I", include, "-x", "c++", "-"]
    standard = "".join(f"#include <{h}>\n" for h in STANDARD_HEADERS)
    for _ in range(10):
        cost = user_seconds(command, "#include <weft/weft.h>\n")
        pace = user_seconds(command, standard)
        limit = LIMIT * max(1, pace / STANDARD_SECONDS)
        print(f"#include <weft/weft.h>: {cost:.2f} s of {limit:.2f} s (standard headers {pace:.2f} s)")
        if cost <= limit:
            return 0
    return 1


if __name__ == "__main__":
    sys.exit(main())
