# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/golden/generators/make_random_modes.py: writes random_modes.txt, the samples of jax.random
# with modes, without replacement and with parameters that are arrays. The names are those of
# tests/functions/random/random_modes_test.cpp.
#
# Run with jax installed: python make_random_modes.py > random_modes.txt (made with jax 0.10.2).

import jax
import jax.numpy as jnp
from jax import random

from golden_lines import show, x as steps

print(f"# made by make_random_modes.py with jax {jax.__version__}")
key = random.key(7)
logits = steps((3, 5))
p = jnp.array([0.1, 0.5, 0.9], jnp.float32)
for mode in ("low", "high", "highest"):
    show(f"gumbel.{mode}", random.gumbel(key, (3, 5), jnp.float32, mode=mode))
    show(f"gumbel.{mode}.f16", random.gumbel(key, (4,), jnp.float16, mode=mode).astype(jnp.float32))
    show(f"gumbel.{mode}.many", jnp.sort(random.gumbel(random.key(1), (1000,), jnp.float32, mode=mode))[::50])
    show(f"categorical.{mode}", random.categorical(key, logits, mode=mode))
    show(f"categorical.{mode}.none", random.categorical(key, logits, 0, replace=False, mode=mode))
    show(f"choice.{mode}", random.choice(key, 6, (3,), replace=False, p=jnp.array([0.1, 0.2, 0.05, 0.4, 0.15, 0.1], jnp.float32), mode=mode))
show("categorical.two", random.categorical(key, logits, shape=(2, 3), replace=False))
show("categorical.all", random.categorical(key, logits, 0, shape=(3, 5), replace=False))
show("categorical.matrix", random.categorical(key, logits, 1, shape=(2, 2, 3), replace=False))
show("categorical.vector", random.categorical(key, logits[0], shape=(4,), replace=False))
show("categorical.axis", random.categorical(key, logits, 0, shape=(2, 5)))
show("bernoulli.high", random.bernoulli(key, p, (4, 3), mode="high"))
show("bernoulli.low", random.bernoulli(key, p, (4, 3), mode="low"))
show("bernoulli.high.scalar", random.bernoulli(key, 0.3, (9,), mode="high"))
show("rademacher.f32", random.rademacher(key, (5,), jnp.float32))
show("rademacher.i8", random.rademacher(key, (5,), jnp.int8))
powers = jnp.array([0.7, 1.5, 3.0], jnp.float32)
show("generalized_normal", random.generalized_normal(key, powers, (2, 3)))
show("generalized_normal.slope", jax.grad(lambda q: jnp.sum(random.generalized_normal(key, q, (2, 3))))(powers))
show("generalized_normal.map", jax.vmap(lambda q: random.generalized_normal(key, q, (2,)))(powers))
show("ball", random.ball(key, 3, jnp.float32(1.5), (2,)))
show("ball.slope", jax.grad(lambda q: jnp.sum(random.ball(key, 3, q, (2,)) ** 2))(jnp.float32(1.5)))
show("ball.map", jax.vmap(lambda q: random.ball(key, 3, q))(powers))
show("weibull_min", random.weibull_min(key, powers, jnp.array([[1.5], [2.0]], jnp.float32), (2, 3)))
jax.config.update("jax_enable_x64", True)
show("gumbel.high.f64", random.gumbel(key, (3,), jnp.float64, mode="high"))
show("bernoulli.high.f64", random.bernoulli(key, jnp.array([0.2, 0.8]), mode="high"))
show("lognormal.complex", random.lognormal(key, 0.5, (3,), jnp.complex128))
