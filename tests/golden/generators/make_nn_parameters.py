# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/golden/generators/make_nn_parameters.py: writes nn_parameters.txt, the values and slopes of
# jax.nn for parameters that are arrays, and for the options of attention, standardize and
# logsumexp. The names are those of tests/functions/nn/nn_parameters_test.cpp.
#
# Run with jax installed: python make_nn_parameters.py > nn_parameters.txt (made with jax 0.10.2).

import jax
import jax.numpy as jnp
import numpy as np
from jax import nn
from jax.nn import initializers

from golden_lines import show, x as steps

print(f"# made by make_nn_parameters.py with jax {jax.__version__}")


def lines(name, f, *operands, slopes=None):
    """Prints a value and the slopes of the sum of its squares."""
    show(name, f(*operands))
    for i, v in enumerate(operands):
        if (slopes is None or i in slopes) and jnp.issubdtype(v.dtype, jnp.floating):
            show(f"{name}.slope{i}", jax.grad(lambda *w: jnp.sum(f(*w) ** 2), i)(*operands))


x, row = steps((3, 4)), jnp.array([0.3, 1.5, 2.0, 0.7], jnp.float32)
for name in ("elu", "celu", "leaky_relu", "squareplus"):
    f = getattr(nn, name)
    lines(name, f, x, row)
    lines(name + ".number", f, x, jnp.float32(0.6))
    lines(name + ".map", jax.vmap(f, (0, 0)), x.T, row)

b = steps((3, 4), 5, 7)
positive = jnp.abs(b) + 0.25
lines("logsumexp.b", lambda v, w: nn.logsumexp(v, 1, w), x, positive)
lines("logsumexp.b.keep", lambda v, w: nn.logsumexp(v, (0, 1), w, keepdims=True), x, positive)
show("logsumexp.negative", nn.logsumexp(x, 1, b=b))
for name, o in {"row": {"axis": 1}, "all": {"keepdims": True}}.items():
    size, sign = nn.logsumexp(x, b=b, return_sign=True, **o)
    show(f"signed_logsumexp.{name}.size", size)
    show(f"signed_logsumexp.{name}.sign", sign)
show("signed_logsumexp.slope", jax.grad(lambda v: jnp.sum(nn.logsumexp(v, 1, b=b, return_sign=True)[0]))(x))
show("signed_logsumexp.map", jax.vmap(lambda v: nn.logsumexp(v, b=v, return_sign=True)[0])(x))
show("logsumexp.where", nn.logsumexp(x, 0, b=positive, where=x > -1))

mean, variance = jnp.array([[0.1], [-0.5], [0.4]], jnp.float32), jnp.array([0.5, 2.0, 1.0, 0.1], jnp.float32)
lines("standardize.mean", lambda v, m: nn.standardize(v, mean=m), x, mean)
lines("standardize.variance", lambda v, s: nn.standardize(v, variance=s), x, variance)
lines("standardize.both", lambda v, m, s: nn.standardize(v, mean=m, variance=s), x, mean, variance)
lines("standardize.stable", lambda v: nn.standardize(v, 0, algorithm="stable"), x)
lines("standardize.stable.where", lambda v: nn.standardize(v, 1, algorithm="stable", where=x > -1), x)
lines("standardize.epsilon", lambda v, e: nn.standardize(v, epsilon=e), x, jnp.float32(0.25))
show("standardize.constant", nn.standardize(jnp.full((2, 3), 0.1, jnp.float32)))

q, k, v = steps((2, 5, 4, 3)), steps((2, 6, 2, 3), 5, 13), steps((2, 6, 2, 3), 3, 7)
lengths, others = jnp.array([3, 5], jnp.int32), jnp.array([6, 2], jnp.int32)
bias, mask = steps((1, 4, 5, 6), 5, 19), steps((2, 1, 5, 6), 5, 9) > 0
OPTIONS = {
    "queries": {"query_seq_lengths": lengths}, "keys": {"key_value_seq_lengths": others}, "both": {"query_seq_lengths": lengths, "key_value_seq_lengths": others, "is_causal": True},
    "window": {"local_window_size": 1}, "sides": {"local_window_size": (2, 0)}, "right": {"local_window_size": (0, 1), "bias": bias}, "mask": {"mask": mask, "bias": bias, "is_causal": True},
    "all": {"mask": mask, "bias": bias, "is_causal": True, "query_seq_lengths": lengths, "key_value_seq_lengths": others, "local_window_size": (3, 1), "scale": 0.7},
}
for name, o in OPTIONS.items():
    lines("attention." + name, lambda *w, o=o: nn.dot_product_attention(*w, **o), q, k, v)
    out, residual = nn.dot_product_attention(q, k, v, return_residual=True, **o)
    show(f"with_residual.{name}.out", out)
    show(f"with_residual.{name}.residual", residual)
whole = {"return_residual": True, **OPTIONS["all"]}
show("with_residual.slope", jax.grad(lambda v: sum(jnp.sum(r) for r in nn.dot_product_attention(v, k, v[:, :3, :2][:, jnp.array([0, 1, 2, 0, 1, 2])], **whole)))(q))
show("with_residual.map", jax.vmap(lambda v: nn.dot_product_attention(v, k, k, return_residual=True)[1])(jnp.stack([q, -q])))
lines("attention.scale", lambda s: nn.dot_product_attention(q, k, v, scale=s), jnp.float32(0.7))
show("attention.one", nn.dot_product_attention(q[0], k[0], v[0], query_seq_lengths=lengths[:1], key_value_seq_lengths=others[1:]))

key, scale = jax.random.key(5), jnp.float32(0.3)
INITIALIZERS = {
    "uniform": lambda s: initializers.uniform(s)(key, (2, 3), jnp.float32), "normal": lambda s: initializers.normal(s)(key, (2, 3), jnp.float32), "truncated_normal": lambda s: initializers.truncated_normal(s)(key, (2, 3), jnp.float32),
    "variance_scaling": lambda s: initializers.variance_scaling(s, "fan_in", "truncated_normal")(key, (2, 3), jnp.float32), "variance_scaling.uniform": lambda s: initializers.variance_scaling(s, "fan_avg", "uniform")(key, (2, 3), jnp.float32),
    "orthogonal": lambda s: initializers.orthogonal(s)(key, (3, 3), jnp.float32), "delta_orthogonal": lambda s: initializers.delta_orthogonal(s)(key, (3, 2, 2), jnp.float32),
}
for name, f in INITIALIZERS.items():
    lines("init." + name, f, scale)
show("init.columns", initializers.normal(jnp.array([0.1, 1.0, 2.0], jnp.float32))(key, (2, 3), jnp.float32))
