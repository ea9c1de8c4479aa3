# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/golden/generators/make_linalg_points.py: writes linalg_points.txt, the results of
# jax.numpy.linalg, jax.scipy.linalg and jax.lax.linalg for the calls of
# tests/functions/linalg/linalg_points_test.cpp. The matrices are empty, of one element, singular,
# defective, indefinite, not finite, of F32, or of integers.
#
# Run with jax installed: python make_linalg_points.py > linalg_points.txt (made with jax 0.10.2).
#
# The format of the lines is that of linalg.txt, with the name "FUNCTION.POINT". Vectors of
# arbitrary phase are compared by their magnitudes, or by functions that do not depend on the phase.
# Pairs for which JAX has no value have no line. The pairs of NOT_JAX have none either: there JAX
# returns the intermediate values of LAPACK when it met a NaN or an infinity.
import jax

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platforms", "cpu")
import jax.numpy as jnp
import jax.scipy.linalg as sl
import numpy as np
from jax._src.lax import linalg as internal
from jax.lax import linalg as ll
from jax.numpy import linalg as nl

inf, nan = np.inf, np.nan
whole = np.array([[2, 1, 0], [1, 3, -1], [0, 2, 4]])
# These numbers are exact in F32.
usual = whole + np.array([[0.5, -0.25, 1.25], [0.75, 0, -0.5], [-1.5, 0.25, 0]])
POINTS = {
    "empty": jnp.zeros((0, 0)),
    "none": jnp.zeros((0, 3, 3)),
    "one": jnp.array([[-2.5]]),
    "one_zero": jnp.array([[0.0]]),
    "positive": jnp.array([[4.0]]),
    "zero": jnp.zeros((3, 3)),
    "unit": jnp.eye(3),
    "singular": jnp.array([[1.0, 2, 4], [2, 4, 8], [1, 0, 2]]),
    "indefinite": jnp.array([[1.0, 2], [2, 1]]),
    "defective": jnp.array([[2.0, 1], [0, 2]]),
    "turn": jnp.array([[0.0, -1], [1, 0]]),
    "swap": jnp.array([[0.0, 1], [1, 0]]),
    "nan": jnp.array(usual).at[0, 1].set(nan),
    "inf": jnp.array(usual).at[1, 1].set(inf),
    "f32": jnp.array(usual, jnp.float32),
    "c64": jnp.array(usual + 1j * whole.T, jnp.complex64),
    "int": jnp.array(whole, jnp.int32),
    "batch": jnp.stack([jnp.array(usual), jnp.zeros((3, 3)), jnp.array(whole + 0.0)]),
    "spd": jnp.array(whole @ whole.T + 0.0),
    "half_rank": jnp.array([[4.0, 2, 2], [2, 1, 1], [2, 1, 5]]),
}


def ones(a, columns=None):
    shape = a.shape[:-1] if columns is None else a.shape[:-1] + (columns,)
    return jnp.ones(shape, a.dtype)


def projector(q):
    return q @ jnp.conj(q.mT)


def spectral(w, v):
    return (v * w[..., None, :]) @ jnp.conj(v.mT)


def again(u, s, vh):
    k = s.shape[-1]
    return (u[..., :k] * s[..., None, :]) @ vh[..., :k, :]


def by_part(z):
    """The eigenvalues in an order that is independent of rounding."""
    return jnp.sum(z, -1), jnp.prod(z, -1)


def line_of(a, k, axis=-1):
    if a.shape[axis] <= k:
        raise IndexError(k)  # jnp would take the last one
    return jnp.take(a, k, axis=axis)


