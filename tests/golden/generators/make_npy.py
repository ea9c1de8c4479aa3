# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/golden/generators/make_npy.py: writes npy/, files of NumPy and a list of their content.
#
# Run with numpy and ml_dtypes in tests/golden: python generators/make_npy.py (made with numpy
# 2.4.6).
#
# In npy/index.txt a line "FILE DTYPE SHAPE HEX SAME" is a file to read. HEX has its elements in
# row-major order, in little-endian bytes. SAME is 1 if writing them gives the same file. A
# line "FILE ! WORD" is a file to refuse with a text that contains WORD.
import os
import warnings

import ml_dtypes
import numpy as np

warnings.simplefilter("ignore")
SHORT = {"bool": "bool", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "u8", "uint16": "u16",
         "uint32": "u32", "uint64": "u64", "float16": "f16", "float32": "f32", "float64": "f64", "complex64": "c64",
         "complex128": "c128"}
os.makedirs("npy", exist_ok=True)
index = ["# made by make_npy.py with numpy " + np.__version__]


def describe(a):
    little = np.ascontiguousarray(a).astype(a.dtype.newbyteorder("<"))
    shape = ",".join(map(str, a.shape)) or "-"
    return f"{SHORT[a.dtype.name]} {shape} {little.tobytes().hex() or '-'}"


def write(name, a, version=None):
    with open(f"npy/{name}.npy", "wb") as f:
        np.lib.format.write_array(f, a, version=version, allow_pickle=True)


def good(name, a, version=None, same=True):
    write(name, a, version)
    index.append(f"{name}.npy {describe(a)} {int(same)}")


def bad(name, a, word):
    write(name, a)
    index.append(f"{name}.npy ! {word}")


for t in SHORT:
    a = (np.arange(6) * 37 - 5).astype(t).reshape(2, 3)
    if a.dtype.kind in "fc":
        a[1, 2] = np.nan
    if a.dtype.kind == "c":
        a[0, 1] = 1.5 - 2.5j
    good(f"{t}_c", a)
    good(f"{t}_f", np.asfortranarray(a), same=False)
    if a.dtype.itemsize > 1:
        good(f"{t}_big", a.astype(a.dtype.newbyteorder(">")), same=False)
b = np.arange(24, dtype=np.int16).reshape(2, 3, 4)
good("f_3d", np.asfortranarray(b), same=False)
good("f_3d_big", np.asfortranarray(b.astype(">i2")), same=False)
good("f_4d", np.asfortranarray(np.arange(12, dtype=np.int8).reshape(2, 1, 3, 2)), same=False)
good("version2", b, (2, 0), same=False)
good("version3", b, (3, 0), same=False)
good("scalar", np.array(2.5))
good("empty", np.zeros((0,), np.float32))
good("empty_f", np.zeros((3, 0, 2), np.float32, order="F"), same=False)
good("vector", np.arange(3))
good("ones", np.zeros((1,) * 10, np.uint8))
good("wide", np.zeros((0, 1, 123456789, 1000000007), np.float32))

bad("object", np.array([None, {}], object), "pickled")
bad("structured", np.zeros(2, [("x", "<f4"), ("y", "<i4")]), "structured")
bad("string", np.array(["ab", "c"]), "strings")
bad("bytes", np.array([b"ab", b"c"]), "strings")
bad("bfloat16", np.ones(3, ml_dtypes.bfloat16), "bfloat16")
bad("longdouble", np.zeros(3, np.longdouble), "double")
bad("date", np.zeros(3, "datetime64[s]"), "M8")
bad("void", np.zeros(3, "V5"), "V5")
open("npy/index.txt", "w").write("\n".join(index) + "\n")

arrays = {"x": np.arange(6, dtype=np.float32).reshape(2, 3), "case/in0": np.array([True, False]), "s": np.array(1 + 2j)}
np.savez("npy/stored.npz", **arrays)
np.savez_compressed("npy/packed.npz", zeros=np.zeros((100, 100)), **arrays)
