// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/functions_golden_test.cpp: compares the libraries of functions with JAX's results
// for the same calls (tests/golden/generators/make_functions.py). Random numbers, integers and
// functions that only move elements agree to the bit.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <sstream>

#include "support/catch.h"
#include "support/golden_lines.h"
#include "weft/grad.h"
#include "weft/lax.h"
#include "weft/linalg.h"
#include "weft/nn.h"
#include "weft/numpy/create.h"
#include "weft/numpy/edit.h"
#include "weft/numpy/index.h"
#include "weft/numpy/math.h"
#include "weft/numpy/products.h"
#include "weft/numpy/reduce.h"
#include "weft/numpy/sets.h"
#include "weft/numpy/shape.h"
#include "weft/numpy/sort.h"
#include "weft/random.h"

using namespace weft;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity(),
                 not_a_number = std::numeric_limits<double>::quiet_NaN();

std::vector<int64_t> counted(const Shape& s, int64_t m, int64_t k) {
  std::vector<int64_t> v;
  for (int64_t i = 0; i < s.elements(); ++i) v.push_back(i * m % k - k / 2);
  return v;
}
Array x(const Shape& s, int64_t m = 7, int64_t k = 11) {
  std::vector<float> v;
  for (int64_t i : counted(s, m, k)) v.push_back(static_cast<float>(i) / 4);
  return array(v, s);
}
Array n(const Shape& s, int64_t m = 7, int64_t k = 11) {
  return array(counted(s, m, k), s).astype(I32);
}

using Case = std::function<Array()>;
using Cases = std::map<std::string, Case>;

struct Inputs {
  Array a = x({3, 4}), b = x({4, 3}, 5, 13), c = x({2, 3, 4}, 3, 7), v = x({5}, 3, 5);
  Array i = n({3, 4}), j = n({3, 4}, 5, 7);
  Array odd = array({3., not_a_number, -inf, inf, 0., -0., -2.5, not_a_number});
  Array key = random::key(42);
};

void add_arithmetic(Cases& t, const Inputs& in) {
  const auto& [a, b, c, v, i, j, odd, key] = in;
  t["add"] = [=] { return a + b.T(); };
  t["sub_scalar"] = [=] { return 1.5 - a; };
  t["mul_int"] = [=] { return a * 2; };
  t["div_int"] = [=] { return i / j; };
  t["floor_divide"] = [=] { return floor_divide(i, j); };
  t["remainder"] = [=] { return i % j; };
  t["floor_divide_float"] = [=] { return floor_divide(a, 0.75); };
  t["remainder_float"] = [=] { return a % 0.75; };
  t["fmod"] = [=] { return fmod(i, j); };
  t["power_int"] = [=] { return pow(i, 3); };
  t["power_array"] = [=] { return power(abs(i), abs(j)); };
  t["power_float"] = [=] { return power(abs(a) + 0.5, b.T()); };
  t["maximum"] = [=] { return maximum(a, b.T()); };
  t["fmin"] = [=] { return fmin(odd, 1.0); };
  t["fmax"] = [=] { return fmax(odd, 1.0); };
  t["minimum_nan"] = [=] { return minimum(odd, 1.0); };
  t["clip"] = [=] { return clip(a, -1, 0.5); };
  t["sign"] = [=] { return sign(odd); };
  t["bool_add"] = [=] { return (a > 0) + (a < 0.5); };
  t["int8_wrap"] = [=] { return array({100}, I8)[0] + (i[0] * 20).astype(I8); };
  t["shift"] = [=] { return i >> 1; };
  t["shift_left"] = [=] { return i << 3; };
  t["xor"] = [=] { return i ^ j; };
  t["not"] = [=] { return ~i; };
  t["bitwise_count"] = [=] { return bitwise_count(i); };
  t["weak_half"] = [=] { return a.astype(F16) * 2.5; };
  t["u8_minus"] = [=] { return array({1, 2}, U8) - array({2, 1}, U8); };
}

