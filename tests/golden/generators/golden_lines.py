# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/golden/generators/golden_lines.py: helpers of the generators of golden texts. They make
# operands that tests also make, and write the lines "name dtype shape values…" that
# tests/support/golden_lines.h reads.
import jax.numpy as jnp
import numpy as np

SHORT = {"float32": "f32", "float64": "f64", "float16": "f16", "complex64": "c64", "complex128": "c128", "bool": "bool",
         "int8": "i8", "int32": "i32", "int64": "i64", "uint8": "u8", "uint16": "u16", "uint32": "u32"}


def x(shape, m=7, k=11):
    """The operands that `steps` of tests/functions/array_calls.h makes: multiples of 1/4."""
    i = np.arange(int(np.prod(shape)))
    return jnp.asarray((((i * m) % k - k // 2) / 4).astype(np.float32).reshape(shape))


def text(e):
    """The text of a number, from which its bits can be read."""
    if not np.issubdtype(e.dtype, np.floating):
        return str(int(e))
    return "nan" if np.isnan(e) else "inf" if e == np.inf else "-inf" if e == -np.inf else float(e).hex()


def show(name, r):
    """Prints a line. A complex number is printed as its two parts."""
    r = np.asarray(r)
    parts = r.ravel().view(r.real.dtype) if np.iscomplexobj(r) else r
    print(name, SHORT[r.dtype.name], "x".join(map(str, r.shape)) or "scalar", *map(text, parts.ravel()))
