# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# benchmarks/cpp/compare.py: compares the results of all peers, FOLDER/CASE.PEER.f64, with those of
# one. An error is relative to the reference, or to a thousandth of the column's root mean square
# if the reference is smaller. A column of zeros, which may be rounding errors, is compared relative
# to the root mean square of all columns. Fails if a peer in F64 differs by more than 1e-9.
# Usage: compare.py FOLDER
import collections
import pathlib
import sys

import numpy as np

# The results of a lane: values, and derivatives. For adjust: a camera and 100 points.
COLUMNS = {"ekf": 16 + 225, "arm": 49 + 343, "camera": 2 + 30, "ilqr": 4 + 16 + 50 + 200,
           "net": 4 + 48, "spline": 1 + 16, "adjust": 9 + 300, "mpc": 40 + 1, "cloth": 6,
           "filter": 100}
REFERENCES = ("eigen", "hand", "casadi", "jax", "weft")
LIMIT = 1e-9


def largest_error(reference, values):
    """The largest relative error, with 1 for a value that is not a number."""
    column = np.sqrt(np.mean(reference**2, 0, keepdims=True))
    everything = np.sqrt(np.mean(reference**2))
    floor = np.where(column < 1e-12 * everything, everything, 1e-3 * column)
    error = np.abs(values - reference) / np.maximum(np.abs(reference), floor)
    return float(np.max(np.where(np.isfinite(values), error, 1)))


def main(folder):
    cases = collections.defaultdict(dict)
    for path in sorted(pathlib.Path(folder).glob("*.f64")):
        case, peer = path.name.split(".")[:2]
        cases[case][peer] = np.fromfile(path).reshape(-1, COLUMNS[case])
    failed = False
    for case, peers in cases.items():
        name = next(r for r in REFERENCES if r in peers)
        for peer, values in peers.items():
            if peer == name:
                continue
            if values.shape != peers[name].shape:
                print(f"{case:8} {peer:10} has other lanes than {name}")
                failed = True
                continue
            error = largest_error(peers[name], values)
            wrong = not peer.endswith("_f32") and error > LIMIT
            failed = failed or wrong
            print(f"{case:8} {peer:10} {error:.2e} from {name}{'  DIFFERS' if wrong else ''}")
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