void add_elementary(Cases& t, const Inputs& in) {
  const auto& [a, b, c, v, i, j, odd, key] = in;
  t["exp"] = [=] { return exp(a); };
  t["log"] = [=] { return log(abs(a)); };
  t["log1p"] = [=] { return log1p(abs(a)); };
  t["expm1"] = [=] { return expm1(a); };
  t["exp2"] = [=] { return exp2(a); };
  t["log2"] = [=] { return log2(abs(a) + 1); };
  t["log10"] = [=] { return log10(abs(a) + 1); };
  t["sqrt"] = [=] { return sqrt(a); };
  t["cbrt"] = [=] { return cbrt(a); };
  t["sin"] = [=] { return sin(a); };
  t["cos"] = [=] { return cos(a); };
  t["tan"] = [=] { return tan(a); };
  t["tanh"] = [=] { return tanh(a); };
  t["arcsin"] = [=] { return arcsin(a / 2); };
  t["arctan2"] = [=] { return arctan2(a, b.T()); };
  t["sinh"] = [=] { return sinh(a); };
  t["arccosh"] = [=] { return arccosh(abs(a) + 1); };
  t["hypot"] = [=] { return hypot(a, b.T()); };
  t["logaddexp"] = [=] { return logaddexp(odd, 1.0); };
  t["logaddexp2"] = [=] { return logaddexp2(a, b.T()); };
  t["sinc"] = [=] { return sinc(a); };
  t["deg2rad"] = [=] { return deg2rad(a); };
  t["exp_int"] = [=] { return exp(i[0]); };
  t["round"] = [=] { return round(a * 2); };
  t["round_decimals"] = [=] { return round(a * 1.37, 1); };
  t["floor"] = [=] { return floor(a); };
  t["ceil"] = [=] { return ceil(odd); };
  t["trunc"] = [=] { return trunc(odd); };
  t["copysign"] = [=] { return copysign(a, b.T()); };
  t["nextafter"] = [=] { return nextafter(a, 0.0); };
  t["signbit"] = [=] { return signbit(odd); };
  t["ldexp"] = [=] { return ldexp(a, i); };
  t["heaviside"] = [=] { return heaviside(odd, 0.5); };
  t["nan_to_num"] = [=] { return nan_to_num(odd); };
  t["isnan"] = [=] { return isnan(odd); };
  t["isinf"] = [=] { return isinf(odd); };
  t["isfinite"] = [=] { return isfinite(odd); };
  t["isposinf"] = [=] { return isposinf(odd); };
  const Array z = lax::complex(array({1., not_a_number, inf, 1., not_a_number, 0.}),
                               array({2., 0., 1., -inf, inf, 3.}));
  const Array w = lax::complex(array({1., 0., inf, 1., 0., 0.}),
                               array({2.00001, not_a_number, 1., inf, 0., 3.1}));
  t["isfinite_complex"] = [=] { return isfinite(z); };
  t["isinf_complex"] = [=] { return isinf(z); };
  t["isclose_complex"] = [=] {
    return stack({isclose(z, w), isclose(z, w, 1e-5, 1e-8, true), isclose(w, z), isclose(z, z)});
  };
  t["isclose"] = [=] { return isclose(odd, odd, 1e-5, 1e-8, true); };
  t["where"] = [=] { return where(a > 0, a, b.T()); };
  t["where_broadcast"] = [=] { return where(v[{slice(), newaxis}] > 0, 1, v); };
  t["reduce_precision"] = [=] { return lax::reduce_precision(a * 1.37, 4, 3); };
  t["reduce_precision_odd"] = [=] { return lax::reduce_precision(odd, 3, 0); };
  const Array edges = array({1.7, 57344., 61440., -65504., 6.2e-5, 5e-5, -1e-30, 3e38});
  t["reduce_precision_edges"] = [=] { return lax::reduce_precision(edges, 5, 2); };
  t["reduce_precision_one"] = [=] { return lax::reduce_precision(edges, 1, 3); };
  t["reduce_precision_f16"] = [=] {
    return lax::reduce_precision((a * 1e-6).astype(F16), 5, 7).astype(F32);
  };
  t["mulhi"] = [=] { return lax::mulhi(i * 123456789, j * 987654321); };
  t["mulhi_u8"] = [=] { return lax::mulhi(i.astype(U8), j.astype(U8)); };
  t["bessel_i0e"] = [=] { return lax::bessel_i0e(a * 20); };
  t["bessel_i1e"] = [=] { return lax::bessel_i1e(a * 20); };
  t["bessel_i1e_odd"] = [=] { return lax::bessel_i1e(odd); };
  const auto slope = [](Array (*f)(const Arg&), const Array& at) {
    return jvp([f](Array z) { return f(z); }, std::tuple(at), std::tuple(ones_like(at))).second;
  };
  t["bessel_i0e_slope"] = [=] { return slope(lax::bessel_i0e, v * 3 + 0.25); };
  t["bessel_i1e_slope"] = [=] { return slope(lax::bessel_i1e, v * 3); };
  t["atan2_complex"] = [=] {
    return lax::imag(lax::atan2(lax::complex(a, b.T()), lax::complex(b.T() + 5, a)));
  };
  t["top_k_order"] = [=] {
    return lax::top_k(array({2., 0., -inf, -0., not_a_number, inf, -1.}), 7).second;
  };
  t["select"] = [=] { return select({a > 1, a > 0}, {a, -a}, 7.0); };
}

