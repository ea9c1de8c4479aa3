# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/golden/generators/make_special.py: writes special.txt, the results of jax.lax and
# jax.scipy.special for the calls that tests/functions/special/special_golden_test.cpp makes under
# the same names. It has values, derivatives with respect to each operand, and values in double
# precision.
#
# Run with jax installed: python make_special.py > special.txt (made with jax 0.10.2).
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.scipy import special as sp

from golden_lines import show

jax.config.update("jax_enable_x64", True)
inf, nan = np.inf, np.nan

odd = [nan, inf, -inf, 0.0, -0.0, 1.0, -1.0, -2.5, 1e-30, 3e30]
unary = [-3.25, -1.5, -0.3, 0.2, 0.7, 1.0, 1.9, 3.5, 7.25, 20.0]
positive = [0.05, 0.3, 0.9, 1.0, 1.7, 2.5, 4.0, 9.5, 21.0, 33.0]
unit = [0.01, 0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.9, 0.97, 0.999]
other = [2.0, 0.5, 3.5, 1.25, 0.1, 7.0, 3.0, 11.0, 19.5, 45.0]
third = [1.5, 0.7, 5.0, 2.0, 9.0, 0.25, 1.0, 3.0, 2.5, 12.0]
mild = [-3.5, -1.25, -0.4, -0.1, 0.0, 0.3, 0.45, 1.5, 3.2, 5.5]
wave = [-9.5, -4.5, -2.0, -0.2, 0.3, 1.2, 2.1, 3.9, 4.1, 30.0]
growth = [-12.0, -3.0, -0.7, -0.1, 0.3, 0.8, 5.0, 9.0, 20.0, 45.0]
numbers = [0.05, 0.4, 0.5, 0.7, 0.999, 1.0, 1.6, 2.0, 2.5, 50.0]
orders = [0.0, 1.0, 1.0, 2.0, 3.0, 4.0, 7.0, 12.0, 50.0, 5001.0]
upper = [0.3, 1.2, 0.5, 2.0, 0.75, 3.5, 1.0, 0.6, 2.5, 1.8]
argument = [-0.45, -0.2, 0.1, 0.25, 0.4, 0.5, 0.6, 0.75, 0.85, 0.3]
moderate = [-6.0, -2.0, -0.5, 0.0, 0.3, 1.0, 3.0, 9.0, 25.0, 60.0]
height = [-1.5, 0.0, 0.2, 0.7, 1.0, 2.0, 3.5, 5.0, 0.1, 1.3]
ratio = [0.5, 2.0, -0.4, 1.0, -1.0, 3.0, 0.9, 0.2, 10.0, -2.5]
things = [5.0, 10.0, 7.5, 3.0, 6.0, 12.0, 1.0, 4.0, 20.0, 9.0]
taken = [2.0, 10.0, 2.5, 0.0, 3.0, 5.0, 1.0, 4.0, 7.0, 8.5]
edge = [-2.0, 0.5, -0.5, 2.0, 100.0, 1e-10, -3.0, 1e5, -100.0, 3.0]
corner = [0.0, 0.0, 1.0, 1.0, inf, inf, 2.0, -1.0, nan, 2.0]
corner2 = [0.0, 2.0, 0.0, inf, 2.0, inf, -1.0, 2.0, 1.0, nan]
corner3 = [0.0, 0.5, 1.0, 0.0, 0.5, 1.0, 2.0, -0.5, nan, 0.5]

rows = [[nan, 1.0], [inf, 1.0], [-inf, 1.0], [-inf, -inf], [1000.0, 1000.0], [inf, -inf], [inf, inf]]

