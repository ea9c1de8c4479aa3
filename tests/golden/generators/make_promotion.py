# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/golden/generators/make_promotion.py: writes promotion.txt, JAX's promotion of every pair of
# types.
#
# Run with jax installed: python make_promotion.py > promotion.txt (made with jax 0.10.2).
#
# A line is "a weak_a b weak_b : jax jax_weak : weft weft_weak". The first result is JAX's with
# jax_enable_x64. The second one differs if JAX's result is a bare Python kind (int, float or
# complex). There JAX with x64 uses its 64-bit default. Weft uses the 32-bit default of its
# interface unless an operand has 64 bits.
import jax
jax.config.update("jax_enable_x64", True)
import jax.numpy as jnp
from jax._src.lax import lax
from jax._src import dtypes

NAMES = ["bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "bf16", "f16", "f32", "f64", "c64", "c128"]
NUMPY = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bfloat16", "float16",
         "float32", "float64", "complex64", "complex128"]
SHORT = dict(zip(NUMPY, NAMES))
WIDE = {"i64", "u64", "f64", "c128"}


def value(name, weak):
    x = lax._convert_element_type(jnp.zeros(()), jnp.dtype(NUMPY[NAMES.index(name)]), weak_type=weak)
    assert dtypes.is_weakly_typed(x) == weak
    return x


def node(name, weak):
    return dtypes._jax_type(jnp.dtype(NUMPY[NAMES.index(name)]), weak)


print(f"# made by make_promotion.py with jax {jax.__version__}")
for a in NAMES:
    for wa in (False, True):
        for b in NAMES:
            for wb in (False, True):
                if (a == "bool" and wa) or (b == "bool" and wb):
                    continue  # JAX has no weak bool
                dtype, weak = dtypes.lattice_result_type(value(a, wa), value(b, wb))
                jax_name = weft_name = SHORT[str(dtype)]
                if not (wa and wb) and not ({a, b} & WIDE):
                    bound = dtypes._least_upper_bound(
                        jax.config.jax_numpy_dtype_promotion, True, node(a, wa), node(b, wb))
                    for kind, default in ((int, "i32"), (float, "f32"), (complex, "c64")):
                        if bound is kind:
                            weft_name = default
                print(f"{a} {int(wa)} {b} {int(wb)} : {jax_name} {int(weak)} : {weft_name} {int(weak)}")