void add_reductions(Cases& t, const Inputs& in) {
  const auto& [a, b, c, v, i, j, odd, key] = in;
  t["sum"] = [=] { return sum(a); };
  t["sum_axis"] = [=] { return sum(c, {0, 2}); };
  t["sum_keepdims"] = [=] { return c.sum(-1, {.keepdims = true}); };
  t["sum_bool"] = [=] { return sum(a > 0, 0); };
  t["sum_where"] = [=] { return sum(a, 1, {.where = a > 0, .initial = 2.0}); };
  t["sum_u8"] = [=] { return sum(array({200, 100}, U8)); };
  t["prod"] = [=] { return prod(b, 0); };
  t["mean"] = [=] { return mean(c, 1); };
  t["mean_int"] = [=] { return i.mean(); };
  t["mean_where"] = [=] { return mean(a, none, {.where = a > 0}); };
  t["max"] = [=] { return max(a, 1); };
  t["min_nan"] = [=] { return min(odd); };
  t["var"] = [=] { return var(a, 0); };
  t["std"] = [=] { return weft::std(c, none, {.ddof = 1}); };
  t["any"] = [=] { return any(a > 1.2, 0); };
  t["all"] = [=] { return all(a < 1.2, 1); };
  t["argmax"] = [=] { return argmax(a, 1); };
  t["argmin_flat"] = [=] { return a.argmin(); };
  t["argmax_nan"] = [=] { return argmax(odd); };
  t["ptp"] = [=] { return ptp(a, 0); };
  t["count_nonzero"] = [=] { return count_nonzero(i, 1); };
  t["logsumexp"] = [=] { return logsumexp(c, 2); };
  t["nansum"] = [=] { return nansum(odd[slice(6, none)]); };
  t["nanmax"] = [=] { return nanmax(odd); };
  t["nanmean"] = [=] { return nanmean(odd[slice(4, none)]); };
  t["average"] = [=] { return average(a, 1, arange(4.0)); };
  t["median"] = [=] { return median(a, 1); };
  t["quantile"] = [=] { return quantile(a, array({0.1, 0.5, 0.9}), 1); };
  t["percentile"] = [=] { return percentile(v, 30.0); };
  t["cumsum"] = [=] { return cumsum(a, 1); };
  t["cumprod"] = [=] { return cumprod(b, 0); };
  t["cumsum_flat"] = [=] { return cumsum(i); };
  t["cummax"] = [=] { return cummax(a, 1); };
  t["diff"] = [=] { return diff(a, 2); };
  t["trapezoid"] = [=] { return trapezoid(a, none, 0.5); };
  t["arange"] = [=] { return arange(2, 11, 3); };
  t["arange_float"] = [=] { return arange(0.5, 3, 0.4); };
  t["arange_down"] = [=] { return arange(5, 0, -2); };
  t["linspace"] = [=] { return linspace(-1, 2, 7); };
  t["linspace_open"] = [=] { return linspace(0, 1, 5, {.endpoint = false}); };
  t["logspace"] = [=] { return logspace(0, 2, 5); };
  t["eye"] = [=] { return eye(3, 4, 1); };
  t["tri"] = [=] { return tri(3, 4, -1); };
  t["tril"] = [=] { return tril(c, 1); };
  t["triu"] = [=] { return triu(a, -1); };
  t["diag_of"] = [=] { return diag(v, -2); };
  t["diagonal"] = [=] { return diagonal(c, 1, 1, 2); };
  t["meshgrid"] = [=] { return meshgrid({v, v[slice(0, 3)]})[1]; };
}