# name: (function, operands, operands with respect to which there is a derivative, odd points)
CASES = {
    "igamma": (lax.igamma, (positive, other), (0, 1), (corner, corner2)),
    "igammac": (lax.igammac, (positive, other), (0, 1), (corner, corner2)),
    "igamma_grad_a": (lax.igamma_grad_a, (positive, other), (), None),
    "random_gamma_grad": (lax.random_gamma_grad, (positive, other), (), None),
    "betainc": (lax.betainc, (positive, third, unit), (2,), (corner, corner2, corner3)),
    "gammainc": (sp.gammainc, (positive, other), (0, 1), (corner, corner2)), "gammaincc": (sp.gammaincc, (positive, other), (0, 1), (corner, corner2)),
    "sp_betainc": (sp.betainc, (positive, third, unit), (2,), (corner, corner2, corner3)),
    "erf": (sp.erf, (unary,), (0,), (odd,)), "erfc": (sp.erfc, (unary,), (0,), (odd,)), "erfinv": (sp.erfinv, (unit,), (0,), (odd,)),
    "ndtr": (sp.ndtr, (unary,), (0,), (odd,)), "ndtri": (sp.ndtri, (unit,), (0,), (odd,)),
    "log_ndtr": (sp.log_ndtr, (unary,), (0,), (odd,)), "log_ndtr_far": (sp.log_ndtr, ([-5.0, -9.5, -11.0, -19.0, -21.0, -35.0, -100.0, 5.5, 9.0, 30.0],), (0,), None),
    "gammaln": (sp.gammaln, (unary,), (0,), (odd,)), "loggamma": (sp.loggamma, (positive,), (0,), (odd,)), "gamma": (sp.gamma, (unary,), (0,), (odd,)),
    "gammasgn": (sp.gammasgn, (unary,), (0,), (odd,)), "factorial": (sp.factorial, (positive,), (0,), (odd,)), "poch": (sp.poch, (third, other), (0, 1), (corner, corner2)),
    "multigammaln": (lambda a: sp.multigammaln(a, 3), (list(np.array(positive) + 1),), (0,), (odd,)), "digamma": (sp.digamma, (unary,), (0,), (odd,)),
    "polygamma": (lambda x: sp.polygamma(2, x), (positive,), (0,), (odd,)), "zeta": (lambda q: sp.zeta(2.5, q), (positive,), (0,), (odd,)),
    "betaln": (sp.betaln, (positive, other), (0, 1), (corner, corner2)), "beta": (sp.beta, (positive, third), (0, 1), (corner, corner2)),
    "expit": (sp.expit, (unary,), (0,), (odd,)), "logit": (sp.logit, (unit,), (0,), (odd,)), "xlogy": (sp.xlogy, (unary, other), (0, 1), (corner, corner2)),
    "xlog1py": (sp.xlog1py, (unary, other), (0, 1), (corner, corner2)), "entr": (sp.entr, (positive,), (0,), (odd,)), "rel_entr": (sp.rel_entr, (positive, other), (0, 1), (corner, corner2)),
    "kl_div": (sp.kl_div, (positive, other), (0, 1), (corner, corner2)), "boxcox": (sp.boxcox, (positive, third), (0, 1), (corner, corner2)),
    "zeta_pairs": (sp.zeta, (list(np.array(third) + 1), positive), (1,), (corner, corner2)),
    "boxcox_log": (lambda x: sp.boxcox(x, 0.0), (positive,), (0,), (odd,)), "i0": (sp.i0, (unary,), (0,), (odd,)), "i0e": (sp.i0e, (unary,), (0,), (odd,)), "i1": (sp.i1, (unary,), (0,), (odd,)),
    "i1e": (sp.i1e, (unary,), (0,), (odd,)),
    "erfcx": (sp.erfcx, (mild,), (0,), (odd[:8],)), "erfcx_far": (sp.erfcx, ([8.0, 20.0, 26.5, 27.5, 1e3, 1e9, 0.24, 0.26, -2.0, -5.0],), (), None),
    "dawsn": (sp.dawsn, (mild,), (0,), (odd,)), "dawsn_far": (sp.dawsn, ([3.0, 4.9, 5.1, 20.0, 1e3, -1e6, 0.49, 0.51, 2.9, -7.0],), (), None),
    "exp1": (sp.exp1, (positive,), (0,), None), "expi": (sp.expi, (growth,), (0,), (odd,)),
    "expn": (jnp.vectorize(sp.expn), (orders, positive), (), None),
    "expn_slope": (lambda x: sp.expn(3, x), (positive,), (0,), None),
    "spence": (sp.spence, (numbers,), (0,), (odd,)), "si": (lambda x: sp.sici(x)[0], (wave,), (0,), (odd,)), "ci": (lambda x: sp.sici(x)[1], (wave,), (0,), (odd,)),
    "fresnel_s": (lambda x: sp.fresnel(x)[0], (mild,), (0,), (odd,)), "fresnel_c": (lambda x: sp.fresnel(x)[1], (mild,), (0,), (odd,)),
    "hyp1f1": (sp.hyp1f1, (upper, other, unit), (0, 1, 2), (corner3[:6], [1.0, 2.0, 2.0, 3.0, 0.5, 7.0], corner[:4] + [-0.0, 1e-30])), "hyp1f1_wide": (lambda x: sp.hyp1f1(0.8, 2.25, x), (moderate,), (), None),
    "hyp2f1": (sp.hyp2f1, (upper, unit, other, argument), (0, 1, 2, 3), (corner3[:6], unit[:6], [1.0, 2.0, 2.0, 3.0, 0.5, 7.0], [0.0, -0.0, 1e-30, 0.5, -0.5, 0.25])),
    "owens_t": (lambda h, a: sp.owens_t(h, a).astype(jnp.result_type(h)), (height, ratio), (0, 1), (corner[:4], corner2[:4])),
    "comb": (sp.comb, (things, taken), (0, 1), (corner[:3], corner2[:3])), "comb_repeated": (lambda n, k: sp.comb(n, k, repetition=True), (things, taken), (0, 1), None),
    "boxcox1p": (sp.boxcox1p, (positive, third), (0, 1), (corner, corner2)), "boxcox1p_log": (lambda x: sp.boxcox1p(x, 0.0), (positive,), (0,), (odd,)),
}
EDGES = ["gammainc", "gammaincc", "erf", "gammaln", "gamma", "gammasgn", "factorial", "digamma", "polygamma", "zeta", "betaln", "beta", "boxcox", "boxcox1p", "i0", "i0e", "i1", "i1e"]
WHOLE = {
    "bernoulli": lambda d: sp.bernoulli(12).astype(d), "bernoulli_short": lambda d: sp.bernoulli(1).astype(d),
    "logsumexp": lambda d: sp.logsumexp(jnp.asarray(unary, d).reshape(2, 5), 1), "softmax": lambda d: sp.softmax(jnp.asarray(unary, d).reshape(2, 5)),
    "log_softmax": lambda d: sp.log_softmax(jnp.asarray(unary, d).reshape(2, 5), axis=0), "digamma_int": lambda d: sp.digamma(jnp.arange(1, 5, dtype=jnp.int32)).astype(d),
    "logsumexp_all": lambda d: sp.logsumexp(jnp.asarray(unary, d)), "logsumexp_slope": lambda d: jax.grad(lambda v: jnp.sum(sp.logsumexp(v, 1) ** 2))(jnp.asarray(unary, d).reshape(2, 5)),
    "logsumexp_odd": lambda d: sp.logsumexp(jnp.asarray(rows, d), 1), "logsumexp_map": lambda d: jax.vmap(lambda v: sp.logsumexp(v, b=jnp.asarray([1, -2, 3], d)))(jnp.asarray(unary[:6], d).reshape(2, 3)),
    "signed_logsumexp": lambda d: sp.logsumexp(jnp.asarray(unary, d).reshape(2, 5), 0, b=jnp.asarray([[1], [-1]], d), return_sign=True)[0],
    "signed_logsumexp_sign": lambda d: sp.logsumexp(jnp.asarray(unary, d).reshape(2, 5), 0, b=jnp.asarray([[1], [-1]], d), return_sign=True)[1],
    "signed_logsumexp_all": lambda d: sp.logsumexp(-jnp.asarray(unary, d), return_sign=True)[0], "signed_logsumexp_odd": lambda d: sp.logsumexp(jnp.asarray(rows, d), 1, return_sign=True)[1],
    "signed_logsumexp_slope": lambda d: jax.grad(lambda v: jnp.sum(sp.logsumexp(v, 0, b=jnp.asarray([[1], [-1]], d), return_sign=True)[0]))(jnp.asarray(unary, d).reshape(2, 5)),
    "signed_logsumexp_map": lambda d: jax.vmap(lambda v: sp.logsumexp(v, b=jnp.asarray([1, -2, 3], d), return_sign=True)[1])(jnp.asarray(unary[:6], d).reshape(2, 3)),
    "softmax_axis": lambda d: sp.softmax(jnp.asarray(unary, d), axis=0), "softmax_odd": lambda d: sp.softmax(jnp.asarray(rows, d), axis=1), "softmax_map": lambda d: jax.vmap(sp.softmax)(jnp.asarray(unary, d).reshape(2, 5)),
    "softmax_slope": lambda d: jax.grad(lambda v: jnp.sum(sp.softmax(v, axis=1) ** 2))(jnp.asarray(unary, d).reshape(2, 5)),
    "log_softmax_all": lambda d: sp.log_softmax(jnp.asarray(unary, d)), "log_softmax_odd": lambda d: sp.log_softmax(jnp.asarray(rows, d), axis=1), "log_softmax_map": lambda d: jax.vmap(sp.log_softmax)(jnp.asarray(unary, d).reshape(2, 5)),
    "log_softmax_slope": lambda d: jax.grad(lambda v: jnp.sum(sp.log_softmax(v, axis=1) ** 2))(jnp.asarray(unary, d).reshape(2, 5)),
    "beta_outer": lambda d: sp.beta(jnp.asarray(positive[:3], d)[:, None], jnp.asarray(third[:2], d)),
}

