// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/special_kit.cpp: promotion of the operands of special functions, and their derivatives.
#include "weft/functions/special_kit.h"

#include "weft/ops/control/custom_flat.h"
#include "weft/tracer/types_of.h"

namespace weft::fn {

Array real_of(const char* name, const Array& x) {
  need_real(name, x);
  return inexact(x);
}
Arrays reals_of(const char* name, const Arrays& x) {
  for (const Array& v : x) need_real(name, v);
  Arrays r = broadcast_together(name, x);
  for (Array& v : r) {
    v = inexact(v);
    v = as_dtype(v, v.dtype());
  }
  return r;
}
Pair pair_of(const char* name, const Array& x, const Array& y) {
  need_real(name, x);
  need_real(name, y);
  return promoted_inexact(name, x, y);
}

Array with_slope(const char* name, const Arrays& x, FunctionRef<Array(const Arrays&)> f,
                 FunctionRef<Array(const Arrays&, const Arrays&)> slope) {
  const Types types = types_of(x);
  Types doubled = types;
  for (const Type& t : types) doubled.push_back(t.strong());
  const auto n = static_cast<std::ptrdiff_t>(x.size());
  const Closed value = record(types, [&](const Arrays& v) { return Arrays{f(v)}; });
  const Closed rule = record(doubled, [&](const Arrays& v) {
    const Arrays p(v.begin(), v.begin() + n), dx(v.begin() + n, v.end());
    const Array out = f(p);
    return Arrays{out, as_dtype(slope(p, dx), out.dtype())};
  });
  return custom_jvp_flat(value, rule, x, name, true)[0];
}

}  // namespace weft::fn
