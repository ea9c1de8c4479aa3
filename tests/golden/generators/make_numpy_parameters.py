# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/golden/generators/make_numpy_parameters.py: writes numpy_parameters.txt, the results of
# jax.numpy for functions and parameters that functions.txt does not cover. The calls are those that
# tests/functions/numpy/parameters_golden_test.cpp makes under the same names.
#
# Run with jax installed: python make_numpy_parameters.py > numpy_parameters.txt (made with jax
# 0.10.2).
#
# The lines are like those of operands.txt: NAME, NAME_slope, NAME_push and NAME_map.
import jax
import jax.numpy as jnp
import numpy as np
from jax.ops import segment_sum

from golden_lines import show, x

row, plane, deep, square = x((9,)), x((3, 4)), x((2, 3, 4), 3, 7), x((3, 3), 7, 23)
other, line = x((9,), 5, 13), jnp.array([0.5, 1.0, 2.5, 3.0, 4.5, 5.0, 6.5, 7.0, 8.5], jnp.float32)
whole = lambda v: (v * 4).astype(jnp.int32)
holes = lambda v: jnp.where(v < 0, jnp.nan, v)
cut = lambda v: jnp.where(jnp.abs(v) < 0.6, 0, v)
join = lambda *parts: jnp.concatenate([jnp.ravel(jnp.asarray(p)).astype(jnp.float32) for p in parts])
ALL, MAP, NO = "slope push map", "map", ""