void add_shapes(Cases& t, const Inputs& in) {
  const auto& [a, b, c, v, i, j, odd, key] = in;
  t["reshape"] = [=] { return a.reshape({2, -1}); };
  t["transpose"] = [=] { return transpose(c, {2, 0, 1}); };
  t["swapaxes"] = [=] { return swapaxes(c, 0, 2); };
  t["moveaxis"] = [=] { return moveaxis(c, {0, 1}, {-1, 0}); };
  t["expand_dims"] = [=] { return expand_dims(a, {0, -1}); };
  t["broadcast_to"] = [=] { return broadcast_to(v, {2, 5}); };
  t["concatenate"] = [=] { return concatenate({a, i}, 0); };
  t["stack"] = [=] { return stack({a, -a}, -1); };
  t["hstack"] = [=] { return hstack({v, v[slice(0, 2)]}); };
  t["vstack"] = [=] { return vstack({v, v}); };
  t["split"] = [=] { return split(a, 2, 1)[1]; };
  t["array_split"] = [=] { return array_split(v, 3)[1]; };
  t["tile"] = [=] { return tile(v[slice(0, 2)], {2, 3}); };
  t["repeat"] = [=] { return repeat(a, 2, 1); };
  t["repeat_each"] = [=] { return repeat(v, {0, 1, 2, 0, 3}); };
  t["pad"] = [=] { return pad(a, {{1, 0}, {0, 2}}, {.constant_values = 9.0}); };
  t["pad_reflect"] = [=] { return pad(v, {2, 3}, {.mode = "reflect"}); };
  t["pad_symmetric"] = [=] { return pad(v, {2, 3}, {.mode = "symmetric"}); };
  t["pad_wrap"] = [=] { return pad(v, {2, 7}, {.mode = "wrap"}); };
  t["pad_edge"] = [=] { return pad(v, {2, 1}, {.mode = "edge"}); };
  t["roll"] = [=] { return roll(a, -5); };
  t["roll_axes"] = [=] { return roll(c, array({1, -1}), {0, 2}); };
  t["flip"] = [=] { return flip(c, {0, 2}); };
  t["rot90"] = [=] { return rot90(a, 3); };
}

