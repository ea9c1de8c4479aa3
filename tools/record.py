#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tools/record.py: records the compiled code of many programs, as hashes, and the bits of their
# results. Two such records show if a change of the compiler changed any kernel.
#   record.py WEFT PROGRAMS RECORD [REGEX]  writes RECORD (JSON). PROGRAMS is a folder with the
#                                           cases.json of a suite, or with NAME.mlir, NAME.npz and
#                                           NAME.apply. REGEX selects names.
#   record.py --compare BEFORE AFTER        prints the differences; exit status 1 if there are any
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zipfile

STAGES = ("optimized", "kernels", "asm", "ptx")
CPUS = ("x86-64-v2", "x86-64-v3", "x86-64-v4")


def digest(data):
    return hashlib.sha256(data).hexdigest()[:16]


def cases(folder):
    """(name, program, transforms, inputs or None) of each case."""
    listed = folder / "cases.json"
    if listed.exists():
        for case in json.loads(listed.read_text()):
            yield case["case"], folder / case["program"], case["apply"], None
        return
    for program in sorted(folder.glob("*.mlir")):
        apply = program.with_suffix(".apply")
        inputs = program.with_suffix(".npz")
        yield program.stem, program, apply.read_text() if apply.exists() else "f", inputs if inputs.exists() else None


def shown(weft, program, apply, stage, cpu):
    """The hash of a stage, or of why there is none."""
    command = [weft, "run", program, "--apply", apply, "--show", stage]
    run = subprocess.run(command, capture_output=True, check=False, timeout=600, env=dict(os.environ, WEFT_CPU=cpu))
    text = run.stdout if run.returncode == 0 else run.stderr
    return digest(re.sub(rb"weft_\d+", b"weft_", text))  # numbered in the order of compiling


def results(weft, program, apply, inputs, cpu):
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder) / "out.npz"
        command = [weft, "run", program, "--apply", apply, "--inputs", inputs, "--out", out]
        subprocess.run(command, capture_output=True, check=False, timeout=600, env=dict(os.environ, WEFT_CPU=cpu))
        if not out.exists():
            return "none"
        with zipfile.ZipFile(out) as arrays:  # the members have different time stamps
            return digest(b"".join(arrays.read(name) for name in sorted(arrays.namelist())))


def record(weft, folder, wanted):
    jobs = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for name, program, apply, inputs in cases(folder):
            if not re.search(wanted, name):
                continue
            for stage in STAGES:
                for cpu in CPUS if stage == "asm" else CPUS[-1:]:
                    jobs[f"{name} {stage} {cpu}"] = pool.submit(shown, weft, program, apply, stage, cpu)
            if inputs:
                for cpu in CPUS[1:]:
                    jobs[f"{name} bits {cpu}"] = pool.submit(results, weft, program, apply, inputs, cpu)
        return {name: job.result() for name, job in sorted(jobs.items())}


def compare(before, after):
    names = sorted(before.keys() | after.keys())
    different = [name for name in names if before.get(name) != after.get(name)]
    print("\n".join(different + [f"{len(different)} of {len(names)} differ"]))
    return 1 if different else 0


def main():
    if len(sys.argv) < 4:
        sys.exit("usage: record.py WEFT PROGRAMS RECORD [REGEX], or record.py --compare BEFORE AFTER")
    if sys.argv[1] == "--compare":
        return compare(*(json.loads(pathlib.Path(path).read_text()) for path in sys.argv[2:4]))
    weft, folder, out, wanted = (*sys.argv[1:], "")[:4]
    pathlib.Path(out).write_text(json.dumps(record(weft, pathlib.Path(folder), wanted), indent=0))
    return 0


if __name__ == "__main__":
    sys.exit(main())
