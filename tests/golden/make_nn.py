# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/golden/make_nn.py: writes nn.txt, what jax.nn gives for the calls that
# tests/functions/nn_golden_test.cpp makes under the same names: values, derivatives, special values.
#
# Run with jax installed: python make_nn.py > nn.txt (made with jax 0.10.2)
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
SHORT = {"float32": "f32", "float64": "f64"}

print(f"# made by make_nn.py with jax {jax.__version__}")
for name, f in CASES.items():
    r = np.asarray(f())
    print(name, SHORT[str(r.dtype)], "x".join(map(str, r.shape)) or "scalar", *(float(v).hex() for v in r.ravel()))
