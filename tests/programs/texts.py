#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/programs/texts.py: compiles the C++ texts of random programs. With a number, it also runs
# that many.
# Arguments: test_programs, compiler, include directory, library, [number].
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

HEAD = "#include <weft/weft.h>"


def failure(number, text, compiler, include, library):
    """What went wrong with one program, if anything did."""
    with tempfile.TemporaryDirectory() as folder:
        source, binary = pathlib.Path(folder, "program.cpp"), pathlib.Path(folder, "program")
        source.write_text(text, encoding="utf-8")
        command = [compiler, "-std=c++20", "-I", include, "-I", str(pathlib.Path(include).parent), str(source)]
        if number:
            command += [library, f"-Wl,-rpath,{pathlib.Path(library).parent}", "-o", str(binary)]
        else:
            command += ["-fsyntax-only"]
        made = subprocess.run(command, capture_output=True, text=True, check=False)
        if made.returncode:
            return f"does not compile: {made.stderr[:2000]}\n{text}"
        if number:
            ran = subprocess.run([str(binary)], capture_output=True, text=True, check=False, timeout=60)
            if ran.returncode or "compiled: " not in ran.stdout:
                return f"does not run: {ran.stderr[:2000]}\n{text}"
    return ""


def main():
    test, compiler, include, library = sys.argv[1:5]
    number = int(sys.argv[5]) if len(sys.argv) > 5 else 0
    environment = dict(os.environ, WEFT_PROGRAMS_TEXTS=str(number))
    shown = subprocess.run([test, "texts of random programs"], env=environment, capture_output=True, text=True,
                           check=True).stdout
    shown = shown[:shown.rindex("}\n") + 2]  # the end of the test's frame
    texts = [HEAD + t.rsplit("// program", 1)[0] for t in shown.split(HEAD)[1:]]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        failures = [f for f in pool.map(lambda t: failure(number, t, compiler, include, library), texts) if f]
    for f in failures:
        print(f)
    print(f"{len(texts) - len(failures)} of {len(texts)} programs compile{' and run' if number else ''}")
    return 1 if failures or not texts else 0


if __name__ == "__main__":
    sys.exit(main())
