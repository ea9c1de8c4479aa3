#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/install/exports.py: libweft exports symbols of namespace weft and no others. Argument: the
# library.
import re
import subprocess
import sys

# Functions, operators, vtables, typeinfo, thunks, statics inside functions, guards, thread-locals.
OURS = re.compile(r"^_Z(Z|GVZ?|GR|T[IVSTCHW]|T[hv]n?\d+_(n?\d+_)?)?N[KRO]*4weft|^_ZNKSt4hashIN4weft")


def main():
    command = ["nm", "--dynamic", "--defined-only", "--format=posix", sys.argv[1]]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    # Lower-case types are local: they are listed, but cannot be linked to (u, v, w and i are
    # visible).
    visible = [line for line in lines if line.split()[1].isupper() or line.split()[1] in "uvwi"]
    foreign = [line for line in visible if not OURS.match(line)]
    print("\n".join(foreign[:20]))
    print(f"{len(lines)} symbols, {len(foreign)} of them not of namespace weft")
    return 1 if foreign or not lines else 0


if __name__ == "__main__":
    sys.exit(main())
