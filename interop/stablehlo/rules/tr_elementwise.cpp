// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/rules/tr_elementwise.cpp: rules of elementwise arithmetic, comparisons,
// functions and conversions. Ops of Weft name most of these StableHLO ops themselves
// (Def::stablehlo); the table here has the others.
#include <fmt/format.h>

#include <limits>

#include "interop/stablehlo/read/dense.h"
#include "interop/stablehlo/read/small_type.h"
#include "interop/stablehlo/read/translate.h"
#include "ops/structure/structure.h"
#include "tracer/base_ops.h"
#include "tracer/concrete.h"
#include "weft/lax/compare.h"
#include "weft/lax/convert.h"
#include "weft/lax/elementary.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/reduce.h"
#include "weft/lax/rounding.h"
#include "weft/lax/special.h"

namespace weft::hlo {
namespace {

using Unary = Array (*)(const Arg&);
using Binary = Array (*)(const Arg&, const Arg&);

void need(Translator& t, const Op& op, const Arrays& x, size_t n) {
  if (x.size() != n) t.fail(op, "'" + op.name + "' needs " + std::to_string(n) + " operands");
}

template <Unary f>
Arrays unary(Translator& t, const Op& op, const Arrays& x) {
  need(t, op, x, 1);
  return {f(x[0])};
}
template <Binary f>
Arrays binary(Translator& t, const Op& op, const Arrays& x) {
  need(t, op, x, 2);
  return {f(x[0], x[1])};
}

// The ops chlo.broadcast_NAME broadcast their operands to one shape as NumPy does.
constexpr std::string_view broadcast_prefix = "chlo.broadcast_";
// Returns the name of the op that runs after broadcasting: "stablehlo.add" for
// "chlo.broadcast_add".
std::string name_without_broadcast(const std::string& name) {
  if (!name.starts_with(broadcast_prefix)) return name;
  const std::string rest = name.substr(broadcast_prefix.size());
  return (elementwise_rules().contains("stablehlo." + rest) ? "stablehlo." : "chlo.") + rest;
}

// An op of Weft that has the meaning of a StableHLO op (Def::stablehlo).
struct SameOp {
  const weft::Op* op;
  size_t operands;
  AnyParams params;
};
const std::unordered_map<std::string_view, SameOp>& same_ops() {
  static const auto all = [] {
    std::unordered_map<std::string_view, SameOp> r;
    for (const weft::Op* op : all_ops())
      if (!op->stablehlo().empty())
        r.emplace(op->stablehlo(),
                  SameOp{op, op->samples().front().in.size(), op->parse_params({})});
    return r;
  }();
  return all;
}
Arrays bind_same_op(Translator& t, const Op& op, const Arrays& x) {
  const SameOp& s = same_ops().at(name_without_broadcast(op.name));
  need(t, op, x, s.operands);
  return bind_op(*s.op, x, s.params);
}

// Bools use a different op than numbers.
template <Binary numbers, Binary bools>
Arrays arithmetic(Translator& t, const Op& op, const Arrays& x) {
  need(t, op, x, 2);
  return {(is_bool(x[0].dtype()) ? bools : numbers)(x[0], x[1])};
}

Arrays identity(Translator&, const Op&, const Arrays& x) { return x; }
Arrays barrier(Translator&, const Op&, const Arrays& x) { return lax::optimization_barrier(x); }

Arrays abs(Translator& t, const Op& op, const Arrays& x) {
  need(t, op, x, 1);
  return {is_unsigned(x[0].dtype()) ? x[0] : lax::abs(x[0])};
}
Array integer_power(const Array& x, const Array& y) {
  // Computes the power by squaring, with one step for each bit of the exponent. Negative exponents
  // give 1, -1 or 0.
  const DType d = x.dtype();
  const Array zero = scalar_of_int(d, 0), one = scalar_of_int(d, 1);
  Array base = x, left = y, power = lax::add(lax::sub(x, x), one);
  const int bits = 8 * itemsize(d) - (is_signed(d) ? 1 : 0);
  for (int i = 0; i < bits; ++i) {
    const Array bit = lax::bitwise_and(left, one);
    power = lax::mul(power, lax::add(one, lax::mul(bit, lax::sub(base, one))));
    left = lax::shift_right_logical(left, one);
    if (i + 1 < bits) base = lax::mul(base, base);
  }
  if (is_unsigned(d)) return power;
  const Array minus = scalar_of_int(d, -1);
  const Array odd = lax::ne(lax::bitwise_and(y, one), zero);
  const Array sign =
      lax::sub(one, lax::mul(lax::convert_element_type(odd, d), scalar_of_int(d, 2)));
  const Array is_one = lax::convert_element_type(lax::eq(x, one), d);
  const Array is_minus = lax::convert_element_type(lax::eq(x, minus), d);
  const Array inverse = lax::add(is_one, lax::mul(is_minus, sign));
  const Array negative = lax::lt(y, zero);
  return lax::select(negative, inverse, power);
}
Arrays power(Translator& t, const Op& op, const Arrays& x) {
  need(t, op, x, 2);
  return {is_integer(x[0].dtype()) ? integer_power(x[0], x[1]) : lax::pow(x[0], x[1])};
}
Arrays real(Translator& t, const Op& op, const Arrays& x) {
  need(t, op, x, 1);
  return {is_complex(x[0].dtype()) ? lax::real(x[0]) : x[0]};
}
Arrays imag(Translator& t, const Op& op, const Arrays& x) {
  need(t, op, x, 1);
  return {is_complex(x[0].dtype()) ? lax::imag(x[0]) : base::zeros(x[0].type())};
}
Arrays conj(Translator& t, const Op& op, const Arrays& x) {
  need(t, op, x, 1);
  return {is_complex(x[0].dtype()) ? lax::conj(x[0]) : x[0]};
}
Arrays round_afz(Translator& t, const Op& op, const Arrays& x) {
  need(t, op, x, 1);
  return {lax::round(x[0], lax::RoundingMethod::AWAY_FROM_ZERO)};
}
Arrays round_even(Translator& t, const Op& op, const Arrays& x) {
  need(t, op, x, 1);
  return {lax::round(x[0], lax::RoundingMethod::TO_NEAREST_EVEN)};
}
Arrays clamp(Translator& t, const Op& op, const Arrays& x) {
  need(t, op, x, 3);
  if (!is_bool(x[1].dtype())) return {lax::clamp(x[0], x[1], x[2])};
  return {lax::min(lax::max(x[1], x[0]), x[2])};
}
Arrays select(Translator& t, const Op& op, const Arrays& x) {
  need(t, op, x, 3);
  // When a scalar body runs on whole arrays, some operands may be scalar constants.
  Shape shape;
  for (const Array& a : x)
    if (a.ndim() > 0) shape = a.shape();
  const auto whole = [&](const Array& a) {
    return a.shape() == shape ? a : broadcast_in_dim(a, shape, {});
  };
  const Array on = x[0].ndim() == 0 ? x[0] : whole(x[0]);
  return {lax::select_n(on, {whole(x[2]), whole(x[1])})};
}
Arrays convert(Translator& t, const Op& op, const Arrays& x) {
  need(t, op, x, 1);
  const DType d = t.result(op).dtype();
  if (const SmallType* s = small_type(op.out[0])) return {converted(*s, x[0])};
  return {x[0].dtype() == d ? x[0] : lax::convert_element_type(x[0], d)};
}

// ---- bits. Elements of fewer than eight bits, bools and small floats are represented as U8.

bool is_narrow(Typ t) { return small_type(t) || t->element->text == "i1"; }
int width_of(Typ t) {
  if (const SmallType* s = small_type(t)) return s->bits;
  return t->element->text == "i1" ? 1 : 8 * itemsize(*dtype_of_element(t->element->text));
}
// The bits of an element of fewer than eight bits. For other elements, their bytes, along a new
// last axis if there are several.
Array bytes_of(Typ t, const Array& x) {
  if (const SmallType* s = small_type(t)) return bits_of(*s, x);
  return is_bool(x.dtype()) ? lax::convert_element_type(x, U8) : lax::bitcast_convert_type(x, U8);
}
Array element_of(Typ t, DType d, const Array& bytes) {
  if (const SmallType* s = small_type(t)) return value_of(*s, bytes);
  return is_bool(d) ? lax::ne(bytes, scalar_of_int(U8, 0)) : lax::bitcast_convert_type(bytes, d);
}
// Converts numbers of `from` bits along the last axis to numbers of `to` bits, lowest bits first.
Array regrouped(const Array& x, int from, int to) {
  const int last = static_cast<int>(x.ndim());
  if (from > to) {
    const Array all = base::insert_axis(x, last, from / to);
    const Array low = lax::mul(iota(U8, all.shape(), last), scalar_of_int(U8, to));
    return lax::bitwise_and(lax::shift_right_logical(all, low), scalar_of_int(U8, (1 << to) - 1));
  }
  const int64_t n = to / from, groups = x.shape()[last - 1] / n;
  const Array all = base::reshape(x, x.shape().with(last - 1, groups).inserted(last, n));
  const Array low = lax::mul(iota(U8, all.shape(), last), scalar_of_int(U8, from));
  return lax::reduce_or(lax::shift_left(all, low), {last});
}
// Returns true if one shape is the other with an additional last axis of `ratio` elements.
bool has_more(const Shape& longer, const Shape& shorter, int64_t ratio) {
  const int n = longer.ndim();
  return n == shorter.ndim() + 1 && longer[n - 1] == ratio && longer.erased(n - 1) == shorter;
}
Arrays bitcast(Translator& t, const Op& op, const Arrays& x) {
  need(t, op, x, 1);
  const Typ in = op.in[0], out = op.out[0];
  const Type to = t.result(op);
  if (!is_narrow(in) && !is_narrow(out)) return {lax::bitcast_convert_type(x[0], to.dtype())};
  if (is_complex(x[0].dtype()) || is_complex(to.dtype()))
    t.fail(op, "the bits of complex numbers can only become complex numbers");
  const int from_bits = width_of(in), to_bits = width_of(out);
  if (from_bits == to_bits) return {element_of(out, to.dtype(), bytes_of(in, x[0]))};
  const bool joins = from_bits < to_bits;
  const int64_t ratio = joins ? to_bits / from_bits : from_bits / to_bits;
  const Shape &shape = x[0].shape(), &wanted = to.shape();
  if (joins ? !has_more(shape, wanted, ratio) : !has_more(wanted, shape, ratio))
    t.fail(op, fmt::format("the type of fewer bits has a last axis of {} more", ratio));
  const int from = std::min(from_bits, 8), next = std::min(to_bits, 8);
  Array bytes = bytes_of(in, x[0]);
  if (from != next) bytes = regrouped(bytes, from, next);
  if (!joins) return {element_of(out, to.dtype(), base::reshape(bytes, wanted))};
  const bool several = to_bits > 8;
  return {element_of(
      out, to.dtype(),
      base::reshape(bytes, several ? wanted.inserted(wanted.ndim(), to_bits / 8) : wanted))};
}
// Ops that read bits. A dtype that holds a small type has more bits than the type.
Arrays zeros_in_front(Translator& t, const Op& op, const Arrays& x) {
  need(t, op, x, 1);
  const SmallType* s = small_type(op.in[0]);
  if (!s) return {lax::clz(x[0])};
  const Array unused = scalar_of_int(U8, 8 - s->bits);
  return {lax::bitcast_convert_type(lax::sub(lax::clz(bits_of(*s, x[0])), unused), x[0].dtype())};
}
Arrays ones_in(Translator& t, const Op& op, const Arrays& x) {
  need(t, op, x, 1);
  const SmallType* s = small_type(op.in[0]);
  if (!s) return {lax::population_count(x[0])};
  return {lax::bitcast_convert_type(lax::population_count(bits_of(*s, x[0])), x[0].dtype())};
}
// The shift count is unsigned. Counts of at least the number of bits give 0 or the sign.
template <bool keeps_sign>
Arrays shift_right(Translator& t, const Op& op, const Arrays& x) {
  need(t, op, x, 2);
  const SmallType* s = small_type(op.in[0]);
  if (!s)
    return {(keeps_sign ? lax::shift_right_arithmetic : lax::shift_right_logical)(x[0], x[1])};
  const Array bits = bits_of(*s, x[0]), places = bits_of(*s, x[1]);
  if (!keeps_sign) return {value_of(*s, lax::shift_right_logical(bits, places))};
  const Array unused = scalar_of_int(I8, 8 - s->bits);
  const Array in_front = lax::shift_left(lax::bitcast_convert_type(bits, I8), unused);
  const Array number = lax::shift_right_arithmetic(in_front, unused);
  const Array shifted = lax::shift_right_arithmetic(number, lax::bitcast_convert_type(places, I8));
  return {value_of(*s, lax::bitcast_convert_type(shifted, U8))};
}

Arrays compare(Translator& t, const Op& op, const Arrays& x) {
  need(t, op, x, 2);
  const std::string how = t.word(op, "comparison_direction");
  const bool total =
      t.word(op, "compare_type", "FLOAT") == "TOTALORDER" && is_floating(x[0].dtype());
  const Array a = total ? total_order(x[0]) : x[0], b = total ? total_order(x[1]) : x[1];
  for (const auto& [name, f] : {std::pair<const char*, Binary>{"EQ", lax::eq},
                                {"NE", lax::ne},
                                {"LT", lax::lt},
                                {"LE", lax::le},
                                {"GT", lax::gt},
                                {"GE", lax::ge}})
    if (how == name) return {f(a, b)};
  t.fail(op, "'" + how + "' is not a comparison");
}

Arrays reduce_precision(Translator& t, const Op& op, const Arrays& x) {
  need(t, op, x, 1);
  return {lax::reduce_precision(x[0], static_cast<int>(t.integer(op, "exponent_bits")),
                                static_cast<int>(t.integer(op, "mantissa_bits")))};
}
template <int sign>
Arrays is_infinite(Translator& t, const Op& op, const Arrays& x) {
  need(t, op, x, 1);
  const DType d = x[0].dtype();
  if (!is_floating(d)) t.fail(op, "only floating-point numbers may be infinite");
  const double inf = std::numeric_limits<double>::infinity();
  return {lax::eq(sign == 0 ? lax::abs(x[0]) : x[0], scalar_of(d, sign < 0 ? -inf : inf))};
}

// For operands with fewer axes than the result, broadcast_dimensions may specify the axes.
Arrays broadcasting(Translator& t, const Op& op, const Arrays& x) {
  const Shape shape = t.result(op).shape();
  Arrays whole;
  for (const Array& v : x) {
    const auto rank = v.shape().size(), more = shape.size() - rank;
    if (rank > shape.size()) t.fail(op, "an operand has more axes than the result");
    std::vector<int64_t> dims;
    for (size_t k = 0; k < rank; ++k) dims.push_back(static_cast<int64_t>(more + k));
    if (more > 0 && op.attr("broadcast_dimensions")) dims = t.ints(op, "broadcast_dimensions");
    whole.push_back(v.shape() == shape ? v : broadcast_in_dim(v, shape, dims));
  }
  const auto rule = elementwise_rules().find(name_without_broadcast(op.name));
  if (rule == elementwise_rules().end()) t.missing(op);
  return rule->second(t, op, whole);
}
Rules broadcasting_rules() {
  Rules r;
  for (std::string_view name : {"chlo.broadcast_add",
                                "chlo.broadcast_and",
                                "chlo.broadcast_atan2",
                                "chlo.broadcast_compare",
                                "chlo.broadcast_complex",
                                "chlo.broadcast_divide",
                                "chlo.broadcast_maximum",
                                "chlo.broadcast_minimum",
                                "chlo.broadcast_multiply",
                                "chlo.broadcast_next_after",
                                "chlo.broadcast_or",
                                "chlo.broadcast_polygamma",
                                "chlo.broadcast_power",
                                "chlo.broadcast_remainder",
                                "chlo.broadcast_select",
                                "chlo.broadcast_shift_left",
                                "chlo.broadcast_shift_right_arithmetic",
                                "chlo.broadcast_shift_right_logical",
                                "chlo.broadcast_subtract",
                                "chlo.broadcast_xor",
                                "chlo.broadcast_zeta"})
    r.emplace(name, broadcasting);
  return r;
}

// Runs a scalar body on whole arrays.
Arrays map(Translator& t, const Op& op, const Arrays& x) {
  if (x.empty()) t.fail(op, "'map' needs operands");
  return t.run_on_arrays(op, t.only_region(op), x, op.out.size());
}

}  // namespace

Array total_order(const Array& x) {
  const int bits = 8 * itemsize(x.dtype());
  const DType d = bits == 16 ? I16 : bits == 32 ? I32 : I64;
  const Array i = lax::bitcast_convert_type(x, d);
  const Array sign = lax::shift_right_arithmetic(i, scalar_of_int(d, bits - 1));
  const int64_t most = std::numeric_limits<int64_t>::max() >> (64 - bits);
  return lax::bitwise_xor(i, lax::bitwise_and(sign, scalar_of_int(d, most)));
}

const Rules& elementwise_rules() {
  static const Rules all = [] {
    Rules r = {
        {"stablehlo.add", arithmetic<lax::add, lax::bitwise_or>},
        {"stablehlo.multiply", arithmetic<lax::mul, lax::bitwise_and>},
        {"stablehlo.power", power},
        {"stablehlo.shift_right_arithmetic", shift_right<true>},
        {"stablehlo.shift_right_logical", shift_right<false>},
        {"stablehlo.popcnt", ones_in},
        {"stablehlo.count_leading_zeros", zeros_in_front},
        {"stablehlo.abs", abs},
        {"stablehlo.round_nearest_afz", round_afz},
        {"stablehlo.round_nearest_even", round_even},
        {"stablehlo.reduce_precision", reduce_precision},
        {"stablehlo.real", real},
        {"stablehlo.imag", imag},
        {"stablehlo.optimization_barrier", barrier},
        {"stablehlo.clamp", clamp},
        {"stablehlo.select", select},
        {"stablehlo.compare", compare},
        {"stablehlo.convert", convert},
        {"stablehlo.bitcast_convert", bitcast},
        {"chlo.tan", unary<lax::tan>},
        {"chlo.conj", conj},
        {"chlo.polygamma", binary<lax::polygamma>},
        {"chlo.bessel_i0e", unary<lax::bessel_i0e>},
        {"chlo.is_inf", is_infinite<0>},
        {"chlo.is_pos_inf", is_infinite<1>},
        {"chlo.is_neg_inf", is_infinite<-1>},
    };
    for (const auto& [name, op] : same_ops()) r.emplace(name, bind_same_op);
    return r;
  }();
  return all;
}

void add_elementwise(Rules& r) {
  r.insert(elementwise_rules().begin(), elementwise_rules().end());
  const Rules broadcasts = broadcasting_rules();
  r.insert(broadcasts.begin(), broadcasts.end());
  r.insert({{"stablehlo.map", map}, {"sdy.sharding_constraint", identity}});
}

}  // namespace weft::hlo
