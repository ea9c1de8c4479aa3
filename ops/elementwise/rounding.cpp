// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/elementwise/rounding.cpp: floor, ceil, round, rem, nextafter, reduce_precision, clamp,
// shifts, mulhi, population_count, clz, copy.
#include "weft/lax/rounding.h"

#include "ops/kit/kit.h"
#include "ops/kit/typed.h"
#include "weft/lax/compare.h"
#include "weft/lax/elementwise.h"

namespace weft {
namespace {

using namespace lax;

template <class F>
const Primitive<None>& steps(const char* name, const char* stablehlo, const char* doc, F f) {
  auto d = elementwise<DTypes::floats, 1>(name, doc, f);
  d.stablehlo = stablehlo;
  d.jvp = zero_jvp;
  d.rejects = [] {
    return std::vector<Reject<None>>{{{Type(I32, {2})}, {}, "takes floating-point"}};
  };
  return define_elementwise(std::move(d));
}
const auto& floor_op = steps("floor", "stablehlo.floor", "Rounds each element down to an integer.",
                             [](auto x) { return num::floor(x); });
const auto& ceil_op = steps("ceil", "stablehlo.ceil", "Rounds each element up to an integer.",
                            [](auto x) { return num::ceil(x); });

struct Round {
  int rounding_method = 0;
  WEFT_FIELDS(rounding_method)
};
const Primitive<Round>& round_op = define_elementwise([] {
  auto d = elementwise_with<Round, DTypes::floats, 1>(
      "round",
      "Rounds each element to the nearest integer. Ties are rounded away from zero if "
      "`rounding_method` is 0, and to even if it is 1.",
      [](const Round& p, auto x) {
        using R = decltype(x);
        if (p.rounding_method == 1) return num::round_even(x);
        const R whole = num::trunc(x);
        return num::select(R(0.5f) <= num::abs(x - whole), whole + num::copysign(R(1), x), whole);
      });
  d.jvp = zero_jvp;
  d.samples = [] {
    auto s = nary_samples<Round>(DTypes::floats, 1, {0});
    for (auto& x : nary_samples<Round>(DTypes::floats, 1, {1})) s.push_back(x);
    return s;
  };
  d.rejects = [] {
    return std::vector<Reject<Round>>{{{Type(I32, {2})}, {}, "takes floating-point"}};
  };
  return d;
}());

const Primitive<None>& rem_op = define_elementwise([] {
  auto d = elementwise<DTypes::real_numbers, 2>(
      "rem",
      "Computes the remainder of the truncated division of `x` by `y`, with the sign of `x`. For "
      "integers, the remainder by 0 is `x`.",
      [](auto x, auto y) { return num::rem(x, y); });
  d.stablehlo = "stablehlo.remainder";
  d.jvp = binary_jvp([](Array dx, Array, Array, Array) { return dx; },
                     [](Array dy, Array x, Array y, Array) {
                       const Array q = div(x, y);
                       return mul(neg(dy), mul(sign(q), floor(abs(q))));
                     });
  d.samples = [] { return nary_samples<None>(DTypes::real_numbers, 2, {}, 0.5, 2.5); };
  return d;
}());

// ---- nextafter: a step of the integer that orders the floats, with the width of the dtype

template <class T, class R>
R next_after(R x, R y) {
  const auto b = float_bits<T>(x);
  using U = std::remove_const_t<decltype(b)>;
  const R zero(0);
  const auto away = (x < y) == (zero < x);
  const U stepped = num::select(away, num::add(b, U(1)), num::sub(b, U(1)));
  const R tiny = num::copysign(float_of_bits<T, R>(U(1)), y);
  const R nan = x + y;
  return num::select(
      num::is_nan(nan),
      num::select(num::either(num::is_nan(x), num::is_nan(y)), nan, float_of_bits<T, R>(stepped)),
      num::select(x == y, y, num::select(x == zero, tiny, float_of_bits<T, R>(stepped))));
}
const Primitive<None>& nextafter_op = define_elementwise([] {
  auto d = elementwise_typed<None, DTypes::floats, 2>(
      "nextafter", "Returns the next number of the dtype after `x` in the direction of `y`.",
      []<class T>(const None&, auto x, auto y) { return next_after<T>(x, y); });
  d.stablehlo = "chlo.next_after";
  d.samples = [] { return nary_samples<None>(DTypes::floats, 2, {}); };
  d.jvp = zero_jvp;
  return d;
}());

// ---- reduce_precision: on the bits of the dtype, as in XLA

struct ReducePrecision {
  int exponent_bits = 0, mantissa_bits = 0;
  WEFT_FIELDS(exponent_bits, mantissa_bits)
};

template <class T>
constexpr int stored_mantissa = std::is_same_v<T, bfloat16_t>  ? 7
                                : std::is_same_v<T, float16_t> ? 10
                                                               : std::numeric_limits<T>::digits - 1;

// Rounds to nearest even at the last remaining bit. Numbers above the range of the small format
// become infinite. Numbers below it, including its subnormals, become zero with the same sign.
template <class T, class R>
R with_precision(const ReducePrecision& p, R x) {
  const auto b = float_bits<T>(x);
  using U = std::remove_const_t<decltype(b)>;
  using B = num::scalar_t<U>;
  constexpr int mantissa = stored_mantissa<T>, exponent = 8 * int(sizeof(T)) - 1 - mantissa;
  constexpr B one = 1, all = ((one << exponent) - 1) << mantissa,
              sign = one << (mantissa + exponent);
  U r = b;
  if (p.mantissa_bits < mantissa) {
    const int drop = mantissa - p.mantissa_bits;
    const U even = num::bit_and(num::shift_right_logical(b, U(B(drop))), U(one));
    const U bias = num::add(even, U(static_cast<B>((one << (drop - 1)) - 1)));
    r = num::bit_and(num::add(b, bias), U(static_cast<B>(~((one << drop) - 1))));
  }
  if (p.exponent_bits < exponent) {
    const B middle = (one << (exponent - 1)) - 1, half = (one << (p.exponent_bits - 1)) - 1;
    const U e = num::bit_and(r, U(all)), s = num::bit_and(b, U(sign));
    const U most = U(static_cast<B>((middle + half) << mantissa)),
            least = U(static_cast<B>((middle - half) << mantissa));
    r = num::select(most < e, num::bit_or(s, U(all)), num::select(e <= least, s, r));
  }
  return num::select(num::is_nan(x), x, float_of_bits<T, R>(r));
}

const Primitive<ReducePrecision>& reduce_precision_op = define_elementwise([] {
  using P = ReducePrecision;
  auto d = elementwise_typed<P, DTypes::floats, 1>(
      "reduce_precision",
      "Rounds each element to a float with `exponent_bits` and `mantissa_bits`. The dtype stays "
      "the same.",
      []<class T>(const P& p, auto x) { return with_precision<T>(p, x); });
  d.type = [inner = d.type](const Types& in, const P& p) {
    const Types out = inner(in, p);
    if (p.exponent_bits < 1) reject_dtype("reduce_precision", "exponent_bits must be positive", in);
    if (p.mantissa_bits < 0)
      reject_dtype("reduce_precision", "mantissa_bits must not be negative", in);
    return out;
  };
  const auto again = [](const P& p) {
    return [p](const Array& t) { return reduce_precision(t, p.exponent_bits, p.mantissa_bits); };
  };
  d.jvp = [again](const JvpArgs<P>& j) { return Arrays{again(j.params)(j.dx[0])}; };
  d.transpose = [again](const TransposeArgs<P>& t) { return Arrays{again(t.params)(t.ct[0])}; };
  d.samples = [] {
    std::vector<Sample<P>> s;
    // The tangent is rounded, too. The formats of samples whose slopes are measured round only
    // slightly.
    for (const P& p : {P{8, 20}, P{5, 21}, P{11, 52}})
      for (auto& x : nary_samples<P>(DTypes::wide_floats, 1, p)) s.push_back(x);
    for (const P& p : {P{5, 7}, P{4, 3}, P{2, 0}, P{8, 10}})
      for (DType d : {F16, BF16}) s.push_back({{Type(d, {9})}, p});
    return s;
  };
  d.rejects = [] {
    return std::vector<Reject<P>>{{{Type(I32, {2})}, {5, 10}, "takes floating-point"},
                                  {{Type(F32, {2})}, {0, 10}, "must be positive"},
                                  {{Type(F32, {2})}, {5, -1}, "must not be negative"}};
  };
  return d;
}());

// ---- clamp

const Primitive<None>& clamp_op = define_elementwise([] {
  auto d = elementwise<DTypes::real_numbers, 3>(
      "clamp",
      "Computes `min(max(x, lo), hi)` of the operands (lo, x, hi). NaN propagates, and `hi` is the "
      "result if it is less than `lo`.",
      [](auto lo, auto x, auto hi) { return num::minimum(num::maximum(x, lo), hi); });
  d.jvp = [](const JvpArgs<None>& j) {
    const Type t = j.out[0].type();
    const Array lo = broadcast_like(j.x[0], t), x = broadcast_like(j.x[1], t),
                hi = broadcast_like(j.x[2], t);
    const Array where[3] = {bitwise_and(gt(lo, x), lt(lo, hi)), bitwise_and(gt(x, lo), lt(x, hi)),
                            lt(hi, max(x, lo))};
    Array sum;
    for (size_t i = 0; i < 3; ++i) {
      if (j.dx[i].empty_handle()) continue;
      const Array part = select(where[i], broadcast_like(j.dx[i], t), base::zeros(t.strong()));
      sum = sum.empty_handle() ? part : add(sum, part);
    }
    return Arrays{sum};
  };
  d.samples = [] {
    auto s = nary_samples<None>(DTypes::real_numbers, 3, {});
    s.push_back({{Type(F64, {}), Type(F64, {4}), Type(F64, {})}, {}, -2, 2});
    s.push_back({{Type(F64, {4}), Type(F64, {4}), Type(F64, {4})}, {}, -2, 2});
    return s;
  };
  return d;
}());

// ---- integers

template <int n, class F>
const Primitive<None>& on_bits(const char* name, const char* stablehlo, const char* doc, F f) {
  auto d = elementwise<DTypes::ints, n>(name, doc, f);
  d.stablehlo = stablehlo;
  d.jvp = zero_jvp;
  d.samples = [] { return nary_samples<None>(DTypes::ints, n, {}, -3, 35); };
  d.rejects = [] {
    return std::vector<Reject<None>>{{Types(n, Type(F32, {2})), {}, "takes integer"}};
  };
  return define_elementwise(std::move(d));
}
const auto& shl_op = on_bits<2>(
    "shift_left", "stablehlo.shift_left",
    "Shifts the bits of `x` left by `y`. The result is 0 for a count outside [0, width).",
    [](auto x, auto y) { return num::shift_left(x, y); });
const auto& shr_op = on_bits<2>("shift_right_logical", "stablehlo.shift_right_logical",
                                "Shifts the bits of `x` right by `y` and inserts zeros. The result "
                                "is 0 for a count outside [0, width).",
                                [](auto x, auto y) { return num::shift_right_logical(x, y); });
const auto& sar_op =
    on_bits<2>("shift_right_arithmetic", "stablehlo.shift_right_arithmetic",
               "Shifts the bits of `x` right by `y` and inserts copies of the sign bit. All bits "
               "are the sign bit for a count outside [0, width).",
               [](auto x, auto y) { return num::shift_right_arithmetic(x, y); });
const auto& mulhi_op =
    on_bits<2>("mulhi", "chlo.mulhi", "Computes the upper half of the bits of `x * y`.",
               [](auto x, auto y) { return num::mulhi(x, y); });
const auto& popcount_op =
    on_bits<1>("population_count", "stablehlo.popcnt", "Counts the set bits of each integer.",
               [](auto x) { return num::popcount(x); });
const auto& clz_op = on_bits<1>("clz", "stablehlo.count_leading_zeros",
                                "Counts the zero bits above the highest set bit of each integer. "
                                "The count of 0 is the bit width.",
                                [](auto x) { return num::clz(x); });

// ---- identity

const Primitive<None>& copy_op = define_elementwise([] {
  auto d = elementwise<DTypes::any, 1>("copy", "Copies the operand to new memory.",
                                       [](auto x) { return x; });
  d.jvp = unary_jvp([](Array dx, Array, Array) { return copy(dx); });
  d.transpose = unary_transpose([](Array ct) { return copy(ct); });
  return d;
}());
const Primitive<None>& barrier_op = define_elementwise([] {
  auto d = elementwise<DTypes::any, 1>(
      "optimization_barrier",
      "Returns the operand. Rewrites of the program do not look through this op.",
      [](auto x) { return x; });
  d.stablehlo = "stablehlo.optimization_barrier";
  d.jvp = unary_jvp([](Array dx, Array, Array) { return lax::optimization_barrier(dx); });
  d.transpose = unary_transpose([](Array ct) { return lax::optimization_barrier(ct); });
  return d;
}());

}  // namespace

namespace lax {
Array floor(const Arg& x) { return bind_at(floor_op, x); }
Array ceil(const Arg& x) { return bind_at(ceil_op, x); }
Array round(const Arg& x, RoundingMethod m) {
  const SourceScope s(x.at());
  return round_op({x}, {static_cast<int>(m)});
}
Array rem(const Arg& x, const Arg& y) { return bind_at(rem_op, x, y); }
Array nextafter(const Arg& x, const Arg& y) { return bind_at(nextafter_op, x, y); }
Array reduce_precision(const Arg& x, int exponent_bits, int mantissa_bits) {
  const SourceScope s(x.at());
  return reduce_precision_op({x}, {exponent_bits, mantissa_bits});
}
Array clamp(const Arg& lo, const Arg& x, const Arg& hi) {
  const SourceScope s(x.at());
  return clamp_op({lo, x, hi});
}
Array shift_left(const Arg& x, const Arg& n) { return bind_at(shl_op, x, n); }
Array shift_right_logical(const Arg& x, const Arg& n) { return bind_at(shr_op, x, n); }
Array shift_right_arithmetic(const Arg& x, const Arg& n) { return bind_at(sar_op, x, n); }
Array mulhi(const Arg& x, const Arg& y) { return bind_at(mulhi_op, x, y); }
Array population_count(const Arg& x) { return bind_at(popcount_op, x); }
Array clz(const Arg& x) { return bind_at(clz_op, x); }
Array stop_gradient(const Arg& x) {
  const SourceScope s(x.at());
  return base::stop_gradient(x);
}
Array copy(const Arg& x) { return bind_at(copy_op, x); }
Array optimization_barrier(const Arg& x) { return bind_at(barrier_op, x); }
Arrays optimization_barrier(Arrays x, Location at) {
  const SourceScope s(at);
  for (Array& a : x) a = barrier_op({a});
  return x;
}
}  // namespace lax

}  // namespace weft