void add_indexing(Cases& t, const Inputs& in) {
  const auto& [a, b, c, v, i, j, odd, key] = in;
  t["index_negative"] = [=] { return a[-1]; };
  t["index_slice"] = [=] { return c[{1, slice(none, none, -2), slice(1, 3)}]; };
  t["index_ellipsis"] = [=] { return c[{ellipsis, newaxis, 2}]; };
  t["index_array"] = [=] { return c[{slice(), array({2, -1, 0})}]; };
  t["index_two"] = [=] { return c[{array({{0}, {1}}), slice(), array({3, 1, 0})}]; };
  t["index_apart"] = [=] { return c[{0, slice(), array({1, 2})}]; };
  t["index_beside"] = [=] { return c[{slice(), 1, array({1, 2})}]; };
  t["index_newaxis"] = [=] { return c[{array({1, 0}), newaxis, array({2, 0})}]; };
  t["index_strided"] = [=] {
    return c[{array({1, 0}), slice(none, none, 2), slice(none, none, -1)}];
  };
  t["index_clamp"] = [=] { return v[array({10, -10, 2})]; };
  t["index_mask"] = [=] { return a[a > 0.6]; };
  t["index_fill"] = [=] { return v.at(array({1, 9})).get({.mode = "fill", .fill_value = -8.0}); };
  t["at_set"] = [=] { return a.at({slice(1, none), slice(none, none, 2)}).set(9.0); };
  t["at_add_duplicates"] = [=] {
    return v.at(array({1, 1, -1, 7})).add(array({1.0, 2.0, 4.0, 8.0}));
  };
  t["at_min"] = [=] { return c.at({slice(), array({0, 2}), 1}).min(-1.0); };
  t["at_mul"] = [=] { return a.at({array({0, 2}), slice(1, 3)}).multiply(3.0); };
  t["at_divide"] = [=] { return a.at(0).divide(4.0); };
  t["at_reverse"] = [=] { return v.at(slice(none, none, -1)).set(arange(5.0)); };
  t["take"] = [=] { return take(a, array({2, -1, 9}), 1); };
  t["take_clip"] = [=] { return take(v, array({-1, 9}), {}, {.mode = "clip"}); };
  t["take_wrap"] = [=] { return take(v, array({-1, 9}), {}, {.mode = "wrap"}); };
  t["take_along_axis"] = [=] { return take_along_axis(a, array({{1}, {3}, {-1}}), 1); };
  t["nonzero"] = [=] { return stack(nonzero(i, {.size = 12, .fill_value = -1})); };
  t["unravel_index"] = [=] { return stack(unravel_index(array({0, 7, 11}), {3, 4})); };
  t["unravel_index_out"] = [=] {
    return stack(unravel_index(array({-8, -7, -6, -1, 0, 5, 6, 7, 100}), {2, 3}));
  };
  t["unravel_index_line"] = [=] { return unravel_index(array({-9, -4, -1, 3, 4}), {4})[0]; };
  t["segment_sum"] = [=] { return segment_sum(a, array({1, 0, 1}), {.num_segments = 3}); };
  t["segment_max"] = [=] { return segment_max(i, array({1, 0, 1}), {.num_segments = 3}); };
  t["bincount"] = [=] { return bincount(array({1, 3, 1, 9}), none, 0, {.length = 5}); };
  t["sort"] = [=] { return sort(odd); };
  t["sort_axis"] = [=] { return sort(a, 0); };
  t["sort_descending"] = [=] { return sort(odd, -1, {.descending = true}); };
  t["argsort"] = [=] { return argsort(odd); };
  t["argsort_descending"] = [=] { return argsort(array({1, 3, 1, 2}), -1, {.descending = true}); };
  t["lexsort"] = [=] { return lexsort({i[0], array({1, 0, 1, 0})}); };
  t["top_k"] = [=] { return top_k(odd, 4).second; };
  t["searchsorted"] = [=] { return searchsorted(array({1.0, 2.0, 2.0, not_a_number}), odd); };
  t["searchsorted_right"] = [=] {
    return searchsorted(array({1, 2, 2, 3}), arange(5), {.side = "right"});
  };
  t["digitize"] = [=] { return digitize(v, array({-1.0, 0.0, 0.5})); };
  t["unique"] = [=] { return unique(i, {.size = 14, .fill_value = 99}); };
  t["isin"] = [=] { return isin(i, array({0, 3})); };
}

