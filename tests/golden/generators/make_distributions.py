# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/golden/generators/make_distributions.py: writes distributions.txt, the results of jax.random
# for the calls that tests/functions/random/distributions_golden_test.cpp makes under the same
# names. Each distribution has lines for a scalar, for two shapes and for none, of each float type.
# There are also lines for maps over keys and over parameters, for derivatives, and for parameters
# that are zero, negative or not finite.
#
# Run with jax installed: python make_distributions.py > distributions.txt (made with jax 0.10.2).
#
# The format of the lines is that of functions.txt. F16 and BF16 are written as F32. The signs of
# random.rademacher depend on whether JAX has 64-bit types: here it has them for F64 numbers.
import jax
import jax.numpy as jnp
import numpy as np
from jax import random

jax.config.update("jax_enable_x64", False)
inf, nan = np.inf, np.nan
key = random.key(42)
keys = random.split(key, 3)
f16, bf16, f32, f64, i32, i16 = jnp.float16, jnp.bfloat16, jnp.float32, jnp.float64, jnp.int32, jnp.int16
wide, more = [0.3, 0.9, 2.5, 7.0], [1.5, 0.4, 3.0, 1.0]
unit = [0.05, 0.3, 0.7, 0.99]
odd = [0.0, -1.0, inf, nan, 1e-30, 1e30]
odd_unit = [0.0, 1.0, -0.5, 1.5, nan, 1e-30]

# name: (f(key, parameters, shape, dtype), parameters, odd parameters)
PLAIN = {name: (lambda k, p, s, d, g=getattr(random, name): g(k, s or (), d), [], [])
         for name in ("uniform", "normal", "exponential", "gumbel", "laplace", "logistic", "cauchy", "maxwell")}
SHAPED = {name: (lambda k, p, s, d, g=getattr(random, name): g(k, *p, shape=s, dtype=d), parameters, special)
          for name, parameters, special in [
              ("truncated_normal", [[-1.0, 0.0, -inf, 2.0], [1.0, 3.0, 0.5, inf]], [[1.0, nan, -inf, 2.0], [-1.0, 1.0, inf, 2.0]]),
              ("pareto", [wide], [odd]), ("rayleigh", [wide], [odd]), ("lognormal", [wide], [odd]),
              ("gamma", [wide], [odd[:4]]), ("loggamma", [wide], [odd[:4]]), ("beta", [wide, more], None),
              ("chisquare", [wide], [odd[:2]]), ("f", [wide, more], None), ("t", [wide], None), ("wald", [wide], [odd[:4]]),
              ("triangular", [[-1.0, 0.0, 2.0, 5.0], [0.0, 0.5, 2.5, 5.5], [1.0, 3.0, 4.0, 6.0]], [[0.0, 1.0, nan], [0.0, 2.0, 1.0], [0.0, 3.0, 2.0]])]}
LAST = {name: (lambda k, p, s, d, g=getattr(random, name): g(k, *p, s or (), d), parameters, special)
        for name, parameters, special in [("weibull_min", [wide, more], [odd, more + more[:2]]), ("double_sided_maxwell", [wide, more], None)]}
REAL = PLAIN | SHAPED | LAST
COUNTS = {
    "geometric": (lambda k, p, s, d: random.geometric(k, *p, s, d), [unit], [odd_unit[:2]]),
    "poisson": (lambda k, p, s, d: random.poisson(k, *p, s, d), [[0.5, 4.0, 15.0, 80.0]], [[0.0]]),
}
logits = jnp.array([[0.1, 2.0, -1.0], [0.0, -inf, 1.0]], f32)
mean3, cov3 = jnp.array([1.0, 2.0, 3.0], f32), jnp.array([[2.0, 0.5, 0.1], [0.5, 1.0, 0.2], [0.1, 0.2, 3.0]], f32)
alpha = jnp.array([[0.5, 1.0, 2.0], [3.0, 0.2, 9.0]], f32)
outcomes = jnp.array([[0.2, 0.3, 0.5], [0.6, 0.1, 0.3]], f32)
row = jnp.arange(12, dtype=f32).reshape(3, 4)

