# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/golden/generators/make_effects.py: writes effects.txt, the output of jax.debug.print
# (written with JAX 0.10.2). Usage: make_effects.py > effects.txt
import contextlib
import io

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)
f32 = np.float32
values = {
    "scalar": f32(1.5), "third": f32(1) / f32(3), "large": f32(1e20), "small": f32(1e-7), "nan": f32(np.nan),
    "half": np.float16(0.1), "double": np.float64(0.1), "integer": np.int32(-7), "bool": np.bool_(True),
    "unsigned": np.uint64(2**63), "complex": np.complex64(1 - 2j), "vector": np.arange(3, dtype=f32) / 3,
    "matrix": np.arange(6, dtype=np.int32).reshape(2, 3), "bools": np.array([True, False]), "empty": np.zeros((0, 2), f32),
}
texts = {
    "scalar": ["{}", "x = {:.3f}!", "{:8.2e}|", "{:>10}|"], "third": ["{}", "{:.3f}", "{:g}"], "large": ["{}"], "small": ["{}"],
    "nan": ["{}", "{:.1f}"], "half": ["{}", "{:.4f}"], "double": ["{}", "{:.20f}"], "integer": ["{}", "{:d}", "{:5d}|", "{:<5}|", "{:x}"],
    "bool": ["{}"], "unsigned": ["{}"], "complex": ["{}"], "vector": ["{}"], "matrix": ["{}", "m =\n{}"], "bools": ["{}"], "empty": ["{}"],
}


def printed(f, *x):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        f(*x)
        jax.effects_barrier()
    return out.getvalue()


def show(name, text):
    print(name, repr(text)[1:-1].replace("\\'", "'"))


print(f"# made by make_effects.py with jax {jax.__version__}")
for name, x in values.items():
    for text in texts[name]:
        escaped = text.replace("\n", "\\n")
        show(f"{name} '{escaped}' ->", printed(jax.jit(lambda v: jax.debug.print(text, v)), jnp.asarray(x)))

# For nested maps JAX prints all outer lanes of inner lane 0 first. Here the outer lanes print one
# after another.
x = jnp.arange(3, dtype=jnp.float32)
show("vmap ->", printed(jax.vmap(lambda v: jax.debug.print("lane {}", v)), x))
show("scan ->", printed(jax.jit(lambda v: jax.lax.scan(lambda c, e: (c + e, jax.debug.print("{} {}", c, e)), 0., v)[0]), x))
show("while ->", printed(jax.jit(lambda v: jax.lax.fori_loop(0, 3, lambda i, c: (jax.debug.print("{}", i), c + 1)[1], v)), x[0]))
show("cond ->", printed(jax.jit(lambda v: jax.lax.cond(v > 0, lambda a: jax.debug.print("yes {}", a), lambda a: jax.debug.print("no {}", a), v)), x[1]))
show("grad ->", printed(jax.grad(lambda v: (jax.debug.print("{}", v), v * v)[1]), x[2]))
