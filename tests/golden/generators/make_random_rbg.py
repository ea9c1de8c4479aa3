# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/golden/generators/make_random_rbg.py: writes random_rbg.txt, the results of jax.random with
# "rbg" keys for the calls that tests/functions/random/random_rbg_test.cpp makes under the same
# names.
#
# Run with jax installed: python make_random_rbg.py > random_rbg.txt (made with jax 0.10.2).

import jax
import jax.numpy as jnp
from jax import random

from golden_lines import show

jax.config.update("jax_enable_x64", True)
key = random.key(42, impl="rbg")
parts = random.split(key, 3)
# With these keys the counter overflows its lower 32, its lower 64, and all 128 bits.
ends = [[0xFFFFFFFF, 7, 0xFFFFFFFF, 7], [0xFFFFFFFE, 0xFFFFFFFF] * 2, [0xFFFFFFFF] * 4]

halves = lambda x: jax.lax.bitcast_convert_type(x, jnp.uint32)

CASES = {
    "seed": lambda: random.key_data(key), "negative": lambda: random.key_data(random.key(jnp.int32(-7), impl="rbg")), "PRNGKey": lambda: random.PRNGKey(5, impl="rbg"),
    "split": lambda: random.key_data(parts), "split_grid": lambda: random.key_data(random.split(parts[1], (2, 2))), "fold_in": lambda: random.key_data(random.fold_in(key, 9)),
    "bits8": lambda: random.bits(key, (9,), jnp.uint8), "bits16": lambda: random.bits(key, (9,), jnp.uint16), "bits32": lambda: random.bits(key, (9,), jnp.uint32),
    "bits64": lambda: halves(random.bits(key, (5,), jnp.uint64)), "bits_grid": lambda: random.bits(parts[2], (3, 5), jnp.uint32), "bits_one": lambda: random.bits(parts[2], (), jnp.uint32),
    "uniform": lambda: random.uniform(key, (6,), jnp.float32, -1.0, 3.0), "normal": lambda: random.normal(key, (6,), jnp.float32), "normal64": lambda: random.normal(key, (4,), jnp.float64),
    "half": lambda: random.uniform(key, (6,), jnp.float16), "randint": lambda: random.randint(key, (6,), -5, 90, jnp.int32), "bernoulli": lambda: random.bernoulli(key, jnp.float32(0.3), (9,)),
    "permutation": lambda: random.permutation(key, jnp.arange(7, dtype=jnp.int32)), "categorical": lambda: random.categorical(key, jnp.array([0.0, 1.0, 2.0], jnp.float32), shape=(6,)).astype(jnp.int32),
    "gamma": lambda: random.gamma(key, jnp.array([0.3, 2.5, 40.0], jnp.float32), dtype=jnp.float32),
}
for i, words in enumerate(ends):
    end = random.wrap_key_data(jnp.array(words, jnp.uint32), impl="rbg")
    CASES[f"end{i}"] = lambda end=end: random.bits(end, (14,), jnp.uint32)
    CASES[f"end{i}_wide"] = lambda end=end: halves(random.bits(end, (6,), jnp.uint64))

print(f"# made by make_random_rbg.py with jax {jax.__version__}")
for name, f in CASES.items():
    show(name, f())
