# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/golden/generators/make_jaxpr.py: writes jaxpr.txt, programs as JAX prints them (written with
# JAX 0.10.2). It uses only ops whose parameters are the same in JAX and Weft. Usage: make_jaxpr.py
# > jaxpr.txt
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.ad_checkpoint import checkpoint_name

v = jnp.arange(3, dtype=jnp.float32)
m = jnp.ones((2, 3), jnp.float32)
one = jnp.float32(1)
key = jax.random.key(0)


def chain(n):
    def f(x):
        for _ in range(n):
            x = lax.neg(x)
        return x
    return f


def step(c, a):
    return lax.add(c, a), lax.mul(c, a)


def inner(x):
    return lax.add(x, x)


def outer(x):
    return lax.mul(jax.jit(inner)(jax.jit(inner)(x)), x)


def nested(x):
    def body(c, a):
        c = lax.fori_loop(0, 3, lambda i, y: lax.mul(y, a), c)
        return c, lax.cond(lax.gt(a, c), lax.neg, lambda t: t, a)
    return lax.scan(body, one, x)


def long_name_for_a_function_that_is_called(x, y):
    return lax.sub(y, x), x


CASES = {
    "one equation": (lax.neg, v),
    "equations of scalars on one line": (lambda x: lax.neg(lax.neg(x)), one),
    "equations on lines": (lambda x: lax.add(lax.neg(x), x), v),
    "constants": (lambda x: lax.add(lax.mul(x, v), v), v),
    "constants and literals": (lambda x: lax.add(lax.mul(x, m), np.float32(0.1)), m),
    "no inputs": (lambda: 1.0,),
    "no outputs": (lambda x: (), v),
    "outputs are inputs and literals": (lambda x, y: (x, y, np.float32(1), np.int32(2), np.bool_(True)), v, v),
    "no equations, many results": (lambda *a: a * 3, *[v] * 26),
    "literals": (lambda x: [lax.mul(x, np.float32(t)) for t in (np.nan, np.inf, -np.inf, -0.0, 1e-30, 0.1, 1e16, 123456.5)], one),
    "literals of other types": (lambda a, b, c, d, e: (lax.add(a, np.int8(-5)), lax.add(b, np.uint32(4000000000)), lax.mul(c, np.complex64(1 + 2j)),
                                                       lax.mul(d, jnp.bfloat16(0.1)), lax.mul(e, np.float16(65504))),
                                np.int8(1), np.uint32(1), np.complex64(1j), jnp.bfloat16(1), np.float16(1)),
    "imaginary literals": (lambda x: (lax.mul(x, np.complex64(1j)), lax.mul(x, np.complex64(complex(1, np.nan))), lax.mul(x, np.complex64(complex(-0.0, 1)))),
                           np.complex64(1)),
    "many inputs": (lambda *a: sum(a[1:], a[0]), *[v] * 12),
    "more than 26 variables": (lambda *a: lax.concatenate(a, 0), *[v] * 40),
    "fields": (lambda x: lax.rev(lax.transpose(x, (1, 0)), (0, 1)), m),
    "fields on one line": (lambda x: lax.squeeze(x, (0,)), jnp.ones((1, 3))),
    "fields on lines": (lambda x: lax.slice(x, (0, 1, 0, 2), (2, 3, 4, 5), (1, 2, 1, 3)), jnp.ones((2, 3, 4, 5))),
    "scan": (lambda x: lax.scan(step, one, x), v),
    "scan, one result dropped": (lambda x: lax.scan(step, one, x)[1], v),
    "scan with constants": (lambda x: lax.map(lambda y: lax.add(y, v), x), m),
    "the same body twice": (lambda x: lax.scan(step, lax.scan(step, one, x)[0], x), v),
    "while": (lambda x: lax.while_loop(lambda c: lax.lt(c[0], c[1]), lambda c: (lax.mul(c[0], c[0]), c[1]), (x, x)), one),
    "cond": (lambda i, x: lax.switch(i, [lambda x: lax.add(lax.neg(x), x), lambda x: lax.mul(x, x), lambda x: x], x), np.int32(1), v),
    "cond of two equal branches": (lambda i, x: lax.switch(i, [lax.neg, lax.neg], x), np.int32(1), v),
    "loops in loops": (nested, v),
    "call": (lambda x: jax.jit(lambda y: lax.add(y, y))(x), v),
    "call, operand twice": (lambda x, y: jax.jit(lambda a, b: (b, lax.add(a, b), a))(x, x), v, v),
    "call with a literal": (lambda x: jax.jit(long_name_for_a_function_that_is_called)(np.float32(3), x), one),
    "calls of one function": (lambda x: outer(x), v),
    "calls of one function that calls": (lambda x: jax.jit(outer)(jax.jit(outer)(x)), v),
    "a long body stands on top": (lambda x: lax.scan(lambda c, a: (chain(12)(c), a), one, x), v),
    "a long call stands on top": (lambda x: lax.add(jax.jit(chain(11))(x), x), v),
    "ten equations stand where they are": (lambda x: jax.jit(chain(10))(x), v),
    "more than 221 variables: one is called in": (chain(225), one),
    "checkpoint": (jax.checkpoint(lambda x: lax.sin(checkpoint_name(lax.sin(x), "a"))), v),
    "checkpoint on one line": (jax.checkpoint(lambda x: x, prevent_cse=False), one),
    "dead code": (lambda x: (lax.neg(x), x)[1], v),
    "keys": (lambda k: k, key),
    "empty arrays": (lambda x: lax.neg(x), jnp.ones((0, 3))),
    "booleans": (lambda x, y: lax.select_n(lax.lt(x, y), x, y), v, v),
    "conversions": (lambda x: lax.convert_element_type(lax.convert_element_type(x, jnp.int8), jnp.bfloat16), v),
}

print(f"# made by make_jaxpr.py with jax {jax.__version__}")
for title, (f, *args) in CASES.items():
    print("###", title)
    print(jax.make_jaxpr(f)(*args).pretty_print(use_color=False))
