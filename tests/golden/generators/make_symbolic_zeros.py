# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/golden/generators/make_symbolic_zeros.py: writes symbolic_zeros.txt, the masks that JAX
# passes to rules with symbolic zeros (written with JAX 0.10.2). For each case it has the distinct
# masks of the forward rule, which mark tangents or differentiated operands. The masks of cotangents
# follow. Usage: make_symbolic_zeros.py > symbolic_zeros.txt
import jax
import jax.numpy as jnp
from jax.custom_derivatives import SymbolicZero

x, y = jnp.array([1.0, -2.0, 3.0]), jnp.array([5.0, 6.0, 7.0])
seen, given = [], []


def note(where, flags):
    mask = "".join("1" if f else "0" for f in flags)
    if mask not in where:
        where.append(mask)


def dense(t, like):
    return jnp.zeros_like(like) if type(t) is SymbolicZero else t


@jax.custom_jvp
def by_jvp(a, b):
    return a * b, a + b


def jvp_rule(primals, tangents):
    note(seen, [type(t) is not SymbolicZero for t in tangents])
    (a, b), (da, db) = primals, tangents
    da, db = dense(da, a), dense(db, b)
    return (a * b, a + b), (da * b + a * db, da + db)


by_jvp.defjvp(jvp_rule, symbolic_zeros=True)


@jax.custom_vjp
def by_vjp(a, b):
    return a * b, a + b


def forward(a, b):
    note(seen, [a.perturbed, b.perturbed])
    return (a.value * b.value, a.value + b.value), (a.value, b.value)


def backward(residuals, ct):
    note(given, [type(c) is not SymbolicZero for c in ct])
    a, b = residuals
    p, s = dense(ct[0], a), dense(ct[1], a)
    return p * b + s, p * a + s


by_vjp.defvjp(forward, backward, symbolic_zeros=True)

cases = {
    "first": lambda f: jax.grad(lambda a: f(a, y)[0].sum())(x),
    "second": lambda f: jax.grad(lambda b: f(x, b)[0].sum())(y),
    "both": lambda f: jax.grad(lambda a, b: f(a, b)[0].sum(), (0, 1))(x, y),
    "sum": lambda f: jax.grad(lambda a: f(a, y)[1].sum())(x),
    "both_results": lambda f: jax.grad(lambda a: (f(a, y)[0] * f(a, y)[1]).sum())(x),
    "stopped": lambda f: jax.grad(lambda a: f(a, jax.lax.stop_gradient(a))[0].sum())(x),
    "not_read": lambda f: f(x, y),
    "jit": lambda f: jax.grad(lambda a: jax.jit(f)(a, y)[0].sum())(x),
    "vmap": lambda f: jax.grad(lambda a: jax.vmap(f)(a, y)[0].sum())(x),
    "vmap_shared": lambda f: jax.grad(lambda a: jax.vmap(f, (0, None))(a, y[0])[1].sum())(x),
    "jit_vmap": lambda f: jax.grad(lambda b: jax.jit(jax.vmap(f))(x, b)[1].sum())(y),
    "checkpoint": lambda f: jax.grad(lambda a: jax.checkpoint(f)(a, y)[0].sum())(x),
}
print(f"# made by make_symbolic_zeros.py with jax {jax.__version__}")
for kind, f in (("jvp", by_jvp), ("vjp", by_vjp)):
    for name, run in cases.items():
        seen.clear()
        given.clear()
        run(f)
        print(kind, name, " ".join(sorted(seen)) or "-", "|", " ".join(sorted(given)) or "-")