CALLS = {
    # numbers
    "gcd": (lambda v: jnp.gcd(whole(v) * 6, jnp.array([4, 6, 9, 0, 5, 8, 12, 30, 7])), row, MAP), "lcm": (lambda v: jnp.lcm(whole(v), jnp.array([4, 6, 9, 0, 5, 8, 12, 30, 7])), row, MAP),
    "frexp_m": (lambda v: jnp.frexp(v * 37)[0], row, ALL), "frexp_e": (lambda v: jnp.frexp(v * 37)[1], row, MAP), "spacing": (lambda v: jnp.spacing(v * 1e3), row, MAP),
    "isreal": (lambda v: jnp.isreal(jax.lax.complex(v, cut(v))), row, MAP), "iscomplex": (lambda v: jnp.iscomplex(jax.lax.complex(v, cut(v))), row, MAP),
    "unwrap": (lambda v: jnp.unwrap(v * 5), row, ALL), "unwrap_period": (lambda v: jnp.unwrap(v * 5, discont=1.5, axis=0, period=2.0), plane, ALL), "unwrap_int": (lambda v: jnp.unwrap(whole(v) * 3, period=4), row, MAP),
    "i0": (lambda v: jnp.i0(v), row, ALL), "clip_low": (lambda v: jnp.clip(v, min=-0.3), row, ALL), "clip_high": (lambda v: jnp.clip(v, max=0.3), row, ALL), "clip_none": (lambda v: jnp.clip(v), row, ALL),
    "nan_to_num_all": (lambda v: jnp.nan_to_num(holes(v) / cut(v), nan=7.0, posinf=8.0, neginf=-9.0), row, MAP), "angle_deg": (lambda v: jnp.angle(jax.lax.complex(v, v * v + 1), deg=True), row, ALL),
    "array_equiv": (lambda v: jnp.array_equiv(v, jnp.stack([v, v])), row, MAP), "array_equiv_not": (lambda v: jnp.array_equiv(v, jnp.stack([v, v + 1])), row, NO),
    "degrees": (lambda v: jnp.degrees(v), row, ALL), "radians": (lambda v: jnp.radians(v), row, ALL), "around": (lambda v: jnp.around(v * 1.37, 1), row, NO),
    "sinc_second": (lambda v: jax.vmap(jax.grad(jax.grad(jnp.sinc)))(v), row, NO), "sinc_third": (lambda v: jax.vmap(jax.grad(jax.grad(jax.grad(jnp.sinc))))(v), jnp.zeros(2, jnp.float32), NO),
    # reductions
    "nanargmax": (lambda v: jnp.nanargmax(holes(v), 1), plane, MAP), "nanargmin_keep": (lambda v: jnp.nanargmin(holes(v), keepdims=True), plane, MAP), "nanargmax_nothing": (lambda v: jnp.nanargmax(v * jnp.nan), row, NO),
    "nancumsum": (lambda v: jnp.nancumsum(holes(v), 1), plane, ALL), "nancumprod": (lambda v: jnp.nancumprod(holes(v)), plane, ALL), "cumulative_sum": (lambda v: jnp.cumulative_sum(v, axis=1, include_initial=True), plane, ALL),
    "cumulative_prod": (lambda v: jnp.cumulative_prod(v, include_initial=True), row, ALL), "cumulative_sum_i8": (lambda v: jnp.cumulative_sum(whole(v).astype(jnp.int8)), row, NO),
    "average_keep": (lambda v: jnp.average(v, 0, weights=jnp.arange(1.0, 4.0), keepdims=True), plane, ALL), "average_weights": (lambda v: jnp.average(v, (2, 0), weights=x((4, 2)) + 3, returned=True)[0], deep, ALL),
    "average_sum": (lambda v: jnp.average(v, 1, weights=jnp.abs(v), returned=True)[1], plane, ALL), "average_plain": (lambda v: jnp.average(v, 1, returned=True)[1], plane, NO),
    "var_mean": (lambda v: jnp.var(v, 1, mean=jnp.full((3, 1), 0.25)), plane, ALL), "std_correction": (lambda v: jnp.std(v, 1, correction=0.5), plane, ALL), "var_nothing": (lambda v: jnp.var(v, 1, ddof=4), plane, NO),
    "ediff1d": (lambda v: jnp.ediff1d(v, to_end=jnp.array([9.0, 8.0]), to_begin=-1), plane, ALL), "diff_ends": (lambda v: jnp.diff(v, 1, 0, prepend=1.0, append=v[:2]), plane, ALL), "diff_int": (lambda v: jnp.diff(whole(v), 2, append=3), row, MAP),
    "trapezoid_dx": (lambda v: jnp.trapezoid(plane, dx=v[0]), row, ALL), "trapezoid_gaps": (lambda v: jnp.trapezoid(v, dx=jnp.array([1.0, 2.0, 0.5])), plane, ALL),
    # quantiles
    "nanmedian": (lambda v: jnp.nanmedian(holes(v), 1), plane, ALL), "nanquantile": (lambda v: jnp.nanquantile(holes(v), jnp.array([0.1, 0.6]), 1), plane, ALL), "nanpercentile": (lambda v: jnp.nanpercentile(holes(v), 35.0, (0, 2)), deep, ALL),
    "nanquantile_keep": (lambda v: jnp.nanquantile(holes(v), 0.4, 0, keepdims=True, method="lower"), plane, MAP), "nanquantile_all": (lambda v: jnp.nanquantile(holes(v), jnp.array([0.2, 0.7])), plane, ALL),
    "quantile_cdf": (lambda v: jnp.quantile(v, jnp.array([0.1, 0.5, 1.0]), 1, method="inverted_cdf"), plane, ALL), "quantile_weights": (lambda v: jnp.quantile(v, 0.3, 1, weights=jnp.array([1.0, 0.5, 3.0, 2.0]), method="inverted_cdf"), plane, ALL),
    "nanquantile_weights": (lambda v: jnp.nanquantile(holes(v), jnp.array([0.3, 0.8]), 1, weights=jnp.abs(plane) + 0.5, method="inverted_cdf", keepdims=True), plane, MAP), "percentile_weights": (lambda v: jnp.percentile(v, 60.0, weights=jnp.abs(v) + 1, method="inverted_cdf"), plane, MAP),
    "quantile_nearest": (lambda v: jnp.quantile(jnp.array([0.0, 1.0, 2.0, 3.0]) + v[0], jnp.array([1.0 / 6, 0.5, 5.0 / 6]), method="nearest"), row, MAP), "quantile_higher": (lambda v: jnp.quantile(v, jnp.array([0.2, 0.9]), (0, 1), method="higher", keepdims=True), plane, MAP),
    # statistics
    "cov": (lambda v: jnp.cov(v), plane, ALL), "cov_columns": (lambda v: jnp.cov(v, rowvar=False, bias=True), plane, ALL), "cov_two": (lambda v: jnp.cov(v, other), row, ALL), "cov_ddof": (lambda v: jnp.cov(v, ddof=2), plane, ALL),
    "cov_weights": (lambda v: jnp.cov(v, fweights=jnp.array([1, 2, 1, 3]), aweights=jnp.array([0.5, 1.0, 2.0, 0.25])), plane, ALL), "cov_fweights": (lambda v: jnp.cov(v, fweights=jnp.array([1, 2, 1, 3])), plane, ALL), "cov_row": (lambda v: jnp.cov(v), row, ALL),
    "corrcoef": (lambda v: jnp.corrcoef(v), plane, ALL), "corrcoef_two": (lambda v: jnp.corrcoef(v, other), row, NO), "corrcoef_columns": (lambda v: jnp.corrcoef(v, rowvar=False), plane, ALL), "corrcoef_row": (lambda v: jnp.corrcoef(v), row, NO),
    # histograms
    "histogram": (lambda v: jnp.histogram(v, 4)[0], row, MAP), "histogram_edges": (lambda v: jnp.histogram(v, 5)[1], row, ALL), "histogram_range": (lambda v: jnp.histogram(v, 4, range=(-1.0, 1.0))[0], plane, MAP),
    "histogram_density": (lambda v: jnp.histogram(v, jnp.array([-1.0, 0.0, 0.5, 2.0]), density=True)[0], row, MAP), "histogram_weights": (lambda v: jnp.histogram(row, 3, weights=v)[0], other, ALL), "histogram_one": (lambda v: jnp.histogram(v * 0 + 2, 4)[1], row, NO),
    "histogram_bin_edges": (lambda v: jnp.histogram_bin_edges(v, 4, range=(0.0, 1.0)), row, NO), "histogram2d": (lambda v: jnp.histogram2d(v, other, (3, 2))[0], row, MAP), "histogram2d_edges": (lambda v: jnp.histogram2d(v, other, 3, weights=v)[2], row, NO),
    "histogramdd": (lambda v: jnp.histogramdd(jnp.stack([v, other, v + other], 1), 2, density=True)[0], row, MAP), "histogramdd_range": (lambda v: jnp.histogramdd(v, (2, 3), range=((-1.0, 1.0), (0.0, 2.0)), weights=jnp.arange(9.0))[0], x((9, 2)), MAP),
    # sets
    "unique_axis": (lambda v: jnp.unique(jnp.concatenate([v, v[:1]]), axis=0, size=3), plane, ALL), "unique_rows": (lambda v: jnp.unique(jnp.concatenate([v, v[:1]]), axis=0, size=5, fill_value=9), plane, MAP), "unique_nan": (lambda v: jnp.unique(holes(v), equal_nan=False, size=8), row, MAP),
    "unique_all": (lambda v: join(*jnp.unique_all(jnp.round(v), size=6)), row, MAP), "unique_all_short": (lambda v: join(*jnp.unique_all(jnp.round(v), size=2, fill_value=5)), row, MAP), "unique_counts": (lambda v: jnp.unique_counts(jnp.round(v), size=5)[1], row, MAP),
    "unique_inverse": (lambda v: jnp.unique_inverse(jnp.round(v), size=5)[1], plane, MAP), "unique_values": (lambda v: jnp.unique_values(jnp.round(v), size=5), plane, MAP),
    "intersect1d": (lambda v: jnp.intersect1d(jnp.round(v), jnp.array([0.0, 1.0, 5.0, 1.0]), size=4), row, MAP), "intersect1d_fill": (lambda v: join(*jnp.intersect1d(jnp.round(v), jnp.array([0.0, 1.0, 5.0, 1.0]), size=4, fill_value=-7, return_indices=True)), row, MAP),
    "intersect1d_promise": (lambda v: jnp.intersect1d(v[:4], v[2:6], assume_unique=True, size=2), row, MAP), "setdiff1d": (lambda v: jnp.setdiff1d(jnp.round(v), jnp.array([0.0, 5.0]), size=4), row, MAP), "setdiff1d_order": (lambda v: jnp.setdiff1d(v[:5], v[2:3], assume_unique=True, size=4), row, MAP),
    "setdiff1d_fill": (lambda v: jnp.setdiff1d(jnp.round(v), jnp.array([0.0, 5.0]), size=4, fill_value=-7), row, MAP), "setxor1d": (lambda v: jnp.setxor1d(jnp.round(v), jnp.array([0.0, 5.0, 0.0]), size=5), row, MAP), "setxor1d_fill": (lambda v: jnp.setxor1d(jnp.round(v), jnp.array([0.0, 5.0]), size=5, fill_value=3), row, MAP),
    "union1d": (lambda v: jnp.union1d(jnp.round(v), jnp.array([0.0, 5.0]), size=6), row, MAP), "isin_not": (lambda v: jnp.isin(v, jnp.array([0.25, 0.5]), invert=True), row, MAP),
    # sorting
    "argsort_unstable": (lambda v: jnp.argsort(jnp.round(v), descending=True, stable=False), row, MAP), "argsort_i8": (lambda v: jnp.argsort(v, dtype=jnp.int8), row, NO), "searchsorted_sorter": (lambda v: jnp.searchsorted(v, jnp.array([0.1, -0.4]), sorter=jnp.argsort(v)), row, MAP),
    "top_k_axis": (lambda v: jax.lax.top_k(v.T, 2)[0].T, plane, ALL),
    # samples
    "interp": (lambda v: jnp.interp(v, line, other), row * 5 + 4, ALL), "interp_edges": (lambda v: jnp.interp(v, line, other, left=-9.0, right=7.0), row * 5 + 4, ALL), "interp_extrapolate": (lambda v: jnp.interp(v, line, other, left="extrapolate", right="extrapolate"), row * 5 + 4, ALL),
    "interp_period": (lambda v: jnp.interp(v, line, other, period=4.0), row * 5 + 4, ALL), "interp_values": (lambda v: jnp.interp(jnp.array([0.7, 3.0, 9.0]), line, v), row, ALL), "interp_places": (lambda v: jnp.interp(jnp.array([0.7, 3.2, 4.0]), line + 0.1 * v, other), row, ALL),
    "gradient": (lambda v: jnp.stack(jnp.gradient(v)), plane, ALL), "gradient_axis": (lambda v: jnp.gradient(v, 0.5, axis=1), plane, ALL), "gradient_places": (lambda v: jnp.gradient(v, line), row, ALL), "gradient_two": (lambda v: jnp.stack(jnp.gradient(v, 2.0, jnp.array([0.0, 1.0, 1.5, 3.0]))), plane, ALL),
    # polynomials
    "polyval": (lambda v: jnp.polyval(v, jnp.array([0.5, -1.0, 2.0])), row[:4], ALL), "polyval_long": (lambda v: jnp.polyval(jnp.concatenate([v, v]), jnp.array([0.5, -0.9])), row, ALL), "polyval_int": (lambda v: jnp.polyval(jnp.array([1, -2, 3]), whole(v)), row, MAP),
    "polyadd": (lambda v: jnp.polyadd(v, row[:4]), row, ALL), "polysub": (lambda v: jnp.polysub(v[:4], row), row, ALL), "polymul": (lambda v: jnp.polymul(v, row[:4]), row, ALL), "polydiv_q": (lambda v: jnp.polydiv(v, row[:4])[0], row, ALL), "polydiv_r": (lambda v: jnp.polydiv(v, row[:4])[1], row, ALL),
    "polydiv_short": (lambda v: join(*jnp.polydiv(v[:2], row[:4])), row, NO), "polyder": (lambda v: jnp.polyder(v), row, ALL), "polyder_two": (lambda v: jnp.polyder(v, 2), row, ALL), "polyint": (lambda v: jnp.polyint(v), row, ALL), "polyint_two": (lambda v: jnp.polyint(v, 2, jnp.array([3.0, 4.0])), row, ALL),
    "polyint_three": (lambda v: jnp.polyint(v, 3, k=5), row[:4], ALL), "poly": (lambda v: jnp.poly(v), row[:5], ALL), "vander": (lambda v: jnp.vander(v), row[:4], ALL), "vander_up": (lambda v: jnp.vander(v + 0.125, 3, increasing=True), row, ALL), "vander_int": (lambda v: jnp.vander(whole(v), 3), row, MAP),
    "polyfit": (lambda v: jnp.polyfit(line, v, 2), row, ALL), "polyfit_rows": (lambda v: jnp.polyfit(line[:3], v, 1), plane, ALL), "polyfit_weights": (lambda v: jnp.polyfit(line, v, 2, w=jnp.arange(1.0, 10.0)), row, ALL),
    "polyfit_residuals": (lambda v: jnp.polyfit(line, v, 2, full=True)[1], row, NO), "polyfit_values": (lambda v: jnp.polyfit(line, v, 2, full=True)[3], row, NO), "polyfit_cov": (lambda v: jnp.polyfit(line, v, 1, cov=True)[1], row, NO), "polyfit_unscaled": (lambda v: jnp.polyfit(line, v, 1, cov="unscaled")[1], row, NO),
    "polyfit_cov_rows": (lambda v: jnp.polyfit(line, jnp.stack([v, v * v], 1), 1, cov=True)[1], row, NO),
    # edits
    "delete": (lambda v: jnp.delete(v, -2, 1), plane, ALL), "delete_slice": (lambda v: jnp.delete(v, slice(None, None, 2), 0), plane, ALL), "delete_list": (lambda v: jnp.delete(v, jnp.array([1, -1, 1])), plane, ALL), "delete_mask": (lambda v: jnp.delete(v, np.array([True, False, True]), 0), plane, ALL),
    "delete_promise": (lambda v: jnp.delete(v, jnp.array([3, -3, 1]), assume_unique_indices=True), plane, ALL), "insert": (lambda v: jnp.insert(v, 1, 9.0), plane, ALL), "insert_row": (lambda v: jnp.insert(v, 1, jnp.arange(4.0), 0), plane, ALL), "insert_column": (lambda v: jnp.insert(v, -1, jnp.arange(3.0), 1), plane, ALL),
    "insert_list": (lambda v: jnp.insert(v, jnp.array([2, 0, 2]), jnp.array([7.0, 8.0, 9.0])), row, ALL), "insert_slice": (lambda v: jnp.insert(v, slice(0, 4, 2), 5.0, 1), plane, ALL), "insert_one": (lambda v: jnp.insert(v, jnp.array([1]), jnp.ones((3, 2)), 1), plane, ALL),
    "resize": (lambda v: jnp.resize(v, (4, 5)), row, ALL), "resize_down": (lambda v: jnp.resize(v, (2, 2)), plane, ALL), "hsplit": (lambda v: jnp.hsplit(v, 2)[1], plane, ALL), "hsplit_row": (lambda v: jnp.hsplit(v, (2, 5))[1], row, NO), "vsplit": (lambda v: jnp.vsplit(v, 3)[2], plane, ALL), "dsplit": (lambda v: jnp.dsplit(v, (1,))[1], deep, ALL),
    "rollaxis": (lambda v: jnp.rollaxis(v, 2, 1), deep, ALL), "rollaxis_back": (lambda v: jnp.rollaxis(v, 0, 3), deep, ALL), "block": (lambda v: jnp.block([[v, v[:, :1]], [jnp.zeros((1, 4)), jnp.ones((1, 1))]]), plane, ALL), "block_row": (lambda v: jnp.block([v, 2.0, v[:2]]), row, ALL),
    "repeat_traced": (lambda v: jnp.repeat(plane, whole(v[:4]) % 3, axis=1, total_repeat_length=5), row, MAP), "repeat_long": (lambda v: jnp.repeat(v, jnp.array([2, 0, 1]), axis=0, total_repeat_length=5), plane, ALL),
    "concatenate_flat": (lambda v: jnp.concatenate([v, row], axis=None), plane, ALL), "stack_f16": (lambda v: jnp.stack([v, v], dtype=jnp.float16).astype(jnp.float32), row, NO), "concatenate_f16": (lambda v: jnp.concatenate([v, whole(v)], dtype=jnp.float16), row, NO),
    "pad_sides": (lambda v: jnp.pad(v, ((1, 2), (0, 1)), constant_values=((1.0, 2.0), (3.0, 4.0))), plane, ALL), "pad_ramp": (lambda v: jnp.pad(v, ((3, 2), (1, 2)), "linear_ramp", end_values=((5.0, -1.0), (2.0, 3.0))), plane, ALL), "pad_maximum": (lambda v: jnp.pad(v, 2, "maximum"), plane, MAP),
    "pad_mean": (lambda v: jnp.pad(v, ((1, 1), (2, 0)), "mean", stat_length=2), plane, ALL), "pad_median": (lambda v: jnp.pad(v, 1, "median"), plane, NO), "pad_minimum": (lambda v: jnp.pad(v, 1, "minimum", stat_length=((1, 2), (2, 3))), plane, MAP), "pad_mean_int": (lambda v: jnp.pad(whole(v), 2, "mean"), row, MAP),
    "pad_empty": (lambda v: jnp.pad(v, (1, 2), "empty"), row, ALL), "pad_reflect_odd": (lambda v: jnp.pad(v, ((2, 5), (4, 1)), "reflect", reflect_type="odd"), plane, ALL), "pad_symmetric_odd": (lambda v: jnp.pad(v, (3, 12), "symmetric", reflect_type="odd"), row, ALL),
    # grids and indices
    "mgrid": (lambda v: jnp.mgrid[0:3, 1:6:2] + 0 * whole(v[0]), row, NO), "mgrid_float": (lambda v: jnp.mgrid[0:1:0.25, 0:2] + v[0], row, NO), "mgrid_points": (lambda v: jnp.mgrid[-1:1:5j], row, NO), "ogrid": (lambda v: jnp.ogrid[0:3, 1:6:2][1], row, NO), "indices": (lambda v: jnp.indices((2, 3)), row, NO),
    "indices_sparse": (lambda v: jnp.indices((2, 3), sparse=True)[1], row, NO), "ix": (lambda v: v[jnp.ix_(jnp.array([2, 0]), jnp.array([3, 1, 1]))], plane, ALL), "meshgrid_sparse": (lambda v: jnp.meshgrid(v, v[:3], sparse=True)[1], row, NO), "diagflat": (lambda v: jnp.diagflat(v, -1), x((2, 2)), ALL),
    "geomspace": (lambda v: jnp.geomspace(jnp.abs(v) + 1, 100.0, 4), row, ALL), "geomspace_down": (lambda v: jnp.geomspace(-1.0, -8.0 + v[0], 4, endpoint=False), row, NO), "geomspace_axis": (lambda v: jnp.geomspace(jnp.abs(v) + 1, 50.0, 3, axis=-1), row, ALL), "geomspace_complex": (lambda v: jnp.geomspace(1j, 8j + 0 * v[0], 4), row, NO),
    "linspace_axis": (lambda v: jnp.linspace(v, 2.0, 4, axis=1), row, ALL), "linspace_step": (lambda v: jnp.linspace(v, 2.0, 4, retstep=True)[1], row, ALL), "linspace_step_one": (lambda v: jnp.linspace(v[0], 2.0, 1, retstep=True)[1], row, NO), "logspace_base": (lambda v: jnp.logspace(0.0, v[0], 3, base=2.5), row, ALL), "full_like_shape": (lambda v: jnp.full_like(v, 3, shape=(2, 2)), row, NO),
    "tril_indices_from": (lambda v: jnp.stack(jnp.tril_indices_from(v, 1)), plane, NO), "triu_indices_from": (lambda v: jnp.stack(jnp.triu_indices_from(v, -1)), plane, NO), "diag_indices_from": (lambda v: jnp.stack(jnp.diag_indices_from(v)), square, NO), "mask_indices": (lambda v: jnp.stack(jnp.mask_indices(3, jnp.triu, 1, size=4)), row, NO),
    "mask_indices_size": (lambda v: jnp.stack(jnp.mask_indices(3, lambda a, k: a * (v.reshape(3, 3) > k), 0, size=6)), row, MAP), "ravel_multi_index": (lambda v: jnp.ravel_multi_index((whole(v), whole(v) + 1), (3, 4), mode="wrap"), row, MAP), "ravel_multi_index_f": (lambda v: jnp.ravel_multi_index((whole(v), whole(v) + 1), (3, 4), mode="clip", order="F"), row, MAP),
    "fill_diagonal": (lambda v: jnp.fill_diagonal(v, jnp.array([7.0, 8.0]), inplace=False), plane, ALL), "fill_diagonal_deep": (lambda v: jnp.fill_diagonal(v, 5.0, inplace=False), x((3, 3, 3)), ALL), "fill_diagonal_tall": (lambda v: jnp.fill_diagonal(v, 5.0, inplace=False), x((7, 2)), ALL),
    "choose_clip": (lambda v: jnp.choose(whole(v), [v, -v, jnp.float32(7)], mode="clip"), row, MAP), "choose_wrap": (lambda v: jnp.choose(whole(v), [v, -v, jnp.float32(7)], mode="wrap"), row, MAP), "choose": (lambda v: jnp.choose(jnp.array([2, 0, 1]), [v[:3], -v[:3], v[3:6]]), row, ALL),
    "put": (lambda v: jnp.put(v, jnp.array([1, 9, -1, 40]), jnp.array([5.0, 6.0]), inplace=False), plane, ALL), "put_wrap": (lambda v: jnp.put(v, jnp.array([13, -1]), 5.0, mode="wrap", inplace=False), plane, ALL), "put_clip": (lambda v: jnp.put(v, jnp.array([40]), 5.0, mode="clip", inplace=False), plane, ALL),
    "place": (lambda v: jnp.place(v, v > 0, jnp.array([10.0, 20.0, 30.0]), inplace=False), plane, MAP), "putmask": (lambda v: np.where(v > 0, np.resize(np.array([1.0, 2.0, 3.0, 4.0, 5.0], np.float32), (3, 4)), v), plane, NO),
    "put_along_axis_clip": (lambda v: jnp.put_along_axis(v, jnp.array([[9], [1], [-1]]), 5.0, 1, inplace=False, mode="clip"), plane, ALL), "compress_size": (lambda v: jnp.compress(v[0] > 0, v, 1, size=3, fill_value=9), plane, MAP), "compress_short": (lambda v: jnp.compress(jnp.array([True, False]), v, 0), plane, ALL),
    "extract_size": (lambda v: jnp.extract(v > 0, v, size=8, fill_value=-1), plane, MAP), "where_size": (lambda v: jnp.stack(jnp.where(v > 0, size=9, fill_value=(-1, -2))), plane, MAP), "argwhere_fill": (lambda v: jnp.argwhere(v > 0, size=8, fill_value=5), plane, MAP),
    "segment_clip": (lambda v: segment_sum(v, jnp.array([0, 3, 1]), 2, mode="clip"), plane, ALL), "segment_buckets": (lambda v: segment_sum(v, jnp.array([0, 3, 1, 1, 0, 1, 3, 2, -1]), 4, bucket_size=2), row, ALL),
    "at_power": (lambda v: v.at[jnp.array([1, 3, 3])].power(2.0), jnp.abs(row) + 1, MAP), "at_apply": (lambda v: v.at[1, ::2].apply(jnp.sin), plane, MAP),
    # products
    "dot_f32": (lambda v: jnp.dot(v.astype(jnp.bfloat16), plane.T.astype(jnp.bfloat16), preferred_element_type=jnp.float32), plane, NO), "matmul_i32": (lambda v: jnp.matmul(whole(v).astype(jnp.int8) * 20, whole(v).T.astype(jnp.int8) * 20, preferred_element_type=jnp.int32), plane, NO),
    "einsum_i32": (lambda v: jnp.einsum("ij,kj->ik", whole(v).astype(jnp.int8) * 20, whole(v).astype(jnp.int8) * 20, preferred_element_type=jnp.int32), plane, NO), "einsum_lists": (lambda v: jnp.einsum(v, [0, 1], plane, [2, 1], [2, 0]), plane, ALL), "einsum_steps": (lambda v: jnp.einsum("ij,jk,kl->il", v, plane.T, v, optimize=[(1, 2), (0, 1)]), plane, ALL),
    "tensordot_f32": (lambda v: jnp.tensordot(v.astype(jnp.bfloat16), plane.astype(jnp.bfloat16), 2, preferred_element_type=jnp.float32), plane, NO), "convolve_f32": (lambda v: jnp.convolve(v.astype(jnp.bfloat16), v.astype(jnp.bfloat16), preferred_element_type=jnp.float32), row, NO),
    "cross_axes": (lambda v: jnp.cross(v, x((4, 3), 5, 13), 0, 1, 0), plane, ALL), "cross_axis": (lambda v: jnp.cross(v, v[:, ::-1] * 2 + 1, axis=0), plane, ALL), "cross_mixed": (lambda v: jnp.cross(v, row[:2]), plane[:, :3], ALL), "trace_f16": (lambda v: jnp.trace(v, dtype=jnp.float16), square, NO), "trace_i8": (lambda v: jnp.trace(whole(v).astype(jnp.int8)), square, NO),
    # functions of functions
    "apply_along_axis": (lambda v: jnp.apply_along_axis(lambda r: jnp.stack([r.sum(), r.max() * r[0]]), 1, v), deep, ALL), "apply_along_axis_matrix": (lambda v: jnp.apply_along_axis(lambda r: jnp.outer(r, r), 0, v), plane, ALL), "apply_over_axes": (lambda v: jnp.apply_over_axes(jnp.sum, v, [0, 2]), deep, ALL),
    "piecewise": (lambda v: jnp.piecewise(v, [v < 0, v > 0.5], [lambda a: a * a, 3.0, jnp.sin]), row, ALL), "piecewise_zero": (lambda v: jnp.piecewise(v, [v < 0.5, v < 0], [1.0, lambda a: -a]), row, ALL), "fromfunction": (lambda v: jnp.fromfunction(lambda i, j: i * 2 + j * v[0], (2, 3)), row, ALL),
    "vectorize": (lambda v: jnp.vectorize(lambda a, b: jnp.dot(a, b), signature="(n),(n)->()")(v, v[0]), deep, ALL), "vectorize_matrix": (lambda v: jnp.vectorize(lambda a, b: a @ b, signature="(m,n),(n)->(m)")(v, v[:, None, 0]), deep, ALL), "vectorize_scalars": (lambda v: jnp.vectorize(lambda a, b: jnp.where(a > b, a, b * 2))(v, row[:4]), plane, ALL),
    "vectorize_excluded": (lambda v: jnp.vectorize(lambda a, b: a * b.sum(), excluded={1})(v, row), plane, ALL),
}

