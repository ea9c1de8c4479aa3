# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/golden/generators/make_nn.py: writes nn.txt, the results of jax.nn for the calls that
# tests/functions/nn/nn_golden_test.cpp makes under the same names: values, derivatives, special
# values.
#
# Run with jax installed: python make_nn.py > nn.txt (made with jax 0.10.2).
import jax
import jax.numpy as jnp
import numpy as np
from jax import nn

jax.config.update("jax_enable_x64", True)
inf, nan = np.inf, np.nan

kinks = [-3.0, -1.0, -0.999, -0.5, 0.0, 0.3, 0.999, 1.0, 1.5, 4.0, 3.0, -3.5]
positive = [1e-30, 1e-7, 0.01, 0.3, 0.69, 0.7, 1.0, 2.5, 9.0, 16.0, 40.0, 80.0]
odd = [nan, inf, -inf, 0.0, -0.0, -1.0, 1.0, -2.5]

CASES = {}
for name, f, at in [("hard_swish", nn.hard_swish, kinks), ("sparse_plus", nn.sparse_plus, kinks),
                    ("sparse_sigmoid", nn.sparse_sigmoid, kinks), ("log1mexp", nn.log1mexp, positive)]:
    for d, wide in ((jnp.float32, ""), (jnp.float64, "_f64")):
        x, o = jnp.array(at, d).reshape(3, 4), jnp.array(odd, d)
        CASES[name + wide] = lambda f=f, x=x: f(x)
        CASES[name + "_slope" + wide] = lambda f=f, x=x: jax.grad(lambda y: jnp.sum(f(y)))(x)
        CASES[name + "_odd" + wide] = lambda f=f, o=o: f(o)
        CASES[name + "_odd_slope" + wide] = lambda f=f, o=o: jax.grad(lambda y: jnp.sum(f(y)))(o)
    CASES[name + "_int"] = lambda f=f: f(jnp.arange(-2, 4, dtype=jnp.int32)).astype(jnp.float32)
    CASES[name + "_half"] = lambda f=f: f(jnp.array([-2.0, -0.5, 0.5, 2.0], jnp.float16)).astype(jnp.float32)

