# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/golden/generators/make_random_transformed.py: writes random_transformed.txt, the results of
# jax.random for the calls that tests/functions/random/random_transformed_test.cpp makes under the
# same names.
#
# Run with jax installed: python make_random_transformed.py > random_transformed.txt (made with jax
# 0.10.2).

import jax
import jax.numpy as jnp
import numpy as np
from jax import random

from golden_lines import show

inf, nan = np.inf, np.nan
key = random.key(42)
a = jnp.array([0.01, 0.3, 0.9, 1.0, 2.5, 7.0, 40.0, 1000.0], jnp.float32)
p = jnp.array([0.05, 0.3, 0.5, 0.7, 0.99, 0.2, 0.6, 0.9], jnp.float32)
grid = jnp.array([[0.5, 1.0, 2.0], [3.0, 0.2, 9.0]], jnp.float32)
counts = jnp.array([3.0, 7.0, 200.0, 1000.0, 15.0, -1.0, nan, 50.0], jnp.float32)
cov = jnp.array([[2.0, 0.5, 0.1], [0.5, 1.0, 0.2], [0.1, 0.2, 3.0]], jnp.float32)
keys = random.split(key, 3)
mean = jnp.array([1.0, 2.0, 3.0], jnp.float32)
pairs = jnp.array([[[2.0, 0.5], [0.5, 1.0]], [[3.0, 0.0], [0.0, 0.0]]], jnp.float32)


# Computes jax.random.multivariate_normal(method="svd") with the vector signs of lax::svd. LAPACK's
# signs are arbitrary.
def by_svd(key, mean, cov, shape):
    u, s, _ = jnp.linalg.svd(cov)
    size = jnp.abs(jax.lax.stop_gradient(u))
    first = jnp.argmax(size >= 0.6 * jnp.max(size, -2, keepdims=True), -2)
    signs = jnp.sign(jnp.take_along_axis(jax.lax.stop_gradient(u), first[..., None, :], -2))
    drawn = random.normal(key, shape + mean.shape[-1:])
    return mean + jnp.einsum("...ij,...j->...i", u * signs * jnp.sqrt(s[..., None, :]), drawn)


# Except for the signs, it is JAX's function.
for c, n in ((cov, 3), (pairs[0], 2)):
    one = random.multivariate_normal(key, jnp.zeros(n), c, (), method="svd")
    signs = [jnp.array(s) for s in np.ndindex(*(2,) * n)]
    u, s, _ = jnp.linalg.svd(c)
    drawn = random.normal(key, (n,))
    assert min(jnp.max(jnp.abs(by_svd(key, jnp.zeros(n), c, ()) - (u * jnp.sqrt(s)) @ (drawn * (1 - 2 * k)))) for k in signs) < 1e-5
    assert jnp.max(jnp.abs(one - (u * jnp.sqrt(s)) @ drawn)) < 1e-5

CASES = {
    "gamma": lambda: random.gamma(key, a), "gamma_many": lambda: random.gamma(key, 2.5, (40,)), "loggamma": lambda: random.loggamma(key, a), "gamma_grid": lambda: random.gamma(key, grid),
    "gamma_slope": lambda: jax.vmap(jax.grad(lambda v, k: random.gamma(k, v)), (0, None))(a, key), "loggamma_slope": lambda: jax.grad(lambda v: jnp.sum(random.loggamma(key, v)))(a),
    "gamma_map": lambda: jax.vmap(lambda k: random.gamma(k, 0.7, (2,)))(keys), "beta": lambda: random.beta(key, a, p), "dirichlet": lambda: random.dirichlet(key, grid),
    "dirichlet_shape": lambda: random.dirichlet(key, grid[0], (2,)), "chisquare": lambda: random.chisquare(key, a), "f": lambda: random.f(key, a, a[::-1]), "t": lambda: random.t(key, a),
    "generalized_normal": lambda: random.generalized_normal(key, 1.5, (5,)), "ball": lambda: random.ball(key, 3, 2, (4,)), "maxwell": lambda: random.maxwell(key, (5,)),
    "double_sided_maxwell": lambda: random.double_sided_maxwell(key, 1.0, 2.0, (5,)), "triangular": lambda: random.triangular(key, -1.0, 0.5, 2.0, (6,)), "wald": lambda: random.wald(key, a),
    "multivariate_normal": lambda: random.multivariate_normal(key, jnp.array([1.0, 2.0, 3.0]), cov, (4,)), "geometric": lambda: random.geometric(key, p), "poisson": lambda: random.poisson(key, a),
    "poisson_many": lambda: random.poisson(key, 4.0, (20,)), "poisson_large": lambda: random.poisson(key, 30.0, (20,)), "binomial": lambda: random.binomial(key, counts, p),
    "binomial_many": lambda: random.binomial(key, 10.0, 0.3, (20,)), "binomial_large": lambda: random.binomial(key, 500.0, 0.4, (20,)),
    "multinomial": lambda: random.multinomial(key, 20.0, jnp.array([[0.2, 0.3, 0.5], [0.6, 0.1, 0.3]], jnp.float32)), "PRNGKey": lambda: random.PRNGKey(7),
    "multivariate_svd": lambda: by_svd(key, mean, cov, (4,)), "multivariate_svd_pairs": lambda: by_svd(key, mean[:2], pairs, (3, 2)),
    "multivariate_svd_slope": lambda: jax.grad(lambda c: jnp.sum(jnp.sin(by_svd(key, mean, (c + c.T) / 2, (4,)))))(cov),
    "multivariate_svd_map": lambda: jax.vmap(lambda k, c: by_svd(k, mean[:2], c, ()))(keys[:2], pairs),
    "poisson_map": lambda: jax.vmap(lambda k: random.poisson(k, 12.0, (3,)))(keys), "binomial_map": lambda: jax.vmap(lambda k: random.binomial(k, 60.0, 0.4, (3,)))(keys),
}


print(f"# made by make_random_transformed.py with jax {jax.__version__}")
for name, f in CASES.items():
    show(name, f())
