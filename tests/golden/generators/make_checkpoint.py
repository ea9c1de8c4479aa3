# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/golden/generators/make_checkpoint.py: writes checkpoint.txt, the residuals that
# jax.checkpoint keeps for the functions that tests/transforms/checkpoint_golden_test.cpp has under
# the same names.
#
# Run with jax installed: python make_checkpoint.py > checkpoint.txt (made with jax 0.10.2).
#
# For each function and policy there is a line "residuals NAME POLICY | TYPE SOURCE | …", sorted,
# with the text of jax.ad_checkpoint.saved_residuals without places. For each function there are
# also the gradients of the sum of its result with respect to all float operands. They are named
# NAME_0, NAME_1, … by the operand's position and are the same for every policy.
import re

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax._src.ad_checkpoint import saved_residuals
from jax.ad_checkpoint import checkpoint_name as name

from golden_lines import show, x

policies = jax.checkpoint_policies
POLICIES = {
    "nothing": policies.nothing_saveable,
    "everything": policies.everything_saveable,
    "dots": policies.dots_saveable,
    "dots_no_batch": policies.dots_with_no_batch_dims_saveable,
    "only_u": policies.save_only_these_names("u"),
    "any_but_u": policies.save_any_names_but_these("u"),
    "dots_or_u": policies.save_from_both_policies(policies.dots_saveable, policies.save_only_these_names("u")),
}
v3, v5, m43, m35, m52 = x((3,)), x((5,), 3, 13), x((4, 3)), x((3, 5), 3, 13), x((5, 2), 5, 17)
captured = x((3,), 5, 13)


def mlp(a, b, c):
    u = name(jnp.dot(a, b), "u")
    return jnp.sin(jnp.dot(name(jnp.sin(u), "v"), c))


def attention(a, b):
    s = lax.dot_general(a, b, (((2,), (1,)), ((0,), (0,))))
    return jnp.sin(name(s, "u"))


def steps(a, b):
    def body(c, r):
        u = name(jnp.sin(c) * r, "u")
        return name(jnp.cos(u), "v"), u
    c, ys = lax.scan(body, a, b)
    return c * 1.5 + jnp.sin(ys).sum()


def dots_in_steps(a, b):
    def body(c, _):
        return jnp.sin(jnp.dot(c, b)), None
    return lax.scan(body, a, None, length=4)[0]


def branches(a, b):
    return jnp.sin(lax.switch(a, [lambda v: name(jnp.sin(v), "u"), lambda v: jnp.cos(name(jnp.cos(v), "v"))], b))


FUNCTIONS = {
    "sines": (lambda a: jnp.sin(name(jnp.sin(a), "u")), v3),
    "three": (lambda a: jnp.exp(name(jnp.cos(name(jnp.sin(a), "u")), "v")), v3),
    "product": (lambda a, b: jnp.sin(a * b) * b, v3, captured),
    "linear": (lambda a: a * 2 + 1, v3),
    "dot": (lambda a, b: jnp.sin(jnp.dot(a, b)), m43, m35),
    "mlp": (mlp, m43, m35, m52),
    "attention": (attention, x((2, 3, 4)), x((2, 4, 3), 3, 13)),
    "conv": (lambda a, b: jnp.sin(lax.conv(a, b, (1, 1), "SAME")), x((1, 2, 4, 4)), x((3, 2, 3, 3), 3, 13)),
    "captured": (lambda a: jnp.sin(jnp.sin(a * captured)), v3),
    "unused": (lambda a, b: jnp.sin(jnp.sin(a)), v3, m43),
    "call": (lambda a: jnp.cos(jax.jit(lambda v: jnp.sin(name(jnp.sin(v), "u")))(a)), v3),
    "steps": (steps, np.float32(0.5), v5),
    "dots_in_steps": (dots_in_steps, v3, x((3, 3), 5, 17)),
    "branches": (branches, np.int32(1), v3),
    "twice": (lambda a: jnp.sin(jax.checkpoint(lambda v: jnp.sin(jnp.sin(v)))(jnp.cos(a))), v3),
}


def residuals(f, args):
    found = []
    for aval, source in saved_residuals(f, *args):
        source = re.sub(r" from \S+:\d+.*", "", source)
        source = re.sub(r"from the argument (\w+)", r"argument \1", source)
        # These replacements remove differences of JAX's text. Bodies of scans are calls in JAX, and
        # the names of calls differ in C++. JAX clamps the index of a switch outside of it. The
        # value of an inner checkpoint has that checkpoint's name.
        source = source.replace("closed_call", "scan").replace(" '<lambda>'", "")
        source = source.replace("output of clamp", "argument a").replace("remat2", "cos")
        found.append(f"{aval.str_short(short_dtypes=True)} {source}")
    return " | ".join(sorted(found))


if __name__ == "__main__":
    print(f"# made by make_checkpoint.py with jax {jax.__version__}")
    for title, (f, *args) in FUNCTIONS.items():
        floats = [k for k, a in enumerate(args) if np.issubdtype(np.asarray(a).dtype, np.floating)]
        whole = jax.grad(lambda *a, f=f: f(*a).sum(), floats)(*args)
        for policy, p in POLICIES.items():
            g = jax.checkpoint(f, policy=p)
            print("residuals", title, policy, "|", residuals(g, args))
            for a, b in zip(whole, jax.grad(lambda *a, g=g: g(*a).sum(), floats)(*args)):
                np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-6)
        for k, g in zip(floats, whole):
            show(f"{title}_{k}", g)
