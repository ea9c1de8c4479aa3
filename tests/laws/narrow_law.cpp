// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/laws/narrow_law.cpp: the law of narrow floats: they are computed in F32 and rounded once.
#include <algorithm>
#include <cmath>

#include "core/loops/accumulator.h"
#include "laws.h"
#include "tracer/eval_trace.h"

namespace weft::laws {
namespace {

bool is_narrow(const Type& t) { return accumulator_dtype(t.dtype()) != t.dtype(); }
Type wide(const Type& t) { return Type(accumulator_dtype(t.dtype()), t.shape(), t.weak()); }

// Returns the case with F32 in place of narrow floats. There is no such case if the op does not
// accept it, or does not return F32 because its parameters name a dtype.
std::optional<Case> add_axis(const Case& c) {
  Case w = c;
  w.sample.values = {};
  for (Type& t : w.sample.in) t = wide(t);
  try {
    const Types own = c.op->type(c.sample.in, c.sample.params),
                other = c.op->type(w.sample.in, w.sample.params);
    for (size_t k = 0; k < own.size(); ++k)
      if (other.size() != own.size() || !(other[k] == wide(own[k]))) return {};
  } catch (const Error&) {
    return {};
  }
  return w;
}

// With sums in another order the result may round to the neighboring number.
std::string beside(const Array& a, const Array& b) {
  if (!is_narrow(a.type())) return difference(a, b);
  const double rounding = a.dtype() == F16 ? 0x1p-10 : 0x1p-7,
               smallest = a.dtype() == F16 ? 0x1p-24 : 0x1p-133;
  const std::vector<double> x = numbers(a), y = numbers(b);
  for (size_t i = 0; i < x.size(); ++i) {
    const double most = std::max(rounding * std::fabs(y[i]), smallest);
    if (!(std::fabs(x[i] - y[i]) <= most) && x[i] != y[i] &&
        !(std::isnan(x[i]) && std::isnan(y[i])))
      return fmt::format("element {}: {:.9g}, but in F32 {:.9g}", i, x[i], y[i]);
  }
  return {};
}

}  // namespace

void narrow_floats_are_rounded_once(const Case& c, Failures& f) {
  const Types& in = c.sample.in;
  if (std::none_of(in.begin(), in.end(), is_narrow)) return;
  const std::optional<Case> w = add_axis(c);
  if (!w) return;
  Random r = c.random(16);
  for (int draw = 0; draw < 3; ++draw) {
    f.checked();
    const Arrays x = c.draw(r);
    Arrays y;
    for (const Array& a : x) y.push_back(base::convert(a, wide(a.type()).dtype(), a.weak_type()));
    const Arrays narrow = c.run(x), full = w->run(y);
    for (size_t k = 0; k < narrow.size(); ++k)
      f.expect(beside(narrow[k], base::convert(full[k], narrow[k].dtype(), full[k].weak_type())),
               fmt::format("result {}", k));
  }
}

}  // namespace weft::laws