void add_products(Cases& t, const Inputs& in) {
  const auto& [a, b, c, v, i, j, odd, key] = in;
  t["dot"] = [=] { return a.dot(b); };
  t["dot_nd"] = [=] { return dot(c, b); };
  t["matmul"] = [=] { return matmul(c, b); };
  t["matmul_vector"] = [=] { return matmul(v[slice(0, 3)], a); };
  t["vdot"] = [=] { return vdot(a, b.T()); };
  t["inner"] = [=] { return inner(c, a); };
  t["outer"] = [=] { return outer(v, i[0]); };
  t["tensordot"] = [=] { return tensordot(c, a, {{1, 2}, {0, 1}}); };
  t["einsum_batch"] = [=] { return einsum("bij,jk->bki", c, b); };
  t["einsum_diagonal"] = [=] { return einsum("ii->i", a[{slice(), slice(0, 3)}]); };
  t["einsum_ellipsis"] = [=] { return einsum("...ij,...ij->...", c, a); };
  t["einsum_implicit"] = [=] { return einsum("ba", a); };
  t["einsum_three"] = [=] { return einsum("ij,jk,kl->il", a, b, a); };
  t["trace"] = [=] { return trace(a, 1); };
  t["kron"] = [=] { return kron(v[slice(0, 2)], a); };
  t["cross"] = [=] { return cross(b, flip(b, 0)); };
  t["relu"] = [=] { return nn::relu(odd); };
  t["gelu"] = [=] { return nn::gelu(a); };
  t["gelu_exact"] = [=] { return nn::gelu(a, false); };
  t["silu"] = [=] { return nn::silu(a); };
  t["softplus"] = [=] { return nn::softplus(odd); };
  t["elu"] = [=] { return nn::elu(a); };
  t["selu"] = [=] { return nn::selu(a); };
  t["celu"] = [=] { return nn::celu(a, 2.0); };
  t["leaky_relu"] = [=] { return nn::leaky_relu(a); };
  t["log_sigmoid"] = [=] { return nn::log_sigmoid(a); };
  t["mish"] = [=] { return nn::mish(a); };
  t["hard_silu"] = [=] { return nn::hard_silu(a); };
  t["softmax"] = [=] { return nn::softmax(c, 1); };
  t["log_softmax"] = [=] { return nn::log_softmax(a); };
  t["one_hot"] = [=] { return nn::one_hot(array({1, 5, 0}), 3); };
  t["glu"] = [=] { return nn::glu(a); };
  t["standardize"] = [=] { return nn::standardize(a); };
  t["attention"] = [=] {
    return nn::dot_product_attention(x({1, 3, 2, 4}), x({1, 5, 2, 4}, 5, 13), x({1, 5, 2, 4}, 3, 7),
                                     {.is_causal = true});
  };
}

void add_factorisations(Cases& t) {
  using linalg::Trans;
  const Array weights = x({2, 4, 4}, 5, 13);
  const Array spd = matmul(weights, matrix_transpose(weights)) + 2 * eye(4),
              lopsided = spd + triu(weights, 1), right = x({2, 4, 3}, 3, 7);
  t["cholesky"] = [=] { return linalg::cholesky(spd); };
  t["cholesky_upper"] = [=] {
    return linalg::cholesky(lopsided, {.upper = true, .symmetrize_input = false});
  };
  t["cholesky_symmetrized"] = [=] { return linalg::cholesky(lopsided); };
  t["cholesky_slope"] = [=] {
    return grad([=](Array m) { return sum(linalg::cholesky(m) * weights); })(spd);
  };
  t["solve_lower"] = [=] { return linalg::solve_triangular(spd, right, {.lower = true}); };
  t["solve_transposed"] = [=] {
    return linalg::solve_triangular(spd, right, {.trans = Trans::transpose});
  };
  t["solve_unit"] = [=] {
    return linalg::solve_triangular(spd[0], right[0].T()[0], {.unit_diagonal = true});
  };
  t["solve_slope"] = [=] {
    return grad([=](Array m) {
      const auto how = Trans::conjugate_transpose;
      return sum(square(linalg::solve_triangular(m, right, {.trans = how, .lower = true})));
    })(spd);
  };
}