OTHERS = {
    "key_data": lambda: random.key_data(keys), "key_seed": lambda: random.key_data(random.key(2**40 + 3)), "split_shape": lambda: random.key_data(random.split(key, (2, 1))),
    "split_none": lambda: random.key_data(random.split(key, 0)), "fold_in": lambda: random.key_data(random.fold_in(key, np.uint32(2**31))), "wrap": lambda: random.bits(random.wrap_key_data(jnp.array([5, 7], jnp.uint32)), (3,), jnp.uint32),
    "clone": lambda: random.bits(random.clone(key), (2,), jnp.uint32), "PRNGKey": lambda: random.PRNGKey(-3), "fold_map": lambda: random.key_data(jax.vmap(random.fold_in, (None, 0))(key, jnp.arange(3))),
    "key_map": lambda: random.key_data(jax.vmap(random.key)(jnp.arange(3, dtype=jnp.int32))),
    "bits": lambda: random.bits(key, (5,), jnp.uint32), "bits_none": lambda: random.bits(key, (0, 3), jnp.uint32), "bits_8": lambda: random.bits(key, (7,), jnp.uint8), "bits_16": lambda: random.bits(key, (3, 3), jnp.uint16),
    "bits_scalar": lambda: random.bits(key, (), jnp.uint32), "bits_map": lambda: jax.vmap(lambda k: random.bits(k, (2,), jnp.uint32))(keys),
    "uniform_bounds": lambda: random.uniform(key, (4,), f64, -2.0, jnp.array([0.0, 1.0, 5.0, inf])), "uniform_empty_range": lambda: random.uniform(key, (3,), f32, 2.0, 1.0),
    "uniform_slope": lambda: jax.grad(lambda v: random.uniform(key, (3,), f32, v, 4.0).sum())(jnp.float32(1.5)),
    "randint": lambda: random.randint(key, (2, 3), -5, 100, i32), "randint_bounds": lambda: random.randint(key, (3,), jnp.array([0, 5, 9], i32), jnp.array([1, 3, 1000], i32), i32),
    "randint_64": lambda: random.randint(key, (4,), -(2**40), 2**62, jnp.int64) // 2**20, "randint_8": lambda: random.randint(key, (6,), -200, 90, jnp.int8), "randint_u16": lambda: random.randint(key, (4,), 5, 65536, jnp.uint16),
    "randint_map": lambda: jax.vmap(lambda k, n: random.randint(k, (2,), 0, n, i32))(keys, jnp.array([3, 50, 1000], i32)),
    "bernoulli": lambda: random.bernoulli(key, jnp.array(odd_unit + unit, f32)), "bernoulli_shape": lambda: random.bernoulli(key, 0.4, (2, 3)), "bernoulli_64": lambda: random.bernoulli(key, jnp.array(unit, f64), (2, 4)),
    "bernoulli_map": lambda: jax.vmap(random.bernoulli)(keys, jnp.array(unit[:3], f32)), "bernoulli_scalar": lambda: random.bernoulli(key),
    "rademacher": lambda: random.rademacher(key, (2, 3), i32), "rademacher_f32": lambda: random.rademacher(key, (4,), f32), "rademacher_map": lambda: jax.vmap(lambda k: random.rademacher(k, (2,), i32))(keys),
    "normal_complex": lambda: random.normal(key, (3,), jnp.complex64), "normal_complex_128": lambda: random.normal(key, (2,), jnp.complex128), "normal_long": lambda: random.normal(key, (3, 7), f32),
    "dirichlet": lambda: random.dirichlet(key, alpha, dtype=f32), "dirichlet_shape": lambda: random.dirichlet(key, alpha[0], (2, 2), f32), "dirichlet_64": lambda: random.dirichlet(key, alpha.astype(f64), dtype=f64),
    "dirichlet_small": lambda: random.dirichlet(key, jnp.full((4,), 1e-4, f32), dtype=f32), "dirichlet_map": lambda: jax.vmap(lambda k: random.dirichlet(k, alpha[0], dtype=f32))(keys),
    "dirichlet_slope": lambda: jax.grad(lambda a: (random.dirichlet(key, a, dtype=f32) * jnp.arange(1.0, 4.0)).sum())(alpha),
    "ball": lambda: random.ball(key, 3, 2, (4,), f32), "ball_1": lambda: random.ball(key, 2, 1, (2, 2), f32), "ball_64": lambda: random.ball(key, 2, 2.5, dtype=f64), "ball_map": lambda: jax.vmap(lambda k: random.ball(k, 2, dtype=f32))(keys),
    "generalized_normal": lambda: random.generalized_normal(key, 1.5, (5,), f32), "generalized_normal_2": lambda: random.generalized_normal(key, 2.0, (2, 2), f32), "generalized_normal_64": lambda: random.generalized_normal(key, 0.7, dtype=f64),
    "generalized_normal_map": lambda: jax.vmap(lambda k: random.generalized_normal(k, 3.0, (2,), f32))(keys),
    "multivariate_normal": lambda: random.multivariate_normal(key, mean3, cov3, dtype=f32), "multivariate_normal_shape": lambda: random.multivariate_normal(key, mean3, cov3, (2, 2), f32),
    "multivariate_normal_many": lambda: random.multivariate_normal(key, mean3, jnp.stack([cov3, 4 * cov3]), dtype=f32), "multivariate_normal_64": lambda: random.multivariate_normal(key, mean3.astype(f64), cov3.astype(f64), dtype=f64),
    "multivariate_normal_map": lambda: jax.vmap(lambda k: random.multivariate_normal(k, mean3, cov3, dtype=f32))(keys),
    "multivariate_normal_slope": lambda: jax.grad(lambda c: (random.multivariate_normal(key, mean3, c, dtype=f32) ** 2).sum())(cov3),
    "multivariate_normal_svd": lambda: random.multivariate_normal(key, 0 * mean3, jnp.diag(mean3), (3,), f32, method="svd"),
    "binomial": lambda: random.binomial(key, jnp.array([3.0, 200.0, 1000.0, 15.0], f32), jnp.array(unit, f32), dtype=f32), "binomial_shape": lambda: random.binomial(key, 20.0, 0.3, (2, 3), f32),
    "binomial_64": lambda: random.binomial(key, jnp.array([3.0, 200.0]), jnp.array([0.5, 0.1]), dtype=f64), "binomial_odd": lambda: random.binomial(key, jnp.array([-1.0, nan, 5.0, 5.0, 0.0], f32), jnp.array([0.5, 0.5, 0.0, 1.0, 0.5], f32), dtype=f32),
    "binomial_map": lambda: jax.vmap(lambda k, n: random.binomial(k, n, 0.4, (2,), f32))(keys, jnp.array([5.0, 60.0, 500.0], f32)),
    "multinomial": lambda: random.multinomial(key, 20.0, outcomes, dtype=f32), "multinomial_each": lambda: random.multinomial(key, jnp.array([3.0, 50.0], f32), outcomes, dtype=f32),
    "multinomial_64": lambda: random.multinomial(key, 30.0, outcomes[0].astype(f64), dtype=f64), "multinomial_map": lambda: jax.vmap(lambda k: random.multinomial(k, 9.0, outcomes[0], dtype=f32))(keys),
    "categorical": lambda: random.categorical(key, logits), "categorical_shape": lambda: random.categorical(key, logits, shape=(4, 2)), "categorical_axis": lambda: random.categorical(key, logits, axis=0),
    "categorical_64": lambda: random.categorical(key, logits.astype(f64), shape=(3, 2)).astype(i32), "categorical_map": lambda: jax.vmap(random.categorical)(random.split(key, 2), logits), "categorical_odd": lambda: random.categorical(key, jnp.array([[nan, 1.0], [-inf, -inf], [inf, 1.0]], f32)),
    "permutation": lambda: random.permutation(key, 9), "permutation_rows": lambda: random.permutation(key, row), "permutation_axis": lambda: random.permutation(key, row, 1), "permutation_each": lambda: random.permutation(key, row, 1, independent=True),
    "permutation_none": lambda: random.permutation(key, 0), "permutation_one": lambda: random.permutation(key, jnp.array([3.0], f32)), "permutation_map": lambda: jax.vmap(lambda k: random.permutation(k, 5))(keys), "permutation_long": lambda: random.permutation(key, 2000)[:50],
    "choice": lambda: random.choice(key, 10, (2, 3)), "choice_of": lambda: random.choice(key, jnp.array(wide, f32), (5,)), "choice_scalar": lambda: random.choice(key, 7), "choice_axis": lambda: random.choice(key, row, (2,), axis=1), "choice_once": lambda: random.choice(key, row, (2,), replace=False),
    "choice_p": lambda: random.choice(key, jnp.array(wide, f32), (6,), p=jnp.array([0.1, 0.0, 0.6, 0.3], f32)), "choice_p_once": lambda: random.choice(key, 4, (3,), replace=False, p=jnp.array([0.1, 0.2, 0.4, 0.3], f32)), "choice_none": lambda: random.choice(key, 5, (0,)),
    "choice_map": lambda: jax.vmap(lambda k: random.choice(k, 6, (2,)))(keys),
}
SHORT = {"float32": "f32", "float64": "f64", "int32": "i32", "int64": "i64", "uint32": "u32", "bool": "bool", "uint8": "u8", "uint16": "u16", "int8": "i8", "int16": "i16", "complex64": "c64", "complex128": "c128"}
WIDE = ("key_seed", "normal_complex_128", "uniform_bounds")
NARROW = {"f16": f16, "bf16": bf16}


