#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/gpu/examples.py: an example prints the same on a GPU as on the host, except for the last
# printed digit. The GPU adds sums in another order. Arguments: the example, and the device.
import os
import re
import subprocess
import sys

# Measured times differ in each run.
TIME = re.compile(r"[0-9.e+-]+ ms")
# A number that is not an integer. Streams print six digits, and the last one may be rounded
# differently.
NUMBER = re.compile(r"-?\d+(?:\.\d*(?:e[+-]?\d+)?|e[+-]?\d+)")
CLOSE = 1e-5


def said(*arguments):
    r = subprocess.run([sys.argv[1], *arguments], capture_output=True, text=True, check=False)
    if r.returncode:
        sys.exit(f"exit code {r.returncode}\n{r.stdout}{r.stderr}")
    return TIME.sub("some ms", r.stdout).splitlines()


def same(a, b):
    """Whether the lines are equal but for numbers that are close."""
    if NUMBER.split(a) != NUMBER.split(b):
        return False
    pairs = zip(map(float, NUMBER.findall(a)), map(float, NUMBER.findall(b)))
    return all(abs(x - y) <= CLOSE * max(abs(x), abs(y)) for x, y in pairs)


here, there = said(), said("--device", sys.argv[2])
for a, b in zip(here, there):
    if not same(a, b):
        sys.exit(f"on the host:\n{a}\non {sys.argv[2]}:\n{b}")
if len(here) != len(there):
    sys.exit(f"{len(here)} lines on the host, {len(there)} on {sys.argv[2]}")

unknown = subprocess.run([sys.argv[1], "--device", "cuda:77"], capture_output=True, text=True, check=False,
                         env=dict(os.environ))
if unknown.returncode != 1 or "there is no device 'cuda:77'; this process has: cpu" not in unknown.stderr:
    sys.exit(f"of an unknown device: exit code {unknown.returncode}\n{unknown.stderr}")
