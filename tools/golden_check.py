# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tools/golden_check.py: regenerates ten random golden files and compares them with the committed
# ones.
#
#     golden_check.py BUILD_DIR [SEED]   (with jax and numpy; `./dev golden --check`)
#     golden_check.py --names            checks that every golden file names an existing generator
#
# The first line of a text names its generator: "# made by make_x.py …". For the files of a folder,
# its index.txt does. make_x.py prints its text, or writes its folder into the current directory.
# x_test.cpp is one of the tests, run with WEFT_UPDATE_GOLDEN. Lines that begin with "# " contain
# versions and are not compared.
import os
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
GOLDEN = ROOT / "tests" / "golden"


def generator(path):
    """The file that makes a golden file."""
    named = path if path.parent == GOLDEN else path.parent / "index.txt"
    with open(named, encoding="utf-8") as f:
        words = f.readline().split()
    if words[:3] != ["#", "made", "by"] or len(words) < 4:
        sys.exit(f"{named.relative_to(ROOT)}: the first line must be '# made by GENERATOR …'")
    name = words[3].rstrip(",")
    found = [p for p in (ROOT / "tests").rglob(name)]
    if len(found) != 1:
        sys.exit(f"{named.relative_to(ROOT)}: there is no generator tests/**/{name}")
    return found[0]


def all_files():
    """Golden files by generator."""
    files = {}
    for path in sorted(GOLDEN.rglob("*")):
        if path.is_file() and path.suffix not in (".py", ".pyc"):
            files.setdefault(generator(path), []).append(path)
    return files


def pick(files, count):
    """So many files at random, each from a generator chosen at random."""
    left = {g: list(paths) for g, paths in files.items()}
    picked = []
    while left and len(picked) < count:
        g = random.choice(list(left))
        picked.append((left[g].pop(random.randrange(len(left[g]))), g))
        if not left[g]:
            del left[g]
    return picked


def make(maker, path, build, to):
    """Runs a generator so that it writes into the folder `to`."""
    if maker.suffix == ".cpp":
        binary = ROOT / build / "tests" / ("test_" + maker.relative_to(ROOT / "tests").parts[0])
        subprocess.run([binary, "[golden]"], check=True, stdout=subprocess.DEVNULL,
                       env=dict(os.environ, WEFT_UPDATE_GOLDEN=str(to)))
        return
    target = to / path.name if path.parent == GOLDEN else to / "output"
    with open(target, "wb") as out:
        subprocess.run([sys.executable, maker], check=True, cwd=to, stdout=out)


def content(path):
    """What is compared."""
    data = path.read_bytes()
    if path.suffix != ".txt":
        return data
    return [line for line in data.split(b"\n") if not line.startswith(b"# ")]


def main():
    files = all_files()
    if sys.argv[1:] == ["--names"]:
        print(f"{sum(map(len, files.values()))} golden files of {len(files)} generators")
        return 0
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(10**6)
    random.seed(seed)
    print(f"seed {seed}")
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        to, made = pathlib.Path(folder), set()
        for path, maker in pick(files, 10):
            if maker not in made:
                make(maker, path, sys.argv[1], to)
                made.add(maker)
            same = content(to / path.relative_to(GOLDEN)) == content(path)
            bad += not same
            print(f"{'same' if same else 'DIFFERS':8} {path.relative_to(ROOT)}  ({maker.name})", flush=True)
    return 1 if bad else 0


sys.exit(main())