def text(e):
    return str(int(e)) if np.issubdtype(e.dtype, np.integer) or e.dtype == bool else "nan" if np.isnan(e) else "inf" if e == inf else "-inf" if e == -inf else float(e).hex()


def line(name, f):
    # Without 64-bit types, Python's numbers have 32 bits, as in Weft.
    jax.config.update("jax_enable_x64", "64" in name or name in WIDE)
    r = f()
    r = np.asarray(r.astype(f32) if r.dtype in (bf16, f16) else r)
    parts = np.stack([r.real, r.imag], -1) if np.iscomplexobj(r) else r
    print(name, SHORT[str(r.dtype)], "x".join(map(str, r.shape)) or "scalar", *map(text, parts.ravel()))


def of(lists, d):
    return [jnp.array(p, d) for p in lists]


def whole(name, p, shape):
    """Broadcasts the parameters, since jax.random.f needs parameters of the rank of its shape."""
    return [jnp.broadcast_to(q, shape) for q in p] if name == "f" else p


print(f"# made by make_distributions.py with jax {jax.__version__}")
for name, (f, parameters, special) in (REAL | COUNTS).items():
    count = name in COUNTS
    p, first = of(parameters, f32), of([p[1] for p in parameters], f32)
    out = i32 if count else f32
    line(name, lambda: f(key, p, None if p else (4,), out))
    line(f"{name}_scalar", lambda: f(key, first, (), out))
    if name != "double_sided_maxwell":
        line(f"{name}_shape", lambda: f(key, whole(name, p, (2, 3, 4)), (2, 3, 4), out))
        line(f"{name}_none", lambda: f(key, whole(name, first, (0, 4)), (0, 4), out))
    line(f"{name}_map", lambda: jax.vmap(lambda k, *q: f(k, whole(name, q, (2,)), (2,), out))(keys, *(q[:3] for q in p)))
    if count:
        line(f"{name}_i16", lambda: f(key, p, (2, 4), i16))
        line(f"{name}_f64", lambda: f(key, of(parameters, f64), (4,), i32))
    else:
        line(f"{name}_f64", lambda: f(key, of(parameters, f64), (4,), f64))
        if name not in ("gamma", "loggamma", "beta", "chisquare", "f", "t", "wald"):
            for narrow, d in NARROW.items():
                line(f"{name}_{narrow}", lambda: f(key, of(parameters, d), (8,) if not p else (2, 4), d))
        for k in range(len(p)):
            line(f"{name}_slope{k}", lambda: jax.grad(lambda v: jnp.sum(f(key, [*p[:k], v, *p[k + 1:]], None if name not in LAST else (4,) if name == "weibull_min" else (), f32)))(p[k]))
    if special:
        special = of(special, f32)
        line(f"{name}_odd", lambda: f(key, special, special[0].shape, out))
for name, f in OTHERS.items():
    line(name, f)
