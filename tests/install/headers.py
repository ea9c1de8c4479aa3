#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/install/headers.py: every header compiles by itself; public headers need no folder but
# include/. Arguments: compiler, source directory, include directory, then the library's folders.
import concurrent.futures
import os
import pathlib
import subprocess
import sys


def main():
    compiler, source, include = sys.argv[1:4]
    root = pathlib.Path(source)
    text = {str(h.relative_to(include)): h.read_text() for h in sorted(pathlib.Path(include).rglob("*.h"))}
    text |= {str(h.relative_to(root)): h.read_text() for f in sys.argv[4:] for h in sorted((root / f).rglob("*.h"))}
    # Headers of the compiler's emitters need LLVM's headers, which user programs need not have.
    others = {n for n, t in text.items() if "Eigen/" in t or "#include <llvm/" in t}
    others |= {n for n, t in text.items() if any(f'#include "{o}"' in t for o in others)}
    names = [n for n in text if n not in others]

    def compiles(name):
        folders = ["-I", include] + ([] if name.startswith("weft/") else ["-I", source])
        command = [compiler, "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", *folders, "-x", "c++", "-"]
        run = subprocess.run(command, input=f'#include "{name}"\n', capture_output=True, text=True, check=False)
        return run.returncode == 0 or print(f"{name} does not compile alone:\n{run.stderr}")

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        good = sum(bool(ok) for ok in pool.map(compiles, names))
    print(f"{good} of {len(names)} headers compile alone")
    return 0 if good == len(names) else 1


if __name__ == "__main__":
    sys.exit(main())