void add_convolutions(Cases& t) {
  const Array image = x({2, 4, 7, 6}, 7, 23), kernel = x({4, 4, 3, 3}, 5, 19);
  const auto conv = [](const Array& lhs, const Array& rhs, const std::vector<int64_t>& strides,
                       const lax::ConvPadding& padding, const lax::ConvDilatedOptions& o = {}) {
    return lax::conv_general_dilated(lhs, rhs, strides, padding, o);
  };
  t["conv_same"] = [=] { return conv(image, kernel, {2, 1}, "SAME"); };
  t["conv_same_lower"] = [=] {
    const Array small = kernel[{slice(), slice(), slice(0, 2), slice(0, 2)}];
    return conv(image, small, {1, 2}, "SAME_LOWER");
  };
  t["conv_dilated"] = [=] {
    return conv(image, kernel, {1, 2}, {{1, 2}, {0, -1}},
                {.lhs_dilation = {2, 1}, .rhs_dilation = {1, 2}});
  };
  t["conv_groups"] = [=] {
    return conv(image, kernel.reshape({8, 2, 3, 3}), {1, 1}, "VALID", {.feature_group_count = 2});
  };
  t["conv_batch_groups"] = [=] {
    return conv(image, kernel, {2, 2}, "VALID", {.batch_group_count = 2});
  };
  t["conv_features_last"] = [=] {
    return conv(image, kernel.reshape({3, 2, 6, 4}), {1, 1}, "VALID",
                {.dimension_numbers = {"NWHC", "HWIO", "NHWC"}});
  };
  const auto energy = [=](const Array& lhs, const Array& rhs) {
    return sum(square(conv(lhs, rhs, {2, 1}, {{1, 0}, {2, 1}},
                           {.lhs_dilation = {1, 2}, .rhs_dilation = {2, 1}})));
  };
  t["conv_slope_lhs"] = [=] { return grad([=](Array x) { return energy(x, kernel); })(image); };
  t["conv_slope_rhs"] = [=] { return grad([=](Array y) { return energy(image, y); })(kernel); };
}

