// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/write/wr_sort.cpp: writes sorting.
#include <limits>
#include <numeric>

#include "interop/stablehlo/write/write.h"

namespace weft::hlo {
namespace {

// Two elements of one key, as the comparator sees them. All zeros are made equal and all NaNs are
// made equal, so that the total order of floats puts NaN last. tr_sort.cpp recognizes this form.
struct Pair {
  Val a, b;
};
Val canonical(Writer& w, const Val& x) {
  const Val zero = w.number(x.type, 0),
            nan = w.number(x.type, std::numeric_limits<double>::quiet_NaN());
  const Val one_zero = w.select(w.compare("EQ", x, zero), zero, x);
  return w.select(w.compare("NE", x, x), nan, one_zero);
}
// A complex key is two keys: the real part, then the imaginary part.
void add_key(Writer& w, const Val& a, const Val& b, std::vector<Pair>* keys) {
  if (is_complex(a.dtype())) {
    const Type part(real_part(a.dtype()), Shape{});
    for (const char* op : {"stablehlo.real", "stablehlo.imag"})
      add_key(w, w.one(op, {a}, part), w.one(op, {b}, part), keys);
  } else if (is_floating(a.dtype())) {
    keys->push_back({canonical(w, a), canonical(w, b)});
  } else {
    keys->push_back({a, b});
  }
}
Val less(Writer& w, const std::vector<Pair>& keys) {
  const auto compare = [&](const char* how, const Pair& p) {
    return w.compare(how, p.a, p.b, is_floating(p.a.dtype()) ? "TOTALORDER" : "");
  };
  Val out = compare("LT", keys.back());
  for (size_t i = keys.size() - 1; i-- > 0;)
    out = w.binary("stablehlo.or", compare("LT", keys[i]),
                   w.binary("stablehlo.and", compare("EQ", keys[i]), out));
  return out;
}

Vals sort(Writer& w, const Equation& e, const Vals& x) {
  Types args, out;
  for (const Val& v : x) {
    args.insert(args.end(), 2, v.type.with_shape(Shape{}));
    out.push_back(v.type);
  }
  const auto num_keys = static_cast<size_t>(e.field<int64_t>("num_keys"));
  Region body = w.region(args, [&](const Vals& v) -> Vals {
    std::vector<Pair> keys;
    for (size_t k = 0; k < num_keys; ++k) add_key(w, v[2 * k], v[2 * k + 1], &keys);
    return {less(w, keys)};
  });
  return w.op("stablehlo.sort", x, out,
              {{"dimension", integer_attr(e.field<int64_t>("dimension"))},
               {"is_stable", bool_attr(e.field<bool>("is_stable"))}},
              only(std::move(body)));
}

// chlo.top_k works along the last axis.
Vals top_k(Writer& w, const Equation& e, const Vals& x) {
  const int64_t last = x[0].shape().ndim() - 1, axis = e.field<int64_t>("axis");
  Ints order(x[0].shape().size());
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[static_cast<size_t>(axis)], order[static_cast<size_t>(last)]);
  const auto swapped = [&](const Val& v) {
    if (axis == last) return v;
    Ints sizes;
    for (int64_t a : order) sizes.push_back(v.shape()[a]);
    return w.one("stablehlo.transpose", {v}, v.type.with_shape(Shape(sizes)),
                 {{"permutation", ints_attr(order)}});
  };
  // XLA ranks by the total order of the bits: a NaN with the sign bit is last. Otherwise NaNs of
  // both signs are first, so the sign bit of NaNs is removed.
  Val in = swapped(x[0]);
  if (is_floating(in.type.dtype()) && !e.field<bool>("total_order"))
    in = w.select(w.compare("NE", in, in),
                  w.number(in.type, std::numeric_limits<double>::quiet_NaN()), in);
  const Shape s = in.shape().with(static_cast<int>(last), e.field<int64_t>("k"));
  Vals out = w.op("chlo.top_k", {in}, {in.type.with_shape(s), Type(I32, s)},
                  {{"k", integer_attr(e.field<int64_t>("k"))}});
  for (Val& v : out) v = swapped(v);
  return out;
}

}  // namespace

void write_sorting(WriteRules& r) {
  r["sort"] = sort;
  r["top_k"] = top_k;
}

}  // namespace weft::hlo
