#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/tools/suites.py: a conformance suite fails exactly in the cases that tests/known lists.
# Arguments: the command, the folder of the suite, the file of known failures, further options of
# the command.
import pathlib
import subprocess
import sys

SKIPPED = 77


def main():
    weft, folder, known, *options = sys.argv[1:]
    if not pathlib.Path(folder).is_dir():
        print(f"skipped: the suite is not beside this checkout (looked for {folder})")
        return SKIPPED
    command = [weft, "conformance", folder, "--known", known, *options]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    print("\n".join(line for line in run.stdout.splitlines() if not line.startswith("known ")))
    print(run.stderr, end="")
    passing = [line for line in run.stdout.splitlines() if line.startswith("passes ")]
    if passing:
        print(f"{known} lists cases that pass; take them out")
    return 1 if run.returncode or passing else 0


if __name__ == "__main__":
    sys.exit(main())