# Complex functions, and functions without a value in F32: they run only in double precision.
half_plane = [1 + 1j, 0.2 - 0.3j, -1.5 + 2j, -3 - 0.5j, 4 + 0.1j, 0.1j, -2 + 3j, 6 - 6j]
WIDE = {
    "bessel_jn": lambda: sp.bessel_jn(jnp.array([0.3, 1.0, -2.5, 7.0, 12.0]), v=4),
    "bessel_jn_slope": lambda: jax.vmap(jax.grad(lambda x: sp.bessel_jn(x, v=2)[2].sum()))(jnp.array([0.3, 1.0, -2.5, 7.0])),
    "bessel_jn_grid": lambda: sp.bessel_jn(jnp.array([[0.25, 1.5, -0.5], [3.0, 20.0, 0.7]]), v=2), "bessel_jn_map": lambda: jax.vmap(lambda x: sp.bessel_jn(x, v=3), 0, 1)(jnp.array([0.3, 1.0, -2.5])),
    "wofz_grid": lambda: sp.wofz(jnp.array(half_plane).reshape(2, 4) / 2), "wofz_map": lambda: jax.vmap(sp.wofz)(jnp.array(half_plane).reshape(2, 4) / 2), "sph_harm_y_map": lambda: jax.vmap(lambda a, b: sp.sph_harm_y(jnp.array([2]), jnp.array([-1]), a[None], b[None], n_max=2))(jnp.array([0.3, 0.4]), jnp.array([0.7, 0.8])),
    "wofz": lambda: sp.wofz(jnp.array(half_plane)), "erfcx_complex": lambda: sp.erfcx(jnp.array(half_plane)),
    "wofz_slope": lambda: jax.vmap(jax.grad(sp.wofz, holomorphic=True))(jnp.array(half_plane)),
    "gamma_complex": lambda: sp.gamma(jnp.array(half_plane)), "loggamma_complex": lambda: sp.loggamma(jnp.array(half_plane + [-5.5 + 0.2j, -5.5 - 0.2j])),
    "gamma_poles": lambda: sp.gamma(jnp.array([0j, -2 + 0j, complex(nan, 1)])),
    "gamma_complex_slope": lambda: jax.vmap(jax.grad(sp.gamma, holomorphic=True))(jnp.array([1 + 1j, 4 + 0.1j, 6 - 6j])),
    "sph_harm_y": lambda: sp.sph_harm_y(jnp.array([0, 1, 2, 3, 3, 5]), jnp.array([0, -1, 2, 1, -3, 4]), jnp.array([0.1, 0.3, 1.0, 2.0, 3.0, 1.5]), jnp.array([0.7, 1.2, 3.0, 5.0, 6.0, 0.0])),
    "sph_harm_y_clipped": lambda: sp.sph_harm_y(jnp.array([2, 5]), jnp.array([1, -2]), jnp.array([0.3, 0.4]), jnp.array([0.7, 0.8]), n_max=3),
    "sph_harm_y_slope": lambda: jax.grad(lambda t: jnp.abs(sp.sph_harm_y(jnp.array([2, 3]), jnp.array([1, -2]), t, jnp.array([0.7, 0.8]), n_max=3)).sum())(jnp.array([0.3, 0.4])),
}


print(f"# made by make_special.py with jax {jax.__version__}")
for d in (jnp.float32, jnp.float64):
    wide = "" if d == jnp.float32 else "_f64"
    for name, (f, operands, by, special) in CASES.items():
        x = [jnp.asarray(o, d) for o in operands]
        show(f"{name}{wide}", f(*x))
        for k in by:
            show(f"{name}_slope{k}{wide}", jax.vmap(jax.grad(f, argnums=k))(*x))
        show(f"{name}_grid{wide}", f(*[jnp.asarray(o[:6], d).reshape(2, 3) for o in operands]))
        # Integers, negative, large and tiny numbers, each combined with others of them.
        if name in EDGES:
            show(f"{name}_edge{wide}", f(*[jnp.asarray(np.roll(edge, 3 * n), d) for n in range(len(operands))]))
        if special:
            show(f"{name}_odd{wide}", f(*[jnp.asarray(o, d) for o in special]))
    for name, f in WHOLE.items():
        if not (wide and name.startswith(("bernoulli", "digamma_int"))):
            show(f"{name}{wide}", f(d))
for name, f in WIDE.items():
    show(name, f())
