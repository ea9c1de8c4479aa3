# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/golden/generators/make_scalar_text.py: writes scalar_text.txt, the texts of scalars in NumPy
# and Python.
#
# Run with numpy and ml_dtypes: python make_scalar_text.py > scalar_text.txt (made with numpy
# 2.4.6).
#
# "STYLE DTYPE BITS TEXT" is one scalar. "STYLE DTYPE RULE COUNT HASH" is many of them. HASH is the
# FNV-1a hash of their texts, one per line, over the bits that RULE makes (the test makes the same).
import ml_dtypes
import numpy as np

DTYPES = {"f16": (np.float16, np.uint16), "bf16": (ml_dtypes.bfloat16, np.uint16), "f32": (np.float32, np.uint32),
          "f64": (np.float64, np.uint64)}
MASK = (1 << 64) - 1


def splitmix(n):
    """n random numbers of 64 bits."""
    state, out = 1, []
    for _ in range(n):
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        out.append(z ^ (z >> 31))
    return out


def bits(rule, width, mantissa, count):
    if rule == "all":
        return list(range(count))
    if rule == "random":
        return [z >> (64 - width) for z in splitmix(count)]
    if rule == "powers":  # each power of two and the numbers next to it
        return [max(0, (i // 3 << mantissa) + i % 3 - 1) for i in range(count)]
    bias = (1 << (width - mantissa - 2)) - 1  # "middle": random numbers that need no exponent
    return [((bias + z % 24 - 6) << mantissa) | (z >> (64 - mantissa)) for z in splitmix(count)]


def fnv(texts):
    h = 0xCBF29CE484222325
    for t in texts:
        for c in (t + "\n").encode():
            h = ((h ^ c) * 0x100000001B3) & MASK
    return h


def spell(style, x):
    return str(x) if style == "numpy" else repr(x.item() if not isinstance(x, ml_dtypes.bfloat16) else float(x))


print(f"# made by make_scalar_text.py with numpy {np.__version__}, ml_dtypes {ml_dtypes.__version__}")
for name, (dtype, uint) in DTYPES.items():
    width = np.dtype(dtype).itemsize * 8
    mantissa = {"f16": 10, "bf16": 7, "f32": 23, "f64": 52}[name]
    rules = [("all", 65536)] if width == 16 else [
        ("random", 50000), ("middle", 20000), ("powers", 3 * ((1 << (width - mantissa - 1)) - 1))]
    for style in ["numpy", "literal"]:
        if style == "numpy" and name == "bf16":
            continue  # ml_dtypes prints six digits, not the shortest
        for rule, count in rules:
            values = np.array(bits(rule, width, mantissa, count), np.uint64).astype(uint).view(dtype)
            print(style, name, rule, count, f"{fnv(spell(style, x) for x in values):016x}")
nan, inf = float("nan"), float("inf")
for name, dtype in [("c64", np.complex64), ("c128", np.complex128)]:
    for z in [0, 1j, 1 + 2j, complex(-0.0, 1), complex(0, -0.0), complex(nan, inf), complex(1e20, 1e-7), complex(0.1, 1e6),
              complex(-inf, nan), complex(1e15, 1e16), complex(0, nan), complex(1e5, -1e-4), complex(1 / 3, -1 / 7)]:
        x = dtype(z)
        for style in ["numpy", "literal"]:
            print(style, name, x.tobytes().hex(), spell(style, x))
