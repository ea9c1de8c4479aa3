// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/random/random.cpp: random numbers from keys, computed as jax.random does.
#include "weft/random.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "functions/kit.h"
#include "functions/random/kit.h"
#include "ops/control/control_flow.h"
#include "ops/index/sort.h"
#include "ops/random/random.h"
#include "ops/structure/structure.h"
#include "tracer/concrete.h"
#include "weft/lax/compare.h"
#include "weft/lax/convert.h"
#include "weft/lax/elementary.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/fma.h"
#include "weft/lax/integrals.h"
#include "weft/lax/rounding.h"
#include "weft/lax/special.h"
#include "weft/numpy/create.h"
#include "weft/numpy/index.h"
#include "weft/numpy/math.h"
#include "weft/numpy/reduce.h"
#include "weft/numpy/shape.h"
#include "weft/numpy/sort.h"

namespace weft::random {

const Array& one_key(const char* name, const Array& key) {
  if (!is_key(key.dtype()))
    fn::fail_dtype(
        fmt::format("{}: the first argument must be a key, as random::key(0) makes it; got {}",
                    name, to_string(key.type())));
  if (key.ndim() != 0)
    fn::fail_shape(
        fmt::format("{} accepts a single key, but was given a key array of shape {}; use "
                    "weft::vmap for batching",
                    name, to_string(key.shape())));
  return key;
}
void need_float(const char* name, DType d) {
  if (!is_floating(d))
    fn::fail_dtype(fmt::format("{}: dtype must be a float, not {}", name, short_name(d)));
}
Array key_at(const Array& keys, int64_t i) {
  return squeeze_axes(fn::sliced(keys, 0, i, i + 1), {0});
}
Shape drawn_shape(const char* name, const std::optional<Shape>& given, const Arrays& parameters) {
  Shape together;
  for (const Array& p : parameters) together = fn::common_shape(name, together, p.shape());
  if (!given) return together;
  bool fits = together.ndim() <= given->ndim();
  for (int i = 1; fits && i <= together.ndim(); ++i) {
    const int64_t n = together[together.ndim() - i];
    fits = n == 1 || n == (*given)[given->ndim() - i];
  }
  if (!fits)
    fn::fail_shape(fmt::format("{}: parameters of shape {} do not broadcast to shape {}", name,
                               to_string(together), to_string(*given)));
  return *given;
}

double smallest_normal(DType d) {
  switch (d) {
    case F64: return std::numeric_limits<double>::min();
    case F16: return 0x1p-14;
    default: return std::numeric_limits<float>::min();
  }
}
double epsilon(DType d) {
  return d == F64 ? 0x1p-52 : d == F32 ? 0x1p-23 : d == F16 ? 0x1p-10 : 0x1p-7;
}

namespace {

using fn::number_like;

Array constant(DType d, double v) { return scalar_of(d, v); }
// The largest number below 1. Its negative is the number next to -1.
double below_one(DType d) {
  return d == F64 ? 1 - 0x1p-53 : d == F32 ? 1 - 0x1p-24 : d == F16 ? 1 - 0x1p-11 : 1 - 0x1p-8;
}
// Uniform in [0, 1), with as many random bits as the mantissa has. F16 and BF16 are scaled, which
// is exact.
Array unit(const Array& key, const Shape& shape, DType d) {
  const auto scaled = [&](int width, int shift, double unit) {
    const Array b = random_bits(key, width, shape);
    return lax::mul(fn::as_dtype(lax::shift_right_logical(b, scalar_of_int(b.dtype(), shift)), d),
                    constant(d, unit));
  };
  if (d == F16) return scaled(16, 6, 0x1p-10);
  if (d == BF16) return scaled(8, 1, 0x1p-7);
  const bool wide = d == F64;
  const Array b = random_bits(key, wide ? 64 : 32, shape);
  const DType u = b.dtype();
  const Array one =
      wide ? scalar_of_int(u, int64_t{0x3ff} << 52) : scalar_of_int(u, int64_t{0x7f} << 23);
  const Array mantissa =
      lax::bitwise_or(lax::shift_right_logical(b, scalar_of_int(u, wide ? 12 : 9)), one);
  return lax::sub(lax::bitcast_convert_type(mantissa, d), constant(d, 1));
}
Array between(const Array& key, const Shape& shape, DType d, const Array& lo, const Array& hi) {
  Array u = unit(key, shape, d);
  if (is_scalar_value(lo, 0) && is_scalar_value(hi, 1)) return u;
  const Array a = fn::scalar_or_broadcast(fn::as_dtype(lo, d), shape),
              b = fn::scalar_or_broadcast(fn::as_dtype(hi, d), shape);
  const Array span = lax::sub(b, a), ends = logical_and(lax::is_finite(a), lax::is_finite(b));
  // The span may overflow, while half of it does not.
  const Array wide = logical_and(ends, logical_not(lax::is_finite(span)));
  const Array half = number_like(a, 0.5), one = number_like(a, 1);
  const Array scale = where(wide, half, one);
  const Array width = where(wide, lax::sub(lax::mul(b, half), lax::mul(a, half)), span);
  // A fused multiply-add rounds once, as XLA's fused code does.
  const auto scaled = [&](const Array& v) { return fn::scalar_or_broadcast(v, shape); };
  const Array x =
      lax::max(a, lax::div(lax::fma(u, scaled(width), scaled(lax::mul(a, scale))), scaled(scale)));
  // The result may round up to hi, which is excluded. It is replaced by the largest number below
  // hi.
  const Array last = lax::add(b, lax::stop_gradient(lax::sub(lax::nextafter(b, a), b)));
  const Array over = logical_and(logical_and(ends, lax::lt(a, b)), lax::ge(x, b));
  return where(over, last, x);
}
// The same for bounds with which no result rounds up to hi.
Array between(const Array& key, const Shape& shape, DType d, double lo, double hi) {
  const Array u = unit(key, shape, d), a = constant(d, lo);
  if (lo == 0 && hi == 1) return u;
  return lax::max(a, lax::fma(u, constant(d, hi - lo), a));
}
}  // namespace

// ---- keys

namespace {
DType kind_of(const char* name, const KeyOptions& o) {
  if (o.impl == "threefry2x32") return Key;
  if (o.impl == "rbg") return RbgKey;
  fn::fail_index(fmt::format("{}: .impl is \"threefry2x32\" or \"rbg\", not \"{}\"", name, o.impl));
}
// The first two of four words u32[…, 4]. In all keys that are made from seeds the last two words
// repeat them.
Array half_of(const Array& words) {
  const int last = words.ndim() - 1;
  if (words.dtype() != U32 || last < 0 || words.shape()[last] != 4)
    fn::fail_shape("wrap_key_data: \"rbg\" keys are of u32[…, 4], got " + to_string(words.type()));
  if (!concrete_or_null(words))
    throw ConcretizationError(
        "wrap_key_data: the words of \"rbg\" keys are traced; make the keys outside of the "
        "traced function and pass them as arguments");
  const Array lower = fn::sliced(words, last, 0, 2);
  if (!array_equal(lower, fn::sliced(words, last, 2, 4)).item<bool>())
    fn::fail_index(
        "wrap_key_data: the last two words of an \"rbg\" key must equal the first two, as in keys "
        "that random::key makes");
  return lower;
}
}  // namespace
Array key_of(int64_t seed, const KeyOptions& o, Location at) {
  const ApiNameScope s("key_of", at);
  // The upper word of 32-bit seeds, including negative ones, is 0, which is JAX's default.
  return random_seed(scalar_of_int(seed >= INT32_MIN && seed <= INT32_MAX ? I32 : I64, seed),
                     kind_of("key", o));
}
Array key(const Arg& seed, const KeyOptions& o) {
  const ApiNameScope s("key", seed.at());
  const DType kind = kind_of("key", o);
  if (!is_integer(seed->dtype()))
    fn::fail_dtype("key: a seed must be an integer, got " + to_string(seed->type()));
  if (seed->ndim() != 0)
    fn::fail_shape("key: a seed must be a scalar, got " + to_string(seed->type()) +
                   "; use weft::vmap for a batch of keys");
  return random_seed(seed, kind);
}
Array split(const Arg& key, const Shape& shape) {
  const ApiNameScope s("split", key.at());
  return random_split(one_key("split", key), shape);
}
Array split(const Arg& key, int64_t n) {
  const ApiNameScope s("split", key.at());
  if (n < 0) fn::fail_shape(fmt::format("split: {} is not a number of keys", n));
  return split(key, Shape{n});
}
Array fold_in(const Arg& key, const Arg& data) {
  const ApiNameScope s("fold_in", key.at());
  one_key("fold_in", key);
  if (!is_integer(data->dtype()))
    fn::fail_dtype("fold_in: the data must be an integer, got " + to_string(data->type()));
  if (data->ndim() != 0)
    fn::fail_dtype("fold_in: the data must be a scalar, got " + to_string(data->type()) +
                   "; use weft::vmap for a batch");
  return random_fold_in(key, fn::as_dtype(data, U32));
}
Array key_data(const Arg& key) {
  const ApiNameScope s("key_data", key.at());
  const Array words = random_unwrap(key);
  return key->dtype() == RbgKey ? concatenate({words, words}, -1) : words;
}
Array wrap_key_data(const Arg& words, const KeyOptions& o) {
  const ApiNameScope s("wrap_key_data", words.at());
  const DType kind = kind_of("wrap_key_data", o);
  return random_wrap(kind == RbgKey ? half_of(words) : words.value(), kind);
}
Array clone(const Arg& key) { return key; }

// ---- bits and uniform numbers

Array bits(const Arg& key, const Shape& shape, const BitsOptions& o) {
  const ApiNameScope s("bits", key.at());
  if (!is_unsigned(o.dtype))
    fn::fail_dtype(fmt::format("bits: dtype must be unsigned, not {}", short_name(o.dtype)));
  return random_bits(one_key("bits", key), 8 * itemsize(o.dtype), shape);
}
Array uniform(const Arg& key, const Shape& shape, const UniformOptions& o) {
  const ApiNameScope s("uniform", key.at());
  need_float("uniform", o.dtype);
  drawn_shape("uniform", shape, {o.lo, o.hi});
  return between(one_key("uniform", key), shape, o.dtype, o.lo, o.hi);
}

namespace {
double least(DType d) {
  double v = 0;
  with_dtype(d, [&](auto* p) {
    using T = std::remove_pointer_t<decltype(p)>;
    if constexpr (std::is_integral_v<T>) v = static_cast<double>(std::numeric_limits<T>::min());
  });
  return v;
}
Array most(DType d) {
  // All bits are 1, except for the sign bit of signed types.
  const Array ones = scalar_of_int(d, -1);
  return is_unsigned(d)
             ? ones
             : scalar_of_int(
                   d, itemsize(d) == 8 ? INT64_MAX : (int64_t{1} << (8 * itemsize(d) - 1)) - 1);
}
// Converts an integer of any type to the type d, clamped to its range.
Array cut_to(const Array& x, DType d) {
  if (x.dtype() == d) return x;
  const bool above = itemsize(x.dtype()) > itemsize(d) ||
                     (itemsize(x.dtype()) == itemsize(d) && is_unsigned(x.dtype()));
  const bool below =
      !is_unsigned(x.dtype()) && (is_unsigned(d) || itemsize(x.dtype()) > itemsize(d));
  Array v = x;
  if (below)
    v = maximum(
        v, is_unsigned(d) ? number_like(v, 0) : fn::as_dtype(scalar_of(d, least(d)), v.dtype()));
  if (above) v = minimum(v, fn::as_dtype(most(d), v.dtype()));
  return fn::as_dtype(v, d);
}
}  // namespace
Array randint(const Arg& key, const Shape& shape, const Arg& lo, const Arg& hi,
              const RandintOptions& o) {
  const ApiNameScope s("randint", key.at());
  one_key("randint", key);
  if (!is_integer(o.dtype) || !is_integer(lo->dtype()) || !is_integer(hi->dtype()))
    fn::fail_dtype("randint: bounds and dtype must be integers");
  drawn_shape("randint", shape, {lo, hi});
  if (itemsize(o.dtype) < 4) {
    // Drawn as I32, between bounds that are clamped to the range of the narrow type.
    const Array first = maximum(cut_to(lo, I32), static_cast<int32_t>(least(o.dtype)));
    const Array last = minimum(cut_to(hi, I32), most(o.dtype).item<int32_t>() + 1);
    return fn::as_dtype(randint(key, shape, first, last), o.dtype);
  }
  const DType d = o.dtype, u = itemsize(d) == 8 ? U64 : U32;
  const Array a = fn::scalar_or_broadcast(cut_to(lo, d), shape),
              b = fn::scalar_or_broadcast(cut_to(hi, d), shape);
  const Array keys = random_split(key, {2});
  const auto draw = [&](int64_t i) {
    return random_bits(squeeze_axes(fn::sliced(keys, 0, i, i + 1), {0}), 8 * itemsize(d), shape);
  };
  const Array higher = draw(0), lower = draw(1);
  const Array empty = lax::le(b, a), one = scalar_of_int(u, 1);
  Array span = where(empty, one, fn::as_dtype(lax::sub(b, a), u));
  if (hi->dtype() != d) {
    // The bound is beyond the range of the type, so the largest number of the type is included.
    const Array beyond =
        greater(hi, fn::as_dtype(most(d), promote(hi->dtype(), false, d, false).dtype));
    span = where(logical_and(beyond, logical_not(empty)), add(span, one), span);
  }
  // The offset is a number with twice the bits of the type, modulo the span. The upper half is
  // multiplied by 2^bits mod span.
  Array carry = lax::rem(scalar_of_int(u, int64_t{1} << (4 * itemsize(d))), span);
  carry = lax::rem(lax::mul(carry, carry), span);
  const Array offset =
      lax::rem(lax::add(lax::mul(lax::rem(higher, span), carry), lax::rem(lower, span)), span);
  return lax::add(a, fn::as_dtype(offset, d));
}
Array bernoulli(const Arg& key, const Arg& p, const DrawShape& shape, const BernoulliOptions& o) {
  const ApiNameScope s("bernoulli", key.at());
  const Array& v = p.value();
  if (!is_floating(v.dtype()))
    fn::fail_dtype(
        fmt::format("bernoulli: the probability p must have a floating dtype, got {}; write 1. for "
                    "1, or convert it with astype()",
                    to_string(v.type())));
  const Shape out = drawn_shape("bernoulli", shape.given, {v});
  if (o.mode != "low" && o.mode != "high")
    fn::fail_index(fmt::format("bernoulli: .mode must be \"low\" or \"high\", not \"{}\"", o.mode));
  if (o.mode == "high") {
    const Array u = between(one_key("bernoulli", key), out.inserted(0, 2), v.dtype(), 0, 1);
    const Array rest = multiply(u[1], number_like(u, epsilon(v.dtype())));
    return lax::lt(rest, subtract(fn::scalar_or_broadcast(v, out), u[0]));
  }
  return lax::lt(between(one_key("bernoulli", key), out, v.dtype(), 0, 1),
                 fn::scalar_or_broadcast(v, out));
}
Array rademacher(const Arg& key, const Shape& shape, const CountOptions& o) {
  const ApiNameScope s("rademacher", key.at());
  // Draws numbers of the width that JAX uses when it has numbers of that dtype.
  const Array half = scalar_of(itemsize(o.dtype) >= 8 ? F64 : F32, 0.5);
  const Array b = fn::as_dtype(bernoulli(key, half, shape), o.dtype);
  return subtract(multiply(number_like(b, 2), b), number_like(b, 1));
}

// ---- continuous distributions

Array normal(const Arg& key, const Shape& shape, const FloatOptions& o) {
  const ApiNameScope s("normal", key.at());
  one_key("normal", key);
  if (is_complex(o.dtype)) {
    const DType r = real_part(o.dtype);
    const Array keys = random_split(key, {2});
    const auto part = [&](int64_t i) {
      return normal(squeeze_axes(fn::sliced(keys, 0, i, i + 1), {0}), shape, {r});
    };
    return lax::complex(divide(part(0), constant(r, std::sqrt(2.0))),
                        divide(part(1), constant(r, std::sqrt(2.0))));
  }
  need_float("normal", o.dtype);
  const Array u = between(key, shape, o.dtype, -below_one(o.dtype), 1);
  return lax::mul(constant(o.dtype, std::sqrt(2.0)), lax::xla_erf_inv(u));
}
namespace {
// Beyond this bound too few floats below 1 are left for the inverse of the distribution function.
// JAX draws the same few numbers again and again there, and none beyond 5.4 (8.3 for F64).
double tail_begin(DType d) { return d == F64 ? 6 : d == F32 ? 3 : 2; }
// True if the interval is in a tail, on either side.
Array in_tail(const Array& lo, const Array& hi) {
  const double c = tail_begin(lo.dtype());
  return logical_or(greater(lo, c), less(hi, -c));
}
// Tells if some or all intervals are in a tail. The values are conservative where bounds are
// traced.
struct Tails {
  bool some = true, all = false;
};
Tails tails_of(const Array& lo, const Array& hi) {
  // Reading many bounds is not worth waiting for a device.
  constexpr int64_t few = 64;
  if (lo.size() > few || hi.size() > few || !concrete_or_null(lo) || !concrete_or_null(hi))
    return {};
  const double c = tail_begin(lo.dtype());
  const auto l = lo.to_vector<double>(), h = hi.to_vector<double>();
  const auto right = [&](double x) { return x > c; };
  const auto left = [&](double x) { return x < -c; };
  return {std::any_of(l.begin(), l.end(), right) || std::any_of(h.begin(), h.end(), left),
          std::all_of(l.begin(), l.end(), right) || std::all_of(h.begin(), h.end(), left)};
}

// The number x between a > 0 and b below which the fraction u of the mass between a and b is. Let t
// be -log of the fraction of the mass beyond a that is beyond x. With E(x) = erfcx(x / sqrt(2)), x
// = a + d solves d (a + d / 2) + log(E(a) / E(x)) = t. Newton's method starts where the logarithm
// is 0 and approaches the solution from above.
Array in_right_tail(const Array& u, const Array& a, const Array& b) {
  const auto scaled = [](const Array& x) { return lax::erfcx(multiply(x, std::sqrt(0.5))); };
  const Array endless = lax::eq(b, number_like(b, std::numeric_limits<double>::infinity()));
  const Array end = where(endless, add(a, 1), b), of_a = scaled(a);
  const Array apart = multiply(multiply(subtract(end, a), add(end, a)), 0.5);
  const Array beyond = where(endless, number_like(a, -std::numeric_limits<double>::infinity()),
                             subtract(log(divide(scaled(end), of_a)), apart));
  const Array t = negative(log1p(multiply(u, expm1(beyond))));
  Array d = divide(multiply(t, 2), add(a, sqrt(add(lax::square(a), multiply(t, 2)))));
  for (int step = 0; step < (a.dtype() == F64 ? 5 : 3); ++step) {
    const Array of_x = scaled(add(a, d));
    const Array left = subtract(multiply(d, add(a, multiply(d, 0.5))), t);
    const Array excess = add(left, log(divide(of_a, of_x)));
    d = subtract(d, multiply(multiply(excess, of_x), std::sqrt(M_PI / 2)));
  }
  return add(a, d);
}
// Numbers for u in [0, 1) in intervals that are in a tail. Results for other intervals are finite
// but meaningless.
Array tail_numbers(const Array& u, const Array& lo, const Array& hi) {
  const double c = tail_begin(u.dtype());
  const DType wide = u.dtype() == F64 ? F64 : F32;
  const Array right = greater(lo, c), left = less(hi, -c);
  const auto bound = [&](const Array& of_right, const Array& of_left, double other) {
    return fn::as_dtype(where(right, of_right, where(left, negative(of_left), other)), wide);
  };
  const Array x = in_right_tail(fn::as_dtype(u, wide), bound(lo, hi, 1), bound(hi, lo, 2));
  return fn::as_dtype(where(left, negative(x), x), u.dtype());
}
// Computed as JAX does, by the inverse of the distribution function.
Array inner_numbers(const Array& u, const Array& lo, const Array& hi) {
  const Array root = constant(u.dtype(), std::sqrt(2.0));
  const auto share = [&](const Array& bound) {
    return fn::scalar_or_broadcast(lax::erf(lax::div(bound, root)), u.shape());
  };
  const Array a = share(lo), b = share(hi);
  return lax::mul(root, lax::xla_erf_inv(lax::max(a, lax::fma(u, lax::sub(b, a), a))));
}
}  // namespace
Array truncated_normal(const Arg& key, const Arg& lower, const Arg& upper, const DrawShape& shape,
                       const FloatOptions& o) {
  const ApiNameScope s("truncated_normal", key.at());
  need_float("truncated_normal", o.dtype);
  const DType d = o.dtype;
  const Array lo = fn::as_dtype(lower, d), hi = fn::as_dtype(upper, d);
  const Shape out = drawn_shape("truncated_normal", shape.given, {lo, hi});
  const Array u = unit(one_key("truncated_normal", key), out, d);
  const auto [some, all] = tails_of(lo, hi);
  Array x;
  if (!some) x = inner_numbers(u, lo, hi);
  if (all) x = tail_numbers(u, lo, hi);
  if (some && !all) {
    const auto inner = [](const Arrays& v) { return Arrays{inner_numbers(v[0], v[1], v[2])}; };
    // The formula that is not selected gets bounds at which it has a finite derivative.
    const auto both = [](const Arrays& v) {
      const Array tail = in_tail(v[1], v[2]);
      const auto bound = [&](const Array& x, double other) {
        return where(tail, number_like(x, other), x);
      };
      return Arrays{where(tail, tail_numbers(v[0], v[1], v[2]),
                          inner_numbers(v[0], bound(v[1], -1), bound(v[2], 1)))};
    };
    const Types in{u.type(), lo.type().strong(), hi.type().strong()};
    const Array tails = fn::as_dtype(any(in_tail(lo, hi)), I32);
    x = cond_flat(tails, {record(in, inner), record(in, both)}, {u, lo, hi})[0];
  }
  const double inf = std::numeric_limits<double>::infinity();
  const auto inside = [&](const Array& bound, double toward) {
    return lax::nextafter(lax::stop_gradient(bound), constant(d, toward));
  };
  return clip(x, inside(lo, inf), inside(hi, -inf));
}
Array exponential(const Arg& key, const Shape& shape, const FloatOptions& o) {
  const ApiNameScope s("exponential", key.at());
  need_float("exponential", o.dtype);
  return lax::neg(lax::log1p(lax::neg(between(one_key("exponential", key), shape, o.dtype, 0, 1))));
}
namespace {
// Converts 64 random bits to a number x in (0, 1/2] and a flag that is true if x is u, and false if
// x is 1 - u. Both keep all their digits.
std::pair<Array, Array> fine_unit(const Array& key, const Shape& shape) {
  const Array b = random_bits(key, 32, shape.inserted(0, 2));
  const Array wide = fn::as_dtype(b, U64),
              low = lax::lt(b[0], scalar_of_int(U32, int64_t{1} << 31));
  const auto word = [](uint64_t n) { return scalar_of_int(U64, static_cast<int64_t>(n)); };
  const Array v = lax::bitwise_or(lax::shift_left(wide[0], word(32)), wide[1]);
  const Array w = where(low, v, lax::neg(v));
  // The 24 leading bits, which are exact in F32.
  const Array zeros_before = lax::clz(w);
  const Array cut =
      where(lax::lt(zeros_before, word(40)), lax::sub(word(40), zeros_before), word(0));
  const Array digits = lax::shift_left(lax::shift_right_logical(w, cut), cut);
  const Array x = lax::mul(fn::as_dtype(digits, F32), constant(F32, 0x1p-64));
  return {where(lax::eq(w, word(0)), constant(F32, 0x1p-65), x), low};
}
}  // namespace
Array gumbel(const Arg& key, const Shape& shape, const GumbelOptions& o) {
  const ApiNameScope s("gumbel", key.at());
  need_float("gumbel", o.dtype);
  if (o.mode == "highest" && o.dtype == F32) {
    const auto [x, low] = fine_unit(one_key("gumbel", key), shape);
    const Array l = where(low, lax::log1p(lax::neg(x)), lax::log(x));
    return lax::neg(lax::log(lax::neg(l)));
  }
  if (o.mode == "high" || o.mode == "highest") {
    const Array u = between(one_key("gumbel", key), shape.inserted(0, 2), o.dtype, 0, 1);
    const Array fine = add(add(u[0], multiply(u[1], number_like(u, epsilon(o.dtype)))),
                           number_like(u, smallest_normal(o.dtype)));
    const Array x = where(greater_equal(u[0], number_like(u, 0.5)), u[0], fine);
    return lax::neg(lax::log(lax::neg(lax::log1p(lax::neg(x)))));
  }
  if (o.mode != "low")
    fn::fail_index(
        fmt::format("gumbel: .mode must be \"low\", \"high\" or \"highest\", not \"{}\"", o.mode));
  const Array u = between(one_key("gumbel", key), shape, o.dtype, smallest_normal(o.dtype), 1);
  return lax::neg(lax::log(lax::neg(lax::log(u))));
}
Array laplace(const Arg& key, const Shape& shape, const FloatOptions& o) {
  const ApiNameScope s("laplace", key.at());
  need_float("laplace", o.dtype);
  const Array u = between(one_key("laplace", key), shape, o.dtype, -1 + epsilon(o.dtype) / 2, 1);
  return lax::mul(lax::sign(u), lax::log1p(lax::neg(lax::abs(u))));
}
Array logistic(const Arg& key, const Shape& shape, const FloatOptions& o) {
  const ApiNameScope s("logistic", key.at());
  need_float("logistic", o.dtype);
  const Array x = between(one_key("logistic", key), shape, o.dtype, smallest_normal(o.dtype), 1);
  return lax::sub(lax::log(x), lax::log1p(lax::neg(x)));
}
Array cauchy(const Arg& key, const Shape& shape, const FloatOptions& o) {
  const ApiNameScope s("cauchy", key.at());
  need_float("cauchy", o.dtype);
  const Array u = between(one_key("cauchy", key), shape, o.dtype, epsilon(o.dtype), 1);
  return lax::tan(lax::mul(number_like(u, M_PI), lax::sub(u, number_like(u, 0.5))));
}
Array pareto(const Arg& key, const Arg& b, const DrawShape& shape, const FloatOptions& o) {
  const ApiNameScope s("pareto", key.at());
  one_key("pareto", key);
  need_float("pareto", o.dtype);
  const Shape out = drawn_shape("pareto", shape.given, {b});
  const Array v = fn::as_dtype(b, o.dtype);
  return exp(divide(exponential(key, out, o), v));
}
Array rayleigh(const Arg& key, const Arg& scale, const DrawShape& shape, const FloatOptions& o) {
  const ApiNameScope s("rayleigh", key.at());
  one_key("rayleigh", key);
  need_float("rayleigh", o.dtype);
  const Shape out = drawn_shape("rayleigh", shape.given, {scale});
  const Array v = fn::as_dtype(scale, o.dtype);
  // u = 0 is replaced by the middle of the interval below the first step, so that no result is
  // infinite.
  const Array drawn = uniform(key, out, {o.dtype});
  const Array u =
      where(lax::eq(drawn, number_like(drawn, 0)), number_like(drawn, epsilon(o.dtype) / 2), drawn);
  return multiply(v, sqrt(multiply(log(u), -2)));
}
Array weibull_min(const Arg& key, const Arg& scale, const Arg& concentration, const Shape& shape,
                  const FloatOptions& o) {
  const ApiNameScope s("weibull_min", key.at());
  one_key("weibull_min", key);
  need_float("weibull_min", o.dtype);
  // As in JAX, the parameters may have more axes than the result.
  fn::common_shape("weibull_min", fn::common_shape("weibull_min", shape, scale->shape()),
                   concentration->shape());
  const Array u = uniform(key, shape, {o.dtype});
  return multiply(
      pow(negative(log1p(negative(u))), divide(1, fn::as_dtype(concentration, o.dtype))),
      fn::as_dtype(scale, o.dtype));
}
Array lognormal(const Arg& key, const Arg& sigma, const DrawShape& shape, const FloatOptions& o) {
  const ApiNameScope s("lognormal", key.at());
  one_key("lognormal", key);
  if (!is_inexact(o.dtype))
    fn::fail_dtype(
        fmt::format("lognormal: dtype must be a float or complex, not {}", short_name(o.dtype)));
  const Shape out = drawn_shape("lognormal", shape.given, {sigma});
  const Array v = fn::as_dtype(sigma, o.dtype);
  return exp(multiply(normal(key, out, o), v));
}

// ---- choices

Array categorical(const Arg& key, const Arg& logits, const CategoricalOptions& o) {
  const ApiNameScope s("categorical", key.at());
  const Array v = fn::inexact(logits);
  const int n = v.type().ndim(), a = fn::axis_of("categorical", o.axis, n);
  const Shape each = v.shape().erased(a);
  const Shape shape = o.shape.value_or(each);
  const int more = shape.ndim() - each.ndim();
  for (int i = 0; i < each.ndim(); ++i)
    if (more < 0 || shape[more + i] != each[i])
      fn::fail_shape(fmt::format(
          "categorical: .shape {} must end in the shape of the logits without axis {}, {}",
          to_string(shape), a, to_string(each)));
  if (o.replace) {
    const Shape full = shape.inserted(more + a, v.shape()[a]);
    return argmax(add(gumbel(one_key("categorical", key), full, {v.dtype(), o.mode}), v), more + a);
  }
  int64_t draws = 1;
  for (int i = 0; i < more; ++i) draws *= shape[i];
  if (draws > v.shape()[a])
    fn::fail_shape(fmt::format("categorical: {} draws without replacement from {} categories",
                               draws, v.shape()[a]));
  const Array noisy = add(gumbel(one_key("categorical", key), v.shape(), {v.dtype(), o.mode}), v);
  return reshape_to(moveaxis(top_k(moveaxis(noisy, a, -1), draws).second, -1, 0), shape);
}

namespace {
// Shuffles x along an axis. x is sorted by random bits, as many times as needed to make the effect
// of ties unlikely.
Array shuffled(const Array& key, Array x, int axis) {
  const double n = static_cast<double>(std::max<int64_t>(1, x.size()));
  const int rounds = static_cast<int>(std::ceil(
      3 * std::log(n) / std::log(static_cast<double>(std::numeric_limits<uint32_t>::max()))));
  Array k = key;
  for (int i = 0; i < rounds; ++i) {
    const Array keys = random_split(k, {2});
    k = squeeze_axes(fn::sliced(keys, 0, 0, 1), {0});
    const Array order = random_bits(squeeze_axes(fn::sliced(keys, 0, 1, 2), {0}), 32, x.shape());
    x = sort_arrays({order, x}, axis)[1];
  }
  return x;
}
int64_t known_count(const char* name, const Array& n) {
  if (!is_integer(n.dtype()))
    fn::fail_dtype(fmt::format("{}: a scalar must be an integer, the number of elements; got {}",
                               name, to_string(n.type())));
  const int64_t count = n.item<int64_t>();
  if (count < 0) fn::fail_shape(fmt::format("{}: {} is not a number of elements", name, count));
  return count;
}
}  // namespace
Array permutation(const Arg& key, const Arg& x, const PermutationOptions& o) {
  const ApiNameScope s("permutation", key.at());
  one_key("permutation", key);
  if (x->ndim() == 0) {
    const DType d = x->weak_type() ? I32 : x->dtype();
    return shuffled(key, iota(d, {known_count("permutation", x)}, 0), 0);
  }
  const int a = fn::axis_of("permutation", o.axis, x->type().ndim());
  if (o.independent || x->ndim() == 1) return shuffled(key, x, a);
  return take(x, shuffled(key, iota(fn::index_dtype(x->shape()[a]), {x->shape()[a]}, 0), 0), a,
              {.mode = "clip"});
}

Array choice(const Arg& key, const Arg& a, const Shape& shape, const ChoiceOptions& o) {
  const ApiNameScope s("choice", key.at());
  one_key("choice", key);
  const bool count = a->ndim() == 0;
  const int axis = count ? 0 : fn::axis_of("choice", o.axis, a->type().ndim());
  const int64_t n = count ? known_count("choice", a) : a->shape()[axis], draws = shape.elements();
  if (n < 1 && draws > 0) fn::fail_shape("choice: there are no elements to choose from");
  if (!o.replace && draws > n)
    fn::fail_shape(fmt::format("choice: {} elements without replacement from {}", draws, n));
  if (o.p && (o.p->ndim() != 1 || o.p->shape()[0] != n))
    fn::fail_shape(
        fmt::format("choice: .p must be {} probabilities, got {}", n, to_string(o.p->type())));
  const Array p = o.p ? fn::inexact(*o.p) : Array();
  Array at;
  if (!o.p && o.replace) {
    at = randint(key, Shape{draws}, 0, fn::as_dtype(scalar_of_int(I64, n), fn::index_dtype(n)));
  } else if (!o.p) {
    const Array all = count ? permutation(key, a) : permutation(key, a, {.axis = axis});
    const Array out = fn::sliced(all, axis, 0, draws);
    std::vector<int64_t> sizes(out.shape().begin(), out.shape().begin() + axis);
    sizes.insert(sizes.end(), shape.begin(), shape.end());
    sizes.insert(sizes.end(), out.shape().begin() + axis + 1, out.shape().end());
    return reshape_to(out, Shape(sizes));
  } else if (o.replace) {
    const Array total = cumsum(p, 0);
    const Array r = multiply(squeeze_axes(fn::sliced(total, 0, n - 1, n), {0}),
                             subtract(1, uniform(key, Shape{draws}, {p.dtype()})));
    at = searchsorted(total, r);
  } else {
    at = top_k(add(gumbel(key, Shape{n}, {p.dtype(), o.mode}), log(p)), draws).second;
  }
  if (count) return reshape_to(at, shape);
  const Array out = take(a, at, axis, {.mode = "clip"});
  std::vector<int64_t> sizes(out.shape().begin(), out.shape().begin() + axis);
  sizes.insert(sizes.end(), shape.begin(), shape.end());
  sizes.insert(sizes.end(), out.shape().begin() + axis + 1, out.shape().end());
  return reshape_to(out, Shape(sizes));
}

}  // namespace weft::random
