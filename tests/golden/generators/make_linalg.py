# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/golden/generators/make_linalg.py: writes linalg.txt, the results of jax.numpy.linalg and
# jax.scipy.linalg. The calls are those that tests/functions/linalg/linalg_golden_test.cpp makes
# under the same names.
#
# Run with jax installed: python make_linalg.py > linalg.txt (made with jax 0.10.2).
#
# A line is "name dtype shape values…", with floats in hexadecimal and both parts of complex
# numbers. NAME is the value. NAME.slope is the gradient of sum(real(f * w)) with respect to the
# matrix. NAME.slope2 is the gradient of the sum of the squares of that gradient. NAME.odd is for a
# singular matrix and a NaN matrix. x(shape, m, k)[i] = ((i * m) % k - k // 2) / 4.
import jax

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platforms", "cpu")
import jax.numpy as jnp
import jax.scipy.linalg as sl
import numpy as np
from jax._src.lax import linalg as internal
from jax.lax import linalg as ll
from jax.numpy import linalg as nl


def x(shape, m=7, k=11):
    i = np.arange(int(np.prod(shape)))
    return jnp.asarray((((i * m) % k - k // 2) / 4).reshape(shape))


square = x((4, 4), 7, 23) + 2 * jnp.eye(4)
many = x((2, 3, 3), 5, 17) + 3 * jnp.eye(3)
tall, wide, broad = x((5, 3), 7, 19), x((3, 5), 7, 17), x((3, 5), 5, 19)
turned = square + 1j * x((4, 4), 5, 19)
b4, b3, c4 = x((4,), 3, 7), x((2, 3, 2), 3, 13), x((4, 2), 5, 11)
singular = square.at[3].set(square[0] + square[1])
nothing = jnp.zeros((4, 4))
nan = square.at[1, 2].set(jnp.nan)
spd = square @ square.T + jnp.eye(4)
# This matrix has two pairs of complex eigenvalues.
blocks = jnp.array([[1, 2, 0.5, 1], [-3, 1, 0.25, -1], [0, 0.5, 2, -4], [1, 0, 1, 2.5]])

def plu(a):
    return sl.lu(a) if a.ndim == 2 else jax.vmap(sl.lu)(a)


def spectral(w, v):
    return (v * jnp.sin(w)[..., None, :]) @ jnp.conj(v.mT)


def singular_function(u, s, vh):
    return (u * jnp.sin(s)[..., None, :]) @ vh


# JAX has no derivative of cholesky_update.
def updated(r, w):
    r = jnp.triu(r)
    return nl.cholesky(r.T @ r + jnp.outer(w, w)).T


# These functions of eigenvalues and eigenvectors do not depend on the order of the values and the
# phases of the vectors.
def eig(a, left=False):
    return ll.eig(a, compute_left_eigenvectors=left, enable_eigvec_derivs=True)


def general_function(w, v):
    return (v * jnp.exp(w / 4)[..., None, :]) @ nl.inv(v)


# These compute the results of solve_sylvester and eigh_tridiagonal by functions that JAX can
# differentiate.
def sylvester(a, b, c):
    m, n = c.shape
    whole = jnp.kron(jnp.eye(n), a) + jnp.kron(b.T, jnp.eye(m))
    return nl.solve(whole, c.T.reshape(-1)).reshape(n, m).T


def tridiagonal(d, e):
    return jnp.diag(d) + jnp.diag(e, 1) + jnp.diag(e, -1)


# name: (f, matrices at which it is differentiated)
SMOOTH = {
    "solve_vector": (lambda a: nl.solve(a, b4), [square]),
    "solve": (lambda a: nl.solve(a, b3), [many]),
    "solve_complex": (lambda a: nl.solve(a, c4), [turned]),
    "inv": (nl.inv, [square, many, turned]),
    "det": (nl.det, [square, many, turned, singular]),
    "slogdet": (lambda a: nl.slogdet(a)[1], [square, many, turned]),
    "lu": (lambda a: ll.lu(a)[0], [square, many, turned, tall, wide]),
    "lu_l": (lambda a: plu(a)[1], [square, many, tall, wide]),
    "lu_u": (lambda a: plu(a)[2], [square, many, tall, wide]),
    "lu_solve": (lambda a: sl.lu_solve(sl.lu_factor(a), c4), [square, turned]),
    "lu_solve_trans": (lambda a: sl.lu_solve(sl.lu_factor(a), c4, trans=1), [square, turned]),
    "lu_solve_conj": (lambda a: sl.lu_solve(sl.lu_factor(a), c4, trans=2), [turned]),
    "qr_q": (lambda a: nl.qr(a)[0], [square, many, turned, tall]),
    "qr_r": (lambda a: nl.qr(a)[1], [square, many, turned, tall]),
    "eigvalsh": (nl.eigvalsh, [square, many, turned]),
    "eigh_sizes": (lambda a: jnp.abs(nl.eigh(a)[1]), [square, many, turned]),
    "eigh_function": (lambda a: spectral(*nl.eigh(a)), [square, many, turned]),
    "svdvals": (nl.svdvals, [square, many, turned, tall, broad]),
    "svd_u": (lambda a: jnp.abs(nl.svd(a, full_matrices=False)[0]), [square, many, turned, tall, broad]),
    "svd_vh": (lambda a: jnp.abs(nl.svd(a, full_matrices=False)[2]), [square, many, turned, tall, broad]),
    "svd_function": (lambda a: singular_function(*nl.svd(a, full_matrices=False)), [square, many, turned, tall, broad]),
    "cho_solve": (lambda a: sl.cho_solve((a, True), c4), [square, turned]),
    "cho_solve_upper": (lambda a: sl.cho_solve((a, False), b4), [square]),
    "matrix_power": (lambda a: nl.matrix_power(a, 5), [square, many]),
    "matrix_power_inv": (lambda a: nl.matrix_power(a, -2), [square, many]),
    "expm": (sl.expm, [square, many, turned, 5 * square, square / 64]),
    "multi_dot": (lambda a: nl.multi_dot([a, square @ c4, c4.T, b4]), [square]),
    "matrix_transpose": (nl.matrix_transpose, [many]),
    "trace": (lambda a: nl.trace(a, offset=1), [many]),
    "pinv": (nl.pinv, [square, many, turned, tall, broad]),
    "pinv_rank": (lambda a: nl.pinv(a, rtol=1e-6), [singular, jnp.eye(3)]),
    "norm": (nl.norm, [square, many, turned]),
    "norm_axis": (lambda a: nl.norm(a, ord=3, axis=0), [many]),
    "norm_axes": (lambda a: nl.norm(a, ord="nuc", axis=(0, 2), keepdims=True), [many]),
    "norm_rows": (lambda a: nl.norm(a, ord=1, axis=(2, 0)), [many]),
    "norm_two": (lambda a: nl.norm(a, ord=2), [square, turned]),
    "norm_least": (lambda a: nl.norm(a, ord=-2, axis=(-2, -1)), [many, tall]),
    "norm_nuc": (lambda a: nl.norm(a, ord="nuc"), [square, turned, broad]),
    "norm_fro": (lambda a: nl.norm(a, ord="fro", axis=(1, 2), keepdims=True), [many]),
    "norm_1": (lambda a: nl.norm(a, ord=1, axis=(0, 1), keepdims=True), [square, turned]),
    "norm_minus_1": (lambda a: nl.norm(a, ord=-1), [square]),
    "norm_inf": (lambda a: nl.norm(a, ord=np.inf, axis=(1, 2)), [many]),
    "norm_minus_inf": (lambda a: nl.norm(a, ord=-np.inf), [tall]),
    "matrix_norm": (nl.matrix_norm, [square, many]),
    "matrix_norm_2": (lambda a: nl.matrix_norm(a, ord=2, keepdims=True), [many, broad]),
    "cond": (nl.cond, [square, many, tall]),
    "cond_1": (lambda a: nl.cond(a, 1), [square, many]),
    "cond_fro": (lambda a: nl.cond(a, "fro"), [square]),
    "cond_minus_2": (lambda a: nl.cond(a, -2), [square, broad]),
    "lstsq": (lambda a: nl.lstsq(a, x((a.shape[0], 2), 5, 11))[0], [square, turned, tall, broad]),
    "lstsq_vector": (lambda a: nl.lstsq(a, x((5,), 3, 7), rcond=0.01)[0], [tall]),
    "lstsq_residuals": (lambda a: nl.lstsq(a, x((5, 2), 5, 11))[1], [tall]),
    "polar_u": (lambda a: sl.polar(a, method="svd")[0], [square, turned, tall]),
    "polar_p": (lambda a: sl.polar(a, method="svd")[1], [square, turned, tall]),
    "polar_left_u": (lambda a: sl.polar(a, "left", method="svd")[0], [square, broad]),
    "polar_left_p": (lambda a: sl.polar(a, "left", method="svd")[1], [turned, broad]),
    "expm_frechet": (lambda a: sl.expm_frechet(a, square + 0 * a)[1], [square, turned]),
    "cho_factor_upper": (lambda a: sl.cho_factor((a + a.T) / 2)[0], [spd]),
    "tensorinv": (lambda a: nl.tensorinv(a.reshape(2, 2, 4)), [square]),
    "tensorsolve": (lambda a: nl.tensorsolve(a.reshape(2, 2, 4), x((2, 2), 3, 7)), [square]),
    "toeplitz": (lambda a: sl.toeplitz(a[0], a[1]), [square, turned]),
    "toeplitz_rows": (lambda a: jax.vmap(lambda c: sl.toeplitz(c))(a), [tall, turned]),
    "block_diag": (lambda a: sl.block_diag(a, a[0], a[1, 1]), [square, tall]),
    "linalg_diagonal": (lambda a: nl.diagonal(a, offset=-1), [many]),
    "linalg_outer": (lambda a: nl.outer(a[0], a[1]), [square]),
    "tridiagonal": (lambda a: ll.tridiagonal_solve(a[0], a[1], a[2], c4 + 0 * a[:, :2]), [square, turned]),
    "tridiagonal_right": (lambda a: ll.tridiagonal_solve(b4, b4 + 2, b4 * b4 - 1, a), [square]),
    "tridiagonal_many": (lambda a: ll.tridiagonal_solve(a[..., 0], a[..., 1], a[..., 2], b3), [many]),
    "symmetric_product": (lambda a: 0.5 * a @ a.mT + 2 * jnp.ones((a.shape[-2],) * 2), [many, tall]),
    "cholesky_update": (lambda a: updated(a, b4), [spd]),
    "cholesky_update_w": (lambda a: updated(spd, a), [b4, jnp.array([0.0, 1.0, 0.0, 2.0])]),
    "eigvals": (lambda a: jnp.sum(jnp.exp(eig(a)[0] / 4), axis=-1), [square, many, turned]),
    "eig_function": (lambda a: general_function(*eig(a)), [square, many, turned]),
    "eig_sizes": (lambda a: jnp.sum(jnp.abs(eig(a)[1]), axis=-1), [square, turned]),
    "eig_left": (lambda a: jnp.sum(jnp.abs(eig(a, True)[1]), axis=-1), [square, many, turned]),
    "sylvester_a": (lambda a: sylvester(a, many[0], x((4, 3), 5, 13)), [square]),
    "sylvester_b": (lambda a: sylvester(many[0], a, x((3, 4), 5, 13)), [square, turned]),
    "sylvester_c": (lambda a: sylvester(square, many[1], a[:, :3]), [square]),
    "eigh_tridiagonal": (lambda a: nl.eigvalsh(tridiagonal(a[0], a[1, :3])), [square]),
    "eigh_tridiagonal_some": (lambda a: nl.eigvalsh(tridiagonal(a[0], a[1, :3]))[1:3], [square]),
    "eigh_tridiagonal_vectors": (lambda a: jnp.abs(nl.eigh(tridiagonal(a[0], a[1, :3]))[1]), [square]),
    "svd_hermitian": (lambda a: nl.svd(a, hermitian=True)[1], [square, many, turned]),
    "svd_hermitian_u": (lambda a: jnp.abs(nl.svd(a, hermitian=True)[0]), [square, turned]),
    "svd_hermitian_function": (lambda a: singular_function(*nl.svd(a, hermitian=True)), [square, turned]),
    "svd_subset": (lambda a: jnp.abs(nl.svd(a, full_matrices=False)[2][..., 1:3, :]), [square, tall, broad]),
    "pinv_hermitian": (lambda a: nl.pinv(a, hermitian=True), [square, turned]),
    "pinv_each": (lambda a: nl.pinv(a, rtol=jnp.array([1e-6, 0.6])), [many]),
    "tensorsolve_axes": (lambda a: nl.tensorsolve(a.reshape(2, 4, 2), x((2, 2), 3, 7), axes=(1,)), [square]),
    "vector_norm": (lambda a: nl.vector_norm(a, axis=-1), [square, turned]),
    "vector_norm_all": (lambda a: nl.vector_norm(a, ord=3, keepdims=True), [many]),
    "vector_norm_1": (lambda a: nl.vector_norm(a, ord=1, axis=0), [square]),
    "vector_norm_max": (lambda a: nl.vector_norm(a, ord=np.inf, axis=0), [square]),
    "vector_norm_min": (lambda a: nl.vector_norm(a, ord=-np.inf, axis=0), [square]),
}
PLAIN = {
    "lu_pivots": lambda: ll.lu(many)[1], "lu_order": lambda: ll.lu(many)[2], "lu_p": lambda: sl.lu(wide)[0],
    "lu_factor_pivots": lambda: sl.lu_factor(square)[1],
    "lu_order_of": lambda: ll.lu_pivots_to_permutation(jnp.array([[2, 3, 2], [0, 4, 3]], jnp.int32), 5),
    "slogdet_sign": lambda: nl.slogdet(many)[0], "slogdet_sign_complex": lambda: nl.slogdet(turned)[0],
    "qr_complete_q": lambda: nl.qr(tall, mode="complete")[0], "qr_complete_r": lambda: nl.qr(tall, mode="complete")[1],
    "qr_wide_r": lambda: nl.qr(wide)[1], "geqrf_a": lambda: internal.geqrf(tall)[0], "geqrf_taus": lambda: internal.geqrf(turned)[1],
    "householder_product": lambda: ll.householder_product(tall, x((3,), 3, 7)),
    "qr_pivoted_r": lambda: ll.qr(many, pivoting=True, full_matrices=False)[1],
    "qr_pivoted_order": lambda: ll.qr(tall, pivoting=True, full_matrices=False)[2],
    "vector_norm_count": lambda: nl.vector_norm(square, ord=0, axis=1), "power_zero": lambda: nl.matrix_power(many, 0),
    "solve.odd": lambda: nl.solve(jnp.stack([nothing, nan]), jnp.ones((2, 4, 1))),
    "inv.odd": lambda: nl.inv(jnp.stack([nothing, nan])), "det.odd": lambda: nl.det(jnp.stack([nothing, nan])),
    "slogdet.odd": lambda: nl.slogdet(jnp.stack([nothing, nan]))[1],
    "slogdet_sign.odd": lambda: nl.slogdet(jnp.stack([nothing, nan]))[0],
    "lu.odd": lambda: ll.lu(jnp.stack([nothing, nothing + 2]))[0], "expm.odd": lambda: sl.expm(jnp.stack([nothing, square * 1e8])),
    "eigvalsh_upper": lambda: nl.eigvalsh(square, UPLO="U", symmetrize_input=False),
    "eigvalsh_lower": lambda: nl.eigvalsh(turned, symmetrize_input=False),
    "eigh.odd": lambda: nl.eigvalsh(jnp.stack([nothing, nan])), "eigh_same.odd": lambda: jax.grad(lambda a: jnp.sum(nl.eigh(a)[1]))(jnp.eye(3)),
    "svd_full_s": lambda: nl.svd(tall)[1], "svd_full_projector": lambda: nl.svd(tall)[0][:, 3:] @ nl.svd(tall)[0][:, 3:].T,
    "svd.odd": lambda: nl.svdvals(jnp.stack([nothing, nan, nan.at[1, 2].set(jnp.inf), singular])),
    "svd_nan.odd": lambda: nl.svd(nan)[0], "svd_same.odd": lambda: jax.grad(lambda a: jnp.sum(nl.svd(a)[0]))(jnp.eye(3)),
    "rank": lambda: nl.matrix_rank(jnp.stack([square, singular, nothing, nan])).astype(jnp.int32),
    "rank_rtol": lambda: nl.matrix_rank(many, rtol=2.0).astype(jnp.int32), "rank_vector": lambda: nl.matrix_rank(b4),
    "lstsq_rank": lambda: nl.lstsq(singular, b4)[2].astype(jnp.int32), "lstsq_s": lambda: nl.lstsq(tall, x((5,)))[3],
    "lstsq_singular": lambda: nl.lstsq(singular, b4)[0], "lstsq_negative": lambda: nl.lstsq(tall, x((5,)), rcond=-1.0)[0],
    "lstsq_empty": lambda: nl.lstsq(jnp.zeros((3, 0)), jnp.ones((3, 2)))[1], "pinv.odd": lambda: nl.pinv(jnp.stack([nothing, nan])),
    "pinv_empty": lambda: nl.pinv(jnp.zeros((2, 0, 3))),
    "cond.odd": lambda: nl.cond(jnp.stack([nothing, nan])), "cond_minus.odd": lambda: nl.cond(jnp.stack([nothing, nan]), -2),
    "cond_1.odd": lambda: nl.cond(jnp.stack([nothing, nan]), 1), "norm.odd": lambda: nl.norm(jnp.stack([nothing, nan]), ord="nuc", axis=(1, 2)),
    "norm_empty": lambda: nl.norm(jnp.zeros((0, 3)), ord=2), "norm_1_empty": lambda: nl.norm(jnp.zeros((3, 0)), ord=1),
    "toeplitz_complex": lambda: sl.toeplitz(turned[0]), "polar_square_zero": lambda: sl.polar(nothing, method="svd")[1],
    "tridiagonal.odd": lambda: ll.tridiagonal_solve(*(jnp.stack([nothing, nan])[:, k] for k in range(3)), jnp.ones((2, 4, 1))),
    "tridiagonal_swap": lambda: ll.tridiagonal_solve(b4 + 1, 0 * b4, b4 + 2, c4),
    "symmetric_product_lower": lambda: ll.symmetric_product(tall, x((5, 5), 3, 11), alpha=2.0, beta=0.5, symmetrize_output=True),
    "cholesky_update_kept": lambda: ll.cholesky_update(-jnp.triu(spd), jnp.array([0.0, 1.0, 0.0, 0.0])),
    "cholesky_update_zero": lambda: ll.cholesky_update(nothing, jnp.zeros(4)),
    "eig.odd": lambda: nl.eigvals(jnp.stack([nothing, nan])), "eig_nan.odd": lambda: nl.eig(nan)[1],
    "qr.odd": lambda: nl.qr(nothing)[0],
    "rank_each": lambda: nl.matrix_rank(many, rtol=jnp.array([0.5, 3.0])).astype(jnp.int32),
    "rank_hermitian": lambda: nl.matrix_rank(jnp.stack([square, nothing]), hermitian=True).astype(jnp.int32),
    "tridiagonal_perturbed": lambda: ll.tridiagonal_solve(jnp.array([0.0, 1, 1, 0]), jnp.array([1.0, 1, 0, 0]), jnp.array([1.0, 0, 2, 0]), c4, perturb_singular=True),
    "tridiagonal_unperturbed": lambda: ll.tridiagonal_solve(b4 + 1, b4, b4 + 2, c4, perturb_singular=True),
    "ormqr": lambda: ll.ormqr(tall, x((3,), 3, 7), x((5, 2), 5, 11)),
    "ormqr_transpose": lambda: ll.ormqr(turned, internal.geqrf(turned)[1], c4 + 0j, transpose=True),
    "ormqr_right": lambda: ll.ormqr(many, x((2, 2), 3, 7), b3.mT, left=False),
    "ormqr_right_transpose": lambda: ll.ormqr(turned, x((4,), 3, 7) + 0.5j, turned, left=False, transpose=True),
    "schur_t": lambda: jnp.abs(ll.schur(many)[0]), "schur_z": lambda: jnp.abs(ll.schur(square)[1]),
    "schur_t_alone": lambda: jnp.abs(ll.schur(turned, compute_schur_vectors=False)[0]),
    "schur_z_complex": lambda: jnp.abs(ll.schur(turned)[1]),
    "hessenberg_a": lambda: ll.hessenberg(many)[0], "hessenberg_taus": lambda: ll.hessenberg(turned)[1],
    "tridiagonal_a": lambda: ll.tridiagonal(turned)[0], "tridiagonal_upper": lambda: ll.tridiagonal(square, lower=False)[0],
    "tridiagonal_d": lambda: ll.tridiagonal(many)[1], "tridiagonal_e": lambda: ll.tridiagonal(turned)[2],
    "tridiagonal_taus": lambda: ll.tridiagonal(turned, lower=False)[3],
    "schur_real": lambda: jnp.abs(sl.schur(square)[0]), "schur_complex": lambda: jnp.abs(sl.schur(many, "complex")[0]),
    "rsf2csf_t": lambda: jnp.abs(sl.rsf2csf(*sl.schur(blocks))[0]), "rsf2csf_z": lambda: jnp.abs(sl.rsf2csf(*sl.schur(blocks))[1]),
    "hessenberg_h": lambda: sl.hessenberg(square), "hessenberg_q": lambda: sl.hessenberg(turned, calc_q=True)[1],
    "hessenberg_many": lambda: sl.hessenberg(many, calc_q=True)[1],
    "sqrtm": lambda: sl.sqrtm(square), "sqrtm_complex": lambda: sl.sqrtm(turned), "sqrtm_blocks": lambda: sl.sqrtm(blocks),
    "sqrtm.odd": lambda: sl.sqrtm(nothing), "sqrtm_singular.odd": lambda: sl.sqrtm(jnp.diag(jnp.array([0.0, -4.0, 9.0]))),
    "sylvester": lambda: sl.solve_sylvester(square, many[0], x((4, 3), 5, 13)),
    "sylvester_eigen": lambda: sl.solve_sylvester(turned, many[0], x((4, 3), 5, 13), method="eigen"),
    "sylvester.odd": lambda: sl.solve_sylvester(square, -square, square),
    "eigh_tridiagonal_a": lambda: sl.eigh_tridiagonal(c4[:, 0], c4[:3, 1], eigvals_only=True),
    "eigh_tridiagonal_i": lambda: sl.eigh_tridiagonal(c4[:, 0], c4[:3, 1], eigvals_only=True, select="i", select_range=(1, 2)),
    "eigh_tridiagonal_complex": lambda: sl.eigh_tridiagonal(c4[:, 0] + 0j, turned[0, :3], eigvals_only=True),
    "eigh_tridiagonal_apart": lambda: sl.eigh_tridiagonal(b4, jnp.zeros(3), eigvals_only=True),
    "cho_factor": lambda: jnp.tril(sl.cho_factor(spd, lower=True)[0]),
}

SHORT = {"float64": "f64", "int32": "i32", "complex128": "c128"}


def weights(shape):
    return x(shape, 5, 13) + 0.25


def number(e):
    return "nan" if np.isnan(e) else "inf" if e == np.inf else "-inf" if e == -np.inf else float(e).hex()


def write(name, r):
    r = np.asarray(r)
    values = r.ravel().view(np.float64) if np.iscomplexobj(r) else r.ravel()
    print(name, SHORT[str(r.dtype)], "x".join(map(str, r.shape)) or "scalar", *map(number, values))


print(f"# made by make_linalg.py with jax {jax.__version__}")
for name, (f, matrices) in SMOOTH.items():
    for k, a in enumerate(matrices):
        def loss(a, f=f):
            y = f(a)
            return jnp.sum(jnp.real(y * weights(y.shape)))
        write(f"{name}.{k}", f(a))
        write(f"{name}.{k}.slope", jax.grad(loss)(a))
        if not np.iscomplexobj(np.asarray(a)):
            write(f"{name}.{k}.slope2", jax.grad(lambda a, g=jax.grad(loss): jnp.sum(g(a) ** 2))(a))
for name, f in PLAIN.items():
    write(name, f())