void add_random(Cases& t, const Inputs& in) {
  const auto& [a, b, c, v, i, j, odd, key] = in;
  const Array p = array({0.1, 0.2, 0.3, 0.2, 0.2});
  t["random_split"] = [=] { return random::key_data(random::split(key)); };
  t["random_split_shape"] = [=] { return random::key_data(random::split(key, {2, 2})); };
  t["random_fold_in"] = [=] { return random::key_data(random::fold_in(key, 7)); };
  t["random_negative_seed"] = [=] { return random::key_data(random::key(-1)); };
  t["random_bits"] = [=] { return random::bits(key, {2, 3}); };
  t["random_bits8"] = [=] { return random::bits(key, {4}, {.dtype = U8}); };
  t["random_uniform"] = [=] { return random::uniform(key, {3}); };
  t["random_uniform_range"] = [=] { return random::uniform(key, {6}, {.lo = 0.1, .hi = 0.7}); };
  t["random_uniform_f16"] = [=] { return random::uniform(key, {3}, {.dtype = F16}); };
  t["random_uniform_bf16"] = [=] { return random::uniform(key, {3}, {.dtype = BF16}).astype(F32); };
  t["random_normal"] = [=] { return random::normal(key, {5}); };
  t["random_randint"] = [=] { return random::randint(key, {6}, 0, 100); };
  t["random_randint_u8"] = [=] { return random::randint(key, {6}, 3, 300, {.dtype = U8}); };
  t["random_randint_full"] = [=] { return random::randint(key, {4}, -5, 2147483647); };
  t["random_bernoulli"] = [=] { return random::bernoulli(key, 0.3, Shape{8}); };
  t["random_categorical"] = [=] {
    return random::categorical(key, log(array({0.2, 0.3, 0.5})), {.shape = Shape{8}});
  };
  t["random_categorical_axis"] = [=] { return random::categorical(key, c, {.axis = 1}); };
  t["random_permutation"] = [=] { return random::permutation(key, 8); };
  t["random_permutation_rows"] = [=] { return random::permutation(key, a); };
  t["random_permutation_independent"] = [=] {
    return random::permutation(key, a, {.axis = 1, .independent = true});
  };
  t["random_choice"] = [=] { return random::choice(key, 5, {4}); };
  t["random_choice_once"] = [=] { return random::choice(key, v, {3}, {.replace = false}); };
  t["random_choice_p"] = [=] { return random::choice(key, 5, {6}, {.p = p}); };
  t["random_choice_once_p"] = [=] {
    return random::choice(key, 5, {3}, {.replace = false, .p = p});
  };
  t["random_exponential"] = [=] { return random::exponential(key, {3}); };
  t["random_gumbel"] = [=] { return random::gumbel(key, {3}); };
  t["random_laplace"] = [=] { return random::laplace(key, {3}); };
  t["random_logistic"] = [=] { return random::logistic(key, {3}); };
  t["random_cauchy"] = [=] { return random::cauchy(key, {3}); };
  t["random_truncated_normal"] = [=] { return random::truncated_normal(key, -1.0, 2.0, Shape{4}); };
  t["random_rademacher"] = [=] { return random::rademacher(key, {5}); };
}

Cases all_cases() {
  const Inputs in;
  Cases t;
  add_arithmetic(t, in);
  add_elementary(t, in);
  add_reductions(t, in);
  add_shapes(t, in);
  add_indexing(t, in);
  add_products(t, in);
  add_factorisations(t);
  add_convolutions(t);
  add_random(t, in);
  return t;
}

// Random numbers that exactly defined steps compute from the bits agree to the bit.
double tolerance(const std::string& name) {
  static const std::vector<std::string> exact = {"random_uniform", "random_uniform_range",
                                                 "random_uniform_f16", "random_uniform_bf16",
                                                 "random_normal"};
  return std::find(exact.begin(), exact.end(), name) != exact.end() ? 0 : 4e-6;
}
bool same(double got, double want, double rtol) {
  if (std::isnan(want)) return std::isnan(got);
  if (std::isinf(want) || rtol == 0) return got == want;
  return std::abs(got - want) <=
         rtol * std::max(1.0, std::abs(want)) / (std::abs(want) < 1 ? 2 : 1);
}

}  // namespace

TEST_CASE("functions give what JAX gives") {
  const auto want = testing::golden_lines("functions.txt");
  const Cases cases = all_cases();
  for (const auto& [name, e] : want)
    if (cases.count(name) == 0) FAIL_CHECK(name << " has no call here");
  for (const auto& [name, call] : cases) {
    INFO(name);
    const auto it = want.find(name);
    REQUIRE(it != want.end());
    const Array got = call();
    CHECK(std::string(short_name(got.dtype())) == it->second.dtype);
    REQUIRE(testing::shape_words(got.shape()) == it->second.shape);
    const auto values = got.to_vector<double>();
    for (size_t k = 0; k < values.size(); ++k) {
      INFO("element " << k << " is " << values[k] << ", wanted " << it->second.values[k]);
      CHECK(same(values[k], it->second.values[k], is_integer(got.dtype()) ? 0 : tolerance(name)));
    }
  }
}
