// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/write/wr_reduce.cpp: writes reductions, also of windows, cumulative ops and
// products of arrays.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/op.h"
#include "interop/stablehlo/write/write.h"
#include "ops/linear/masked_dot.h"
#include "tracer/concrete.h"

namespace weft::hlo {
namespace {

Type scalar_type(const Val& x) { return x.type.with_shape(Shape{}); }

// The op that combines two elements in a reduction of Weft.
std::string_view combiner(std::string_view name) {
  constexpr std::pair<std::string_view, std::string_view> all[] = {
      {"_sum", "stablehlo.add"},     {"_prod", "stablehlo.multiply"}, {"_max", "stablehlo.maximum"},
      {"_min", "stablehlo.minimum"}, {"_and", "stablehlo.and"},       {"_or", "stablehlo.or"},
      {"_xor", "stablehlo.xor"}};
  for (const auto& [end, op] : all)
    if (name.ends_with(end)) return op;
  return {};
}
// The result of an empty reduction.
Val identity(Writer& w, const std::string& reduction, DType d) {
  const weft::Op& op = *find_op(reduction);
  const Array nothing = fresh_array(Type(d, Shape{0})).array;
  return w.constant(op.reference({nothing}, op.parse_params({{"axes", Ints{0}}}))[0]);
}

Vals reduction(Writer& w, const Equation& e, const Vals& x) {
  return {w.reduce(combiner(e.name()), x[0], identity(w, e.name(), x[0].dtype()), e.ints("axes"))};
}

// Reduces pairs of a number and its position. A NaN wins, then the better number, then the first
// position. The result does not depend on the order in which pairs are combined.
Vals arg_reduction(Writer& w, const Equation& e, const Vals& x) {
  const bool largest = e.name() == "argmax";
  const Ints axes = e.ints("axes");
  const Type index = e.result().with_shape(Shape{}), value = scalar_type(x[0]);
  const Val places = w.iota(e.result().with_shape(x[0].shape()), axes[0]);
  const Val worst = identity(w, largest ? "reduce_max" : "reduce_min", x[0].dtype());
  const Val first = w.integer(index, 0);
  Region body = w.region({value, index, value, index}, [&](const Vals& v) -> Vals {
    const Val &a = v[0], &ia = v[1], &b = v[2], &ib = v[3];
    Val better = w.compare(largest ? "GT" : "LT", a, b), same = w.compare("EQ", a, b);
    if (is_floating(a.dtype())) {
      const Val nan_a = w.compare("NE", a, a), nan_b = w.compare("NE", b, b);
      const Val only_a =
          w.binary("stablehlo.and", nan_a, w.one("stablehlo.not", {nan_b}, nan_b.type));
      better = w.binary("stablehlo.or", better, only_a);
      same = w.binary("stablehlo.or", same, w.binary("stablehlo.and", nan_a, nan_b));
    }
    const Val earlier = w.binary("stablehlo.and", same, w.compare("LE", ia, ib));
    const Val left = w.binary("stablehlo.or", better, earlier);
    return {w.select(left, a, b), w.select(left, ia, ib)};
  });
  return {w.op("stablehlo.reduce", {x[0], places, worst, first},
               {x[0].type.with_shape(e.result().shape()), e.result()},
               {{"dimensions", ints_attr(axes)}}, only(std::move(body)))[1]};
}

// log(exp(a) + exp(b)). For equal infinities and for NaNs it is a + b.
Val log_add_exp(Writer& w, const Val& a, const Val& b) {
  const Val gap = w.binary("stablehlo.subtract", a, b), top = w.binary("stablehlo.maximum", a, b);
  const auto unary = [&](std::string_view op, const Val& v) { return w.one(op, {v}, v.type); };
  const Val rest =
      unary("stablehlo.log_plus_one",
            unary("stablehlo.exponential", unary("stablehlo.negate", unary("stablehlo.abs", gap))));
  return w.select(w.compare("NE", gap, gap), w.binary("stablehlo.add", a, b),
                  w.binary("stablehlo.add", top, rest));
}

// A cumulative op is a reduction of windows that extend to one end of the axis.
Vals running(Writer& w, const Equation& e, const Vals& x) {
  const Val& v = x[0];
  if (v.type.elements() == 0) return x;
  const bool logs = e.name() == "cumlogsumexp";
  const Type scalar = scalar_type(v);
  const std::string plain = "reduce_" + e.name().substr(3);
  const Val init = logs ? w.number(scalar, -std::numeric_limits<double>::infinity())
                        : identity(w, plain, v.dtype());
  Region body = logs ? w.region({scalar, scalar},
                                [&](const Vals& p) -> Vals { return {log_add_exp(w, p[0], p[1])}; })
                     : w.fold(combiner(plain), scalar);
  const auto rank = v.shape().size();
  const auto axis = static_cast<size_t>(e.field<int64_t>("axis"));
  const int64_t n = v.shape()[static_cast<int64_t>(axis)];
  Ints window(rank, 1), padding(2 * rank, 0);
  window[axis] = n;
  padding[2 * axis + (e.field<bool>("reverse") ? 1 : 0)] = n - 1;
  const Array pads =
      array_of_bytes(Type(I64, Shape{static_cast<int64_t>(rank), 2}), padding.data());
  return {w.one("stablehlo.reduce_window", {v, init}, e.result(),
                {{"padding", w.dense_attr(pads)}, {"window_dimensions", ints_attr(window)}},
                only(std::move(body)))};
}

// ---- windows

Attr window_padding(Writer& w, const Ints& low, const Ints& high) {
  Ints padding;
  for (size_t a = 0; a < low.size(); ++a) padding.insert(padding.end(), {low[a], high[a]});
  return w.dense_attr(
      array_of_bytes(Type(I64, Shape{static_cast<int64_t>(low.size()), 2}), padding.data()));
}
Vals reduce_window(Writer& w, const Equation& e, const Shape& windows, const Vals& x,
                   const Vals& init, Region body) {
  Types out;
  for (const Val& v : x) out.push_back(v.type.with_shape(windows));
  Vals all = x;
  all.insert(all.end(), init.begin(), init.end());
  return w.op("stablehlo.reduce_window", all, out,
              {{"base_dilations", ints_attr(e.ints("base_dilation"))},
               {"padding", window_padding(w, e.ints("low"), e.ints("high"))},
               {"window_dilations", ints_attr(e.ints("window_dilation"))},
               {"window_dimensions", ints_attr(e.ints("window_dimensions"))},
               {"window_strides", ints_attr(e.ints("window_strides"))}},
              only(std::move(body)));
}
Vals window_fold(Writer& w, const Equation& e, const Vals& x) {
  if (e.result().elements() == 0) return {w.number(e.result(), 0)};
  const std::string plain = "reduce" + e.name().substr(e.name().rfind('_'));
  return reduce_window(w, e, e.result().shape(), x, {identity(w, plain, x[0].dtype())},
                       w.fold(combiner(plain), scalar_type(x[0])));
}
// The element that each window selects: its value, the value carried with it, its position, and
// true if it exists. The reduction also carries a flag: true if the part of the window contains a
// NaN. Such a part discards the parts before it, which makes the body associative. Among equal
// elements the first position wins, in whatever order parts are combined.
Vals chosen(Writer& w, const Equation& e, const Shape& windows, const Val& carried, const Val& x) {
  const bool largest = e.field<bool>("largest"), floats = is_floating(x.dtype());
  const int64_t n = x.type.elements();
  const DType index = n > std::numeric_limits<int32_t>::max() ? I64 : I32;
  const Type s = scalar_type(x), c = scalar_type(carried), b(Bool, Shape{}), i(index, Shape{});
  const auto negated = [&](const Val& v) { return w.one("stablehlo.not", {v}, b); };
  const auto either = [&](const Val& p, const Val& q) { return w.binary("stablehlo.or", p, q); };
  const auto both = [&](const Val& p, const Val& q) { return w.binary("stablehlo.and", p, q); };
  Region body = w.region({s, c, i, b, b, s, c, i, b, b}, [&](const Vals& v) -> Vals {
    const Val first = both(w.compare("EQ", v[0], v[5]), w.compare("LE", v[2], v[7]));
    const Val better =
        both(negated(v[9]), either(w.compare(largest ? "GT" : "LT", v[0], v[5]), first));
    const Val keep = both(v[3], either(negated(v[8]), better));
    return {w.select(keep, v[0], v[5]), w.select(keep, v[1], v[6]), w.select(keep, v[2], v[7]),
            either(v[3], v[8]), either(v[4], v[9])};
  });
  const Val no = w.number(b, 0), there = w.number(Type(Bool, x.shape()), 1);
  const Val nan = floats ? w.compare("NE", x, x) : w.number(there.type, 0);
  const Val place = w.reshape(w.iota(Type(index, Shape{n}), 0), x.shape());
  return reduce_window(w, e, windows, {x, carried, place, there, nan},
                       {w.number(s, 0), w.number(c, 0), w.integer(i, 0), no, no}, std::move(body));
}
Vals window_tangents(Writer& w, const Equation& e, const Vals& x) {
  if (e.result().elements() == 0) return {w.number(e.result(), 0)};
  return {chosen(w, e, e.result().shape(), x[0], x[1])[1]};
}
// Integers often have ties, for which XLA's op may select any of the equal elements. This selects
// the first one and scatters to it.
Vals integer_cotangents(Writer& w, const Equation& e, const Vals& x) {
  const Type t = e.result(), flat = t.with_shape(Shape{t.elements()});
  const Vals c = chosen(w, e, x[0].shape(), x[1], x[1]);
  const Val nowhere = w.integer(c[2].type, t.elements());
  const int64_t n = x[0].type.elements();
  const Val places = w.reshape(w.select(c[3], c[2], nowhere), Shape{n, 1});
  const std::string dims =
      "#stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
      "index_vector_dim = 1>";
  const Val out =
      w.one("stablehlo.scatter", {w.integer(flat, 0), places, w.reshape(x[0], Shape{n})}, flat,
            {{"indices_are_sorted", bool_attr(false)},
             {"scatter_dimension_numbers", text_attr(dims)},
             {"unique_indices", bool_attr(false)}},
            only(w.fold("stablehlo.add", scalar_type(x[0]))));
  return {w.reshape(out, t.shape())};
}
Vals window_cotangents(Writer& w, const Equation& e, const Vals& x) {
  const auto ones = [](const Ints& n) {
    return std::all_of(n.begin(), n.end(), [](int64_t i) { return i == 1; });
  };
  if (e.result().elements() == 0 || x[0].type.elements() == 0) return {w.number(e.result(), 0)};
  // There is one window of one element, to which 0 is added.
  if (x[1].shape().ndim() == 0) return {w.binary("stablehlo.add", x[0], w.number(e.result(), 0))};
  if (is_integer(x[0].dtype())) return integer_cotangents(w, e, x);
  // The op of StableHLO has no dilations.
  if (!ones(e.ints("base_dilation")) || !ones(e.ints("window_dilation")))
    return write_lowering(w, e, x);
  const Type s = scalar_type(x[0]);
  std::vector<Region> bodies;
  bodies.push_back(w.region({s, s}, [&](const Vals& v) -> Vals {
    return {w.compare(e.field<bool>("largest") ? "GE" : "LE", v[0], v[1])};
  }));
  bodies.push_back(w.fold("stablehlo.add", s));
  return {w.one("stablehlo.select_and_scatter", {x[1], x[0], w.number(s, 0)}, e.result(),
                {{"padding", window_padding(w, e.ints("low"), e.ints("high"))},
                 {"window_dimensions", ints_attr(e.ints("window_dimensions"))},
                 {"window_strides", ints_attr(e.ints("window_strides"))}},
                std::move(bodies))};
}

Vals product(Writer& w, const Equation& e, const Vals& x) {
  const std::string dims = fmt::format(
      "#stablehlo.dot<lhs_batching_dimensions = {}, rhs_batching_dimensions = {}, "
      "lhs_contracting_dimensions = {}, rhs_contracting_dimensions = {}>",
      list_text(e.ints("lhs_batch")), list_text(e.ints("rhs_batch")),
      list_text(e.ints("lhs_contract")), list_text(e.ints("rhs_contract")));
  return {w.one("stablehlo.dot_general", x, e.result(),
                with_precision(e, {{"dot_dimension_numbers", text_attr(dims)}}))};
}

Vals masked_product(Writer& w, const Equation& e, const Vals& x) {
  return w.computed(
      e.in, [&](const Arrays& a) { return Arrays{dot_of_masked(a, e.eqn.params)}; }, x);
}

}  // namespace

void write_reductions(WriteRules& r) {
  for (const char* name : {"reduce_sum", "reduce_prod", "reduce_max", "reduce_min", "reduce_and",
                           "reduce_or", "reduce_xor"})
    r[name] = reduction;
  for (const char* name : {"cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp"})
    r[name] = running;
  r["argmax"] = r["argmin"] = arg_reduction;
  for (const char* name : {"reduce_window_sum", "reduce_window_max", "reduce_window_min"})
    r[name] = window_fold;
  r["select_and_gather_add"] = window_tangents;
  r["select_and_scatter_add"] = window_cotangents;
  r["dot_general"] = product;
  r["masked_dot"] = masked_product;
}

}  // namespace weft::hlo