# The order of these results depends on the backend, so that they are sorted.
BY_ORDER = {
    "roots": (lambda v: jnp.sort(jnp.abs(jnp.roots(v))), row[:5]), "roots_zeros": (lambda v: jnp.sort(jnp.abs(jnp.roots(v, strip_zeros=False))), jnp.concatenate([jnp.zeros(2, jnp.float32), row[:4], jnp.zeros(1, jnp.float32)])),
    "roots_stripped": (lambda v: jnp.sort(jnp.abs(jnp.roots(v))), jnp.concatenate([jnp.zeros(2, jnp.float32), row[:4]])), "poly_matrix": (lambda v: jnp.real(jnp.poly(v)), square),
}


print(f"# made by make_numpy_parameters.py with jax {jax.__version__}")
for name, (f, a, more) in CALLS.items():
    r = jnp.asarray(f(a))
    show(name, r)
    if "slope" in more:
        show(name + "_slope", jax.vjp(f, a)[1](x(r.shape, 5, 13))[0])
        show(name + "_push", jax.jvp(f, (a,), (x(a.shape, 3, 7),))[1])
    if "map" in more:
        show(name + "_map", jax.vmap(f)(jnp.stack([a, -a])))
for name, (f, a) in BY_ORDER.items():
    show(name, f(a))
