# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/golden/generators/make_initializers.py: writes initializers.txt, the results of
# jax.nn.initializers and jax.random.orthogonal. The calls are those that
# tests/functions/nn/initializers_golden_test.cpp makes under the same names. Complex numbers are
# pairs along one more axis.
#
# Run with jax installed: python make_initializers.py > initializers.txt (made with jax 0.10.2).
import jax
import jax.numpy as jnp
import numpy as np
from jax.nn import initializers as init

jax.config.update("jax_enable_x64", True)
key = jax.random.key(42)
f32, f64, f16, c64 = jnp.float32, jnp.float64, jnp.float16, jnp.complex64
fans = {"glorot_uniform": init.glorot_uniform, "glorot_normal": init.glorot_normal, "xavier_uniform": init.xavier_uniform, "xavier_normal": init.xavier_normal,
        "lecun_uniform": init.lecun_uniform, "lecun_normal": init.lecun_normal, "he_uniform": init.he_uniform, "he_normal": init.he_normal,
        "kaiming_uniform": init.kaiming_uniform, "kaiming_normal": init.kaiming_normal}
CASES = {
    "zeros": lambda: init.zeros(key, (2, 3), f32), "ones": lambda: init.ones(key, (2,), f64), "constant": lambda: init.constant(-7)(key, (2, 3), f32),
    "constant_row": lambda: init.constant(jnp.array([1.0, 2.0, 3.0], f32), f64)(key, (2, 3)), "uniform": lambda: init.uniform()(key, (2, 3), f32),
    "uniform_scale": lambda: init.uniform(3.0, f64)(key, (5,)), "normal": lambda: init.normal()(key, (2, 3), f32), "normal_scale": lambda: init.normal(5.0, f16)(key, (5,)).astype(f32),
    "normal_complex": lambda: init.normal(0.5)(key, (3,), c64), "truncated_normal": lambda: init.truncated_normal()(key, (2, 3), f32),
    "truncated_normal_ends": lambda: init.truncated_normal(2.0, f32, -0.5, 3.0)(key, (7,)),
    "fan_out": lambda: init.variance_scaling(1.5, "fan_out", "normal")(key, (3, 4), f32), "fan_geo_avg": lambda: init.variance_scaling(1.5, "fan_geo_avg", "uniform")(key, (2, 3, 4), f32),
    "fan_axes": lambda: init.variance_scaling(2.0, "fan_in", "normal", in_axis=(0, 1), out_axis=3, batch_axis=2)(key, (2, 3, 2, 4), f32),
    "fan_vector": lambda: init.variance_scaling(2.0, "fan_in", "normal", in_axis=0)(key, (6,), f32),
    "fan_dtype": lambda: init.variance_scaling(2.0, "fan_in", "uniform", dtype=f64)(key, (2, 5)), "complex_normal": lambda: init.variance_scaling(1.0, "fan_in", "normal")(key, (3, 2), c64),
    "complex_uniform": lambda: init.variance_scaling(1.0, "fan_in", "uniform")(key, (3, 2), c64), "complex_truncated": lambda: init.variance_scaling(1.0, "fan_in", "truncated_normal")(key, (3, 2), c64),
    "orthogonal": lambda: init.orthogonal()(key, (4, 4), f32), "orthogonal_tall": lambda: init.orthogonal(2.0)(key, (3, 2, 4), f32), "orthogonal_wide": lambda: init.orthogonal()(key, (2, 5), f32),
    "orthogonal_column": lambda: init.orthogonal(0.5, 0, f64)(key, (3, 2, 2)), "orthogonal_empty": lambda: init.orthogonal()(key, (0, 3), f32), "orthogonal_complex": lambda: init.orthogonal()(key, (3, 3), c64),
    "delta_3": lambda: init.delta_orthogonal()(key, (3, 3, 3), f32), "delta_4": lambda: init.delta_orthogonal(2.0)(key, (2, 3, 2, 4), f32),
    "delta_5": lambda: init.delta_orthogonal(1.0, 0, f64)(key, (1, 2, 4, 2, 2)),
    "random_square": lambda: jax.random.orthogonal(key, 3, dtype=f32), "random_shape": lambda: jax.random.orthogonal(key, 3, (2, 2), f64), "random_tall": lambda: jax.random.orthogonal(key, 4, (), f32, 2),
    "random_wide": lambda: jax.random.orthogonal(key, 2, (3,), f32, 4), "random_none": lambda: jax.random.orthogonal(key, 0, (2,), f32),
    "random_map": lambda: jax.vmap(lambda k: jax.random.orthogonal(k, 2, dtype=f32))(jax.random.split(key, 3)),
    "orthogonal_map": lambda: jax.vmap(lambda k: init.orthogonal()(k, (2, 3), f32))(jax.random.split(key, 3)),
}
for name, f in fans.items():
    CASES[name] = lambda f=f: f()(key, (3, 5), f32)
    CASES[name + "_kernel"] = lambda f=f: f(in_axis=1, out_axis=0, dtype=f64)(key, (2, 3, 3))
SHORT = {"float32": "f32", "float64": "f64", "complex64": "c64"}

print(f"# made by make_initializers.py with jax {jax.__version__}")
for name, f in CASES.items():
    r = np.asarray(f())
    parts = np.stack([r.real, r.imag], -1) if np.iscomplexobj(r) else r
    print(name, SHORT[str(r.dtype)], "x".join(map(str, r.shape)) or "scalar", *(float(v).hex() for v in parts.ravel()))