FUNCTIONS = {
    "cholesky": nl.cholesky,
    "cholesky_upper": lambda a: nl.cholesky(a, upper=True),
    "cholesky_lower_only": lambda a: nl.cholesky(a, symmetrize_input=False),
    "cho_factor": lambda a: jnp.triu(sl.cho_factor(a)[0]),
    "cho_solve": lambda a: sl.cho_solve((a, True), ones(a, 2)),
    "solve_triangular": lambda a: sl.solve_triangular(a, ones(a, 2)),
    "solve_triangular_lower": lambda a: sl.solve_triangular(a, ones(a, 2), lower=True, trans=1),
    "solve_triangular_unit": lambda a: sl.solve_triangular(a, ones(a, 2), lower=True, trans=2, unit_diagonal=True),
    "triangular_right": lambda a: ll.triangular_solve(a, ones(a), left_side=False, lower=True),
    "triangular_conj": lambda a: ll.triangular_solve(a, ones(a, 1), left_side=True, transpose_a=True, conjugate_a=True),
    "lu": lambda a: ll.lu(a)[0],
    "lu_pivots": lambda a: ll.lu(a)[1],
    "lu_order": lambda a: ll.lu(a)[2],
    "lu_p": lambda a: sl.lu(a)[0],
    "lu_l": lambda a: sl.lu(a)[1],
    "lu_u": lambda a: sl.lu(a)[2],
    "lu_factor": lambda a: sl.lu_factor(a)[0],
    "lu_solve": lambda a: sl.lu_solve(sl.lu_factor(a), ones(a, 2)),
    "qr_r": lambda a: jnp.abs(nl.qr(a)[1]),
    "qr_q": lambda a: jnp.abs(nl.qr(a)[0]),
    "qr_complete": lambda a: jnp.abs(nl.qr(a, mode="complete")[1]),
    "geqrf": lambda a: internal.geqrf(a)[0],
    "taus": lambda a: internal.geqrf(a)[1],
    "geqp3_order": lambda a: internal.geqp3(a, jnp.zeros(a.shape[:-2] + a.shape[-1:], jnp.int32))[1],
    "householder_product": lambda a: ll.householder_product(a, ones(a) / 2),
    "ormqr": lambda a: ll.ormqr(a, ones(a) / 2, ones(a, 2)),
    "pivoted_r": lambda a: jnp.abs(ll.qr(a, pivoting=True)[1]),
    "eigvalsh": nl.eigvalsh,
    "eigvalsh_upper": lambda a: nl.eigvalsh(a, UPLO="U", symmetrize_input=False),
    "eigh_again": lambda a: spectral(*nl.eigh(a)),
    "eigvals_sum": lambda a: by_part(nl.eigvals(a))[0],
    "eigvals_product": lambda a: by_part(nl.eigvals(a))[1],
    "svdvals": nl.svdvals,
    "svd_again": lambda a: again(*nl.svd(a)),
    "svd_projector": lambda a: projector(nl.svd(a)[0]),
    "svd_hermitian": lambda a: nl.svd(a, hermitian=True)[1],
    "solve": lambda a: nl.solve(a, ones(a, 2)),
    "solve_vector": lambda a: nl.solve(a, jnp.ones(a.shape[-1:], a.dtype)),
    "inv": nl.inv,
    "det": nl.det,
    "slogdet_sign": lambda a: nl.slogdet(a)[0],
    "slogdet": lambda a: nl.slogdet(a)[1],
    "power_3": lambda a: nl.matrix_power(a, 3),
    "power_0": lambda a: nl.matrix_power(a, 0),
    "power_inverse": lambda a: nl.matrix_power(a, -1),
    "expm": sl.expm,
    "expm_frechet": lambda a: sl.expm_frechet(a, jnp.ones_like(a))[1],
    "multi_dot": lambda a: nl.multi_dot([a, a, a]),
    "trace": nl.trace,
    "diagonal": nl.diagonal,
    "matrix_transpose": nl.matrix_transpose,
    "pinv": nl.pinv,
    "pinv_hermitian": lambda a: nl.pinv(a, hermitian=True),
    "matrix_rank": lambda a: nl.matrix_rank(a).astype(jnp.int32),
    "lstsq": lambda a: nl.lstsq(a, ones(a, 2))[0],
    "lstsq_residuals": lambda a: nl.lstsq(a, ones(a, 2))[1],
    "lstsq_rank": lambda a: nl.lstsq(a, ones(a, 2))[2].astype(jnp.int32),
    "lstsq_s": lambda a: nl.lstsq(a, ones(a, 2))[3],
    "polar_u": lambda a: sl.polar(a, method="svd")[0],
    "polar_p": lambda a: sl.polar(a, method="svd")[1],
    "norm": lambda a: nl.norm(a, axis=(-2, -1)),
    "norm_all": lambda a: nl.norm(a),
    "norm_1": lambda a: nl.norm(a, 1, axis=(-2, -1)),
    "norm_inf": lambda a: nl.norm(a, inf, axis=(-2, -1)),
    "norm_least": lambda a: nl.norm(a, -inf, axis=(-2, -1)),
    "norm_2": lambda a: nl.norm(a, 2, axis=(-2, -1)),
    "norm_nuc": lambda a: nl.norm(a, "nuc", axis=(-2, -1)),
    "matrix_norm": nl.matrix_norm,
    "vector_norm": lambda a: nl.vector_norm(a, axis=-1),
    "vector_norm_half": lambda a: nl.vector_norm(a, axis=-1, ord=0.5),
    "vector_norm_0": lambda a: nl.vector_norm(a, axis=-1, ord=0),
    "vector_norm_negative": lambda a: nl.vector_norm(a, axis=-1, ord=-2),
    "cond": nl.cond,
    "cond_1": lambda a: nl.cond(a, 1),
    "cond_2": lambda a: nl.cond(a, 2),
    "cond_fro": lambda a: nl.cond(a, "fro"),
    "cond_inf": lambda a: nl.cond(a, -inf),
    "schur_diagonal": lambda a: jnp.sum(jnp.diagonal(sl.schur(a)[0], axis1=-2, axis2=-1)),
    "schur_complex": lambda a: (lambda t, z: z @ t @ jnp.conj(z.mT))(*sl.schur(a, "complex")),
    "hessenberg": lambda a: sl.hessenberg(a),
    "hessenberg_q": lambda a: sl.hessenberg(a, calc_q=True)[1],
    "tridiagonal_d": lambda a: ll.tridiagonal(a)[1],
    "tridiagonal_e": lambda a: jnp.abs(ll.tridiagonal(a)[2]),
    "sqrtm": sl.sqrtm,
    "sylvester": lambda a: sl.solve_sylvester(a, a, jnp.ones_like(a)),
    "eigh_tridiagonal": lambda a: sl.eigh_tridiagonal(line_of(a, 0), line_of(a, 1)[..., 1:], eigvals_only=True),
    "tridiagonal_solve": lambda a: ll.tridiagonal_solve(*(line_of(a, k) for k in range(3)), ones(a, 2)),
    "symmetric_product": lambda a: ll.symmetric_product(a, jnp.ones_like(a), alpha=2.0, beta=0.5, symmetrize_output=True),
    "cholesky_update": lambda a: ll.cholesky_update(jnp.triu(a), jnp.ones(a.shape[-1:], a.dtype)),
    "block_diag": lambda a: sl.block_diag(a, a),
    "toeplitz": lambda a: sl.toeplitz(line_of(a, 0), line_of(a, 1)),
    "outer": lambda a: nl.outer(line_of(a, 0, 0), line_of(a, 1, 0)),
    "cross": lambda a: nl.cross(a, a.mT),
    "matmul": lambda a: nl.matmul(a, a),
    "tensordot": lambda a: nl.tensordot(a, a, axes=1),
    "vecdot": lambda a: nl.vecdot(a, a.mT),
    "qdwh_u": lambda a: ll.qdwh(a)[0],
    "qdwh_h": lambda a: ll.qdwh(a)[1],
}
NOT_JAX = {name: ("nan", "inf") for name in ("cholesky", "cholesky_upper", "cho_factor", "geqp3_order", "pivoted_r", "hessenberg", "hessenberg_q", "lstsq", "taus")}
NOT_JAX |= {name: ("inf",) for name in ("cholesky_lower_only", "pinv", "svd_projector", "toeplitz", "tridiagonal_d", "tridiagonal_e")}
# For a singular matrix these factors are not unique, or they consist of rounding errors.
NOT_JAX |= {"polar_u": ("inf", "singular"), "qdwh_u": ("singular",), "qr_q": ("nan", "inf", "half_rank")}
NOT_JAX |= {name: NOT_JAX.get(name, ()) + ("half_rank",) for name in ("qr_r", "qr_complete", "geqrf", "taus")}
SHORT = {"float64": "f64", "int32": "i32", "complex128": "c128", "float32": "f32", "complex64": "c64", "int64": "i64"}


def number(e):
    return "nan" if np.isnan(e) else "inf" if e == inf else "-inf" if e == -inf else float(e).hex()


def write(name, r):
    r = np.asarray(r)
    parts = np.stack([r.real, r.imag], -1).ravel() if np.iscomplexobj(r) else r.ravel()
    print(name, SHORT[str(r.dtype)], "x".join(map(str, r.shape)) or "scalar", *map(number, parts))


print(f"# made by make_linalg_points.py with jax {jax.__version__}")
for name, f in FUNCTIONS.items():
    for point, a in POINTS.items():
        if point in NOT_JAX.get(name, ()):
            continue
        # Integers become F32, as they do without 64-bit types.
        jax.config.update("jax_enable_x64", point != "int")
        try:
            r = f(a)
        except (IndexError, TypeError, ValueError):
            continue
        write(f"{name}.{point}", r)