x = jnp.array(kinks, jnp.float32).reshape(3, 4)
c = jnp.stack([x, 2 * x])
some = x > -0.7
row = jnp.array([[True], [False], [True]])
weights = jnp.arange(1.0, 5.0, dtype=jnp.float32)
CASES |= {
    "logmeanexp": lambda: nn.logmeanexp(x),
    "logmeanexp_axis": lambda: nn.logmeanexp(x, 0),
    "logmeanexp_axes": lambda: nn.logmeanexp(c, (0, 2)),
    "logmeanexp_no_axes": lambda: nn.logmeanexp(x, ()),
    "logmeanexp_keepdims": lambda: nn.logmeanexp(c, (1, -1), keepdims=True),
    "logmeanexp_where": lambda: nn.logmeanexp(x, 1, where=some),
    "logmeanexp_where_row": lambda: nn.logmeanexp(x, 0, where=row, keepdims=True),
    "logmeanexp_where_none": lambda: nn.logmeanexp(x, 0, where=x > 10),
    "logmeanexp_odd": lambda: nn.logmeanexp(jnp.array([[nan, 1.0], [inf, 1.0], [-inf, 1.0], [-inf, -inf], [1000.0, 1000.0]], jnp.float32), 1),
    "logmeanexp_empty": lambda: nn.logmeanexp(jnp.zeros((2, 0), jnp.float32), 1),
    "logmeanexp_int": lambda: nn.logmeanexp(jnp.arange(4, dtype=jnp.int32)).astype(jnp.float32),
    "logmeanexp_f64": lambda: nn.logmeanexp(x.astype(jnp.float64), 1),
    "logmeanexp_slope": lambda: jax.grad(lambda y: jnp.sum(weights * nn.logmeanexp(y, 0)))(x),
    "logmeanexp_where_slope": lambda: jax.grad(lambda y: jnp.sum(nn.logmeanexp(y, 1, where=some)))(x),
    "logmeanexp_map": lambda: jax.vmap(lambda y: nn.logmeanexp(y, 0), in_axes=1)(x),
}
# The other activations, for floats of each width and for integers.
OTHERS = {
    "relu": nn.relu, "relu6": nn.relu6, "leaky_relu": nn.leaky_relu, "elu": nn.elu, "celu": nn.celu, "selu": nn.selu, "gelu": nn.gelu, "silu": nn.silu, "swish": nn.swish,
    "mish": nn.mish, "softplus": nn.softplus, "soft_sign": nn.soft_sign, "sigmoid": nn.sigmoid, "log_sigmoid": nn.log_sigmoid, "nn_tanh": nn.tanh, "hard_tanh": nn.hard_tanh,
    "hard_sigmoid": nn.hard_sigmoid, "hard_silu": nn.hard_silu, "squareplus": nn.squareplus, "identity": nn.identity,
    "leaky_relu_slope_of": lambda x: nn.leaky_relu(x, 0.3), "elu_alpha": lambda x: nn.elu(x, 2.5), "celu_alpha": lambda x: nn.celu(x, 0.5), "gelu_exact": lambda x: nn.gelu(x, approximate=False),
    "squareplus_b": lambda x: nn.squareplus(x, 0.5), "softmax": nn.softmax, "log_softmax": nn.log_softmax, "nn_logsumexp": nn.logsumexp, "glu": lambda x: nn.glu(x, 0) if x.ndim == 1 else nn.glu(x), "standardize": nn.standardize,
}
for name, f in OTHERS.items():
    for d, wide in ((jnp.float32, ""), (jnp.float64, "_f64")):
        y, o = jnp.array(kinks, d).reshape(3, 4), jnp.array(odd, d)
        CASES[name + wide] = lambda f=f, y=y: f(y)
        CASES[name + "_slope" + wide] = lambda f=f, y=y: jax.grad(lambda v: jnp.sum(f(v) * jnp.arange(1.0, f(v).size + 1, dtype=v.dtype).reshape(f(v).shape)))(y)
        CASES[name + "_odd" + wide] = lambda f=f, o=o: f(o)
        if name not in ("softmax", "log_softmax", "nn_logsumexp", "standardize"):
            CASES[name + "_odd_slope" + wide] = lambda f=f, o=o: jax.grad(lambda v: jnp.sum(f(v)))(o)
    CASES[name + "_int"] = lambda f=f: f(jnp.arange(-2, 4, dtype=jnp.int32)).astype(jnp.float32)
    CASES[name + "_half"] = lambda f=f: f(jnp.array([-2.0, -0.5, 0.5, 2.0], jnp.float16)).astype(jnp.float32)
    CASES[name + "_bf16"] = lambda f=f: f(jnp.array([-2.0, -0.5, 0.5, 2.0], jnp.bfloat16)).astype(jnp.float32)
    CASES[name + "_empty"] = lambda f=f: f(jnp.zeros((0, 4), jnp.float32))
    CASES[name + "_map"] = lambda f=f: jax.vmap(f, 1)(x)


