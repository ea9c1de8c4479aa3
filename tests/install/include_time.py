#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/install/include_time.py: #include <weft/weft.h> costs at most LIMIT seconds of processor
# time, best of three. Arguments: compiler, include directory.
import os
import pathlib
import subprocess
import sys

LIMIT, SKIPPED = 0.6, 77


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
    best = min(user_seconds(command, "#include <weft/weft.h>\n") for _ in range(3))
    print(f"#include <weft/weft.h>: {best:.2f} s of {LIMIT} s")
    return 0 if best <= LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
