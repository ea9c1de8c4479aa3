#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tools/measured.py: writes the table of README.md between its `measured` markers from the output of
# benchmarks/spine and of its peer. Usage: tools/measured.py WEFT.txt JAX.txt
import re
import sys

ROWS = [  # our name, the peer's name, description
    ("dispatch_scalar", "dispatch_scalar", "a compiled call on one number"),
    ("eltwise_exp_sin_sqrt_16777216", "eltwise_exp_sin_sqrt_16777216", "`exp(-x²)·sin(x) + sqrt\\|x\\|`, 16 M floats"),
    ("vmap_while_mandelbrot_512", "vmap_while_mandelbrot_512", "Mandelbrot 512², 1000 trips, as `jit(vmap(vmap(while_loop)))`"),
    ("vmap_while_rk45_vdp_16384", "vmap_while_rk45_vdp_16384", "adaptive Runge-Kutta mapped over 16,384 stiffnesses"),
    ("vmap_solve_4", "vmap_solve_4", "`jit(vmap(linalg::solve))` of 100,000 systems of 4"),
    ("vmap_kalman_2048", "vmap_kalman_2048", "a Kalman filter of 4 states on 2,048 series of 100"),
    ("mlp_train_256", "mlp_train_256", "a training step of a 784-512-512-10 network, batch 256"),
]


def times(path):
    found = {}
    for line in open(path, encoding="utf-8"):
        m = re.match(r"(\S+)\s+min\s+([\d.]+) ms", line)
        if m:
            found[m[1]] = float(m[2])
    return found


def main():
    weft, jax = times(sys.argv[1]), times(sys.argv[2])
    lines = ["| | Weft | JAX | ratio |", "|---|--:|--:|--:|"]
    for ours, theirs, what in ROWS:
        w, j = weft[ours], jax[theirs]
        lines.append(f"| {what} | {w:.4g} ms | {j:.4g} ms | {j / w:.0f} × |" if j / w >= 10 else f"| {what} | {w:.4g} ms | {j:.4g} ms | {j / w:.1f} × |")
    text = open("README.md", encoding="utf-8").read()
    begin, end = "<!-- measured:begin -->", "<!-- measured:end -->"
    head, rest = text.split(begin)
    tail = rest.split(end)[1]
    open("README.md", "w", encoding="utf-8").write(head + begin + "\n" + "\n".join(lines) + "\n" + end + tail)


if __name__ == "__main__":
    main()