def numbers(shape, m=7, k=11):
    i = np.arange(int(np.prod(shape)))
    return jnp.asarray((((i * m) % k - k // 2) / 4).astype(np.float32).reshape(shape))


q, k1, v1 = numbers((2, 3, 4, 5)), numbers((2, 6, 2, 5), 5, 13), numbers((2, 6, 2, 5), 3, 7)
attention = nn.dot_product_attention
mask = jnp.array([[True] * 6, [False] * 6, [True, False] * 3])
CALLS = {
    "attention": lambda q, k, v: attention(q, k, v), "attention_bias": lambda q, k, v: attention(q, k, v, bias=numbers((1, 4, 3, 6), 5, 19)),
    "attention_scale": lambda q, k, v: attention(q, k, v, scale=0.3), "attention_causal": lambda q, k, v: attention(q, k, v, is_causal=True),
    "attention_mask": lambda q, k, v: attention(q, k, v, mask=mask), "attention_alone": lambda q, k, v: attention(q[0], k[0], v[0]),
}
for name, f in CALLS.items():
    CASES[name] = lambda f=f: f(q, k1, v1)
    for at in range(3):
        CASES[f"{name}_slope{at}"] = lambda f=f, at=at: jax.grad(lambda *a: jnp.sum(f(*a) ** 2), at)(q, k1, v1)
    CASES[name + "_half"] = lambda f=f: f(q.astype(jnp.float16), k1.astype(jnp.float16), v1.astype(jnp.float16)).astype(jnp.float32)
    CASES[name + "_map"] = lambda f=f: jax.vmap(f, (0, None, 0))(jnp.stack([q, -q]), k1, jnp.stack([v1, v1 + 1]))
CASES |= {
    "one_hot_wide": lambda: nn.one_hot(jnp.array([[0, 3], [-1, 2]]), 3, dtype=jnp.float64), "one_hot_axis": lambda: nn.one_hot(jnp.array([[0, 1], [2, 9]]), 3, axis=0, dtype=jnp.float32),
    "one_hot_none": lambda: nn.one_hot(jnp.zeros((0,), jnp.int32), 2, dtype=jnp.float32), "one_hot_map": lambda: jax.vmap(lambda i: nn.one_hot(i, 3, dtype=jnp.float32))(jnp.array([0, 2])),
    "softmax_where": lambda: nn.softmax(x, where=some), "softmax_axes": lambda: nn.softmax(c, (0, 2)), "log_softmax_where": lambda: nn.log_softmax(x, 0, where=some),
    "softmax_where_slope": lambda: jax.grad(lambda y: jnp.sum(nn.softmax(y, where=some) * weights))(x), "log_softmax_axes": lambda: nn.log_softmax(c, (0, 2)),
    "standardize_where": lambda: nn.standardize(x, where=x > -3), "standardize_axes": lambda: nn.standardize(c, (0, 2), epsilon=0.1), "logsumexp_where": lambda: nn.logsumexp(x, 1, where=some),
}


def scaled(a, b, p, q):
    """The definition of jax.nn.scaled_matmul, which runs only on GPUs."""
    return jnp.einsum("BMK,BNK->BMN", a * jnp.repeat(p, a.shape[-1] // p.shape[-1], -1), b * jnp.repeat(q, b.shape[-1] // q.shape[-1], -1))


blocks = [(numbers((2, 3, 8)), numbers((2, 5, 8), 5, 13), numbers((2, 3, 2), 3, 7), numbers((2, 5, 2), 5, 19)), (numbers((1, 2, 3)), numbers((1, 1, 3), 5, 13), numbers((1, 2, 3), 3, 7), numbers((1, 1, 3), 5, 19))]
for at, four in enumerate(blocks):
    CASES[f"scaled_matmul.{at}"] = lambda four=four: scaled(*four)
    for k in range(4):
        CASES[f"scaled_matmul.{at}_slope{k}"] = lambda four=four, k=k: jax.grad(lambda *a: jnp.sum(scaled(*a) ** 2), k)(*four)
    CASES[f"scaled_matmul.{at}_map"] = lambda four=four: jax.vmap(scaled, (0, None, None, 0))(jnp.stack([four[0], -four[0]]), *four[1:3], jnp.stack([four[3], 2 * four[3]]))
CASES["scaled_matmul_odd"] = lambda: scaled(blocks[0][0].at[0, 0, 0].set(nan).at[0, 1, 5].set(inf), *blocks[0][1:])
SHORT = {"float32": "f32", "float64": "f64"}

print(f"# made by make_nn.py with jax {jax.__version__}")
for name, f in CASES.items():
    # Without 64-bit types, Python's numbers and integers become floats of 32 bits, as in Weft.
    jax.config.update("jax_enable_x64", name.endswith(("_f64", "_wide", "_int")) and name[:4] in ("hard", "spar", "log1", "logm") or name.endswith(("_f64", "_wide")))
    try:
        r = np.asarray(f())
    except (AssertionError, TypeError):  # some refuse integers, and glu an odd axis
        continue
    if r.dtype == np.int32:
        r = r.astype(np.float32)
    print(name, SHORT[str(r.dtype)], "x".join(map(str, r.shape)) or "scalar", *(float(v).hex() for v in r.ravel()))
