// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/write/wr_elementwise.cpp: writes the elementwise ops that StableHLO expresses
// with an attribute, or does not have for every dtype. Other ops name their StableHLO op themselves
// (Def::stablehlo).
#include <cctype>
#include <numbers>

#include "interop/stablehlo/read/translate.h"
#include "interop/stablehlo/write/write.h"

namespace weft::hlo {
namespace {

// Operands are scalars or have the shape of the result.
Vals fitted(Writer& w, const Equation& e, const Vals& x) {
  Vals out;
  for (const Val& v : x) out.push_back(w.fit(v, e.result().shape()));
  return out;
}

// The ops that have a one-to-one name.
const std::unordered_map<std::string_view, std::string_view>& names() {
  static const auto all = [] {
    std::unordered_map<std::string_view, std::string_view> r;
    for (const weft::Op* op : all_ops())
      if (!op->stablehlo().empty()) r.emplace(op->name(), op->stablehlo());
    return r;
  }();
  return all;
}
Vals one_to_one(Writer& w, const Equation& e, const Vals& x) {
  return {w.one(names().at(e.name()), fitted(w, e, x), e.result())};
}

Vals compared(Writer& w, const Equation& e, const Vals& x) {
  std::string how = e.name() == "seed_eq" ? "eq" : e.name();
  for (char& c : how) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  const Vals v = fitted(w, e, x);
  return {w.compare(how, v[0], v[1])};
}
Vals absolute(Writer& w, const Equation& e, const Vals& x) {
  return is_unsigned(x[0].dtype()) || is_bool(x[0].dtype()) ? x : one_to_one(w, e, x);
}
// The sign of an unsigned number is 1 if the number is not 0.
Vals sign(Writer& w, const Equation& e, const Vals& x) {
  if (!is_unsigned(x[0].dtype())) return one_to_one(w, e, x);
  return {w.convert(w.compare("NE", x[0], w.integer(x[0].type, 0)), x[0].dtype())};
}
// chlo.square exists only for floats and complex numbers.
Vals square(Writer& w, const Equation& e, const Vals& x) {
  return is_inexact(x[0].dtype()) ? one_to_one(w, e, x)
                                  : Vals{w.binary("stablehlo.multiply", x[0], x[0])};
}
// The decomposition is that of JAX. Weft's own formula rounds by adding and subtracting a large
// number, which XLA optimizes away.
Vals exp2(Writer& w, const Equation& e, const Vals& x) {
  return write_composite(w, e, x, [&](const Vals& v) -> Vals {
    const Val scaled = w.binary("stablehlo.multiply", v[0], w.number(v[0].type, std::numbers::ln2));
    return {w.one("stablehlo.exponential", {scaled}, scaled.type)};
  });
}
// The decomposition is XLA's approximation. When Weft reads the text, it binds its own op.
Vals erf_inv(Writer& w, const Equation& e, const Vals& x) {
  return write_composite(
      w, e, x, [&](const Vals& v) -> Vals { return {w.one("chlo.erf_inv", {v[0]}, v[0].type)}; });
}
Vals power(Writer& w, const Equation& e, const Vals& x) {
  const Vals v = fitted(w, e, x);
  return {w.one("stablehlo.power", {v[0], w.convert(v[1], v[0].dtype())}, e.result())};
}
Vals clamped(Writer& w, const Equation& e, const Vals& x) {
  return {w.one("stablehlo.clamp", {x[0], w.fit(x[1], e.result().shape()), x[2]}, e.result())};
}
Vals selected(Writer& w, const Equation& e, const Vals& x) {
  const Shape& shape = e.result().shape();
  Val out = w.fit(x.back(), shape);
  if (is_bool(x[0].dtype())) return {w.select(x[0], out, w.fit(x[1], shape))};
  for (size_t k = x.size() - 2; k > 0; --k) {
    const Val before = w.compare("LT", x[0], w.integer(x[0].type, static_cast<int64_t>(k)));
    out = w.select(before, w.fit(x[k], shape), out);
  }
  return {out};
}
Vals identity(Writer&, const Equation&, const Vals& x) { return x; }

Vals converted(Writer& w, const Equation& e, const Vals& x) {
  const DType d = e.result().dtype();
  Val v = x[0];
  if (is_bool(d)) return {is_bool(v.dtype()) ? v : w.compare("NE", v, w.number(v.type, 0))};
  if (is_complex(v.dtype()) && !is_complex(d))
    v = w.one("stablehlo.real", {v}, Type(real_part(v.dtype()), v.shape()));
  return {w.convert(v, d)};
}
Vals bit_cast(Writer& w, const Equation& e, const Vals& x) { return {w.bitcast(x[0], e.result())}; }
Vals rounded(Writer& w, const Equation& e, const Vals& x) {
  const bool even = e.field<int64_t>("rounding_method") == 1;
  return {
      w.one(even ? "stablehlo.round_nearest_even" : "stablehlo.round_nearest_afz", x, e.result())};
}
Vals reduced_precision(Writer& w, const Equation& e, const Vals& x) {
  return {w.one("stablehlo.reduce_precision", x, e.result(),
                {{"exponent_bits", integer_attr(e.field<int64_t>("exponent_bits"), I32)},
                 {"mantissa_bits", integer_attr(e.field<int64_t>("mantissa_bits"), I32)}})};
}

Vals later(Writer& w, const Equation& e, const Vals& x) {
  return {w.one("stablehlo.optimization_barrier", {x[0]}, e.result())};
}

}  // namespace

void write_elementwise(WriteRules& r) {
  for (const auto& [weft_name, stablehlo_name] : names()) r.emplace(weft_name, one_to_one);
  for (const char* name : {"eq", "ne", "lt", "le", "gt", "ge", "seed_eq"}) r[name] = compared;
  const WriteRules mine = {{"abs", absolute},
                           {"sign", sign},
                           {"square", square},
                           {"exp2", exp2},
                           {"erf_inv", erf_inv},
                           {"pow", power},
                           {"clamp", clamped},
                           {"select_n", selected},
                           {"copy", identity},
                           {"name", identity},
                           {"schedule_after", later},
                           {"stop_gradient", identity},
                           {"device_put", identity},
                           {"convert_element_type", converted},
                           {"bitcast_convert_type", bit_cast},
                           {"round", rounded},
                           {"reduce_precision", reduced_precision}};
  for (const auto& [name, rule] : mine) r[name] = rule;
}

}  // namespace weft::hlo
