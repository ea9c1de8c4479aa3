# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/golden/generators/make_holomorphic.py: writes holomorphic.txt, derivatives of functions of
# complex numbers.
#
# Run with JAX 0.10.2: python make_holomorphic.py > holomorphic.txt.
#
# A line is NAME DTYPE SHAPE VALUES…, with both parts of complex numbers.
# tests/autodiff/holomorphic_test.cpp has the same functions.
import jax
import jax.numpy as jnp

from golden_lines import show

jax.config.update("jax_enable_x64", True)

Z = jnp.array([0.3 + 0.7j, -1.2 + 0.4j, 0.9 - 0.5j])
W = jnp.array([1.0 + 2.0j, -0.5 + 0.25j, 0.0 - 1.0j])
X = jnp.array([0.3, -1.2, 0.9])


def scalar(z):
    return (z * z * jnp.exp(z)).sum()


def vector(z):
    return jnp.sin(z) * z[0]


def real_scalar(z):
    return (jnp.abs(z) * jnp.exp(z).real).sum()


def real_vector(z):
    return jnp.abs(z) * z[1].imag


def mixed(z):
    return jnp.conj(z) * z * z + z.real


def turning(x):
    return jnp.exp(1j * x) * x[0]


def two(z, w):
    return (z * z * jnp.sin(w)).sum()


def main():
    print("# made by make_holomorphic.py with JAX", jax.__version__)
    show("grad", jax.grad(scalar, holomorphic=True)(Z))
    value, slope = jax.value_and_grad(scalar, holomorphic=True)(Z)
    show("value", value)
    show("value_grad", slope)
    show("jacfwd", jax.jacfwd(vector, holomorphic=True)(Z))
    show("jacrev", jax.jacrev(vector, holomorphic=True)(Z))
    show("hessian", jax.hessian(scalar, holomorphic=True)(Z))
    show("grad_of_real", jax.grad(real_scalar)(Z))
    show("jacrev_of_real", jax.jacrev(real_vector)(Z))
    show("jacfwd_of_turning", jax.jacfwd(turning)(X))
    show("jvp", jax.jvp(mixed, (Z,), (W,))[1])
    show("vjp", jax.vjp(mixed, Z)[1](W)[0])
    a, b = jax.grad(two, argnums=(0, 1), holomorphic=True)(Z, W)
    show("grad_two_0", a)
    show("grad_two_1", b)
    j = jax.jacrev(lambda z, w: z * jnp.exp(w), argnums=(0, 1), holomorphic=True)(Z, W)
    show("jacrev_two_0", j[0])
    show("jacrev_two_1", j[1])


main()
