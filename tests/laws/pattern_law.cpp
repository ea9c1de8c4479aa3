// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/laws/pattern_law.cpp: the law of the patterns that sparse Jacobians are computed by.
#include <algorithm>
#include <set>

#include "measure.h"
#include "weft/autodiff/autodiff.h"
#include "weft/ops/kit/lists.h"
#include "weft/tracer/eval_trace.h"
#include "weft/tracer/types_of.h"
#include "weft/transforms/jacobian/sparsity.h"

namespace weft::laws {
namespace {

using Places = std::set<std::pair<int64_t, int64_t>>;  // (element of an operand, of a result)

std::vector<bool> inexact(const Types& types) {
  return each([](const Type& t) { return is_inexact(t.dtype()); }, types);
}

// Where the derivative at x is not zero.
Places measured(const Case& c, const Arrays& x, const std::vector<bool>& wrt,
                const std::vector<bool>& results) {
  Places found;
  int64_t seed = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    if (!wrt[i]) continue;
    const Type t = x[i].type().strong();
    for (int64_t e = 0; e < t.elements(); ++e, ++seed) {
      std::vector<double> unit(static_cast<size_t>(t.elements()), 0);
      unit[static_cast<size_t>(e)] = 1;
      Arrays dx(x.size());
      dx[i] = array(unit, t.shape()).astype(t.dtype());
      const Dual d = jvp_flat([&](const Arrays& a) { return c.run(a); }, x, dx);
      int64_t at = 0;
      for (const Array& dy : chosen(filled(d.tangent, d.out), results)) {
        const std::vector<double> v = numbers(dy);
        // Of complex numbers, both parts.
        const auto per_element = static_cast<int64_t>(v.size()) / std::max<int64_t>(1, dy.size());
        for (size_t k = 0; k < v.size(); ++k)
          if (v[k] > 0 || v[k] < 0) found.emplace(seed, at + static_cast<int64_t>(k) / per_element);
        at += dy.size();
      }
    }
  }
  return found;
}

Places places(const detail::Pattern& p) {
  Places r;
  for (size_t s = 0; s < p.rows.size(); ++s)
    for (const int32_t o : p.rows[s]) r.emplace(static_cast<int64_t>(s), o);
  return r;
}

void compare(const Places& found, const Places& expected, const std::string& mode, Failures& f) {
  f.judged();
  for (const auto& [seed, element] : expected)
    f.check(
        found.contains({seed, element}),
        fmt::format("{}: result {} depends on element {} of the operands", mode, element, seed));
}

}  // namespace

void patterns_cover(const Case& c, Failures& f) {
  const ReferenceMode reference;
  Measure m;
  if (!measurable(c, &m)) return;
  Random r = c.random(15);
  const Arrays x = c.draw(r);
  const auto run = [&](const Arrays& a) { return c.run(a); };
  const Types in = c.in(), out = c.out();
  const std::vector<bool> wrt = inexact(in), results = inexact(out);
  if (exempt(tangents_are_slopes, c) || c.op->effects(c.sample.params) != Effect::none) return;
  const auto elements = [](const Types& types) {
    int64_t n = 0;
    for (const Type& t : types) n += t.elements();
    return n;
  };
  if (elements(in) * elements(out) > 20'000) return;  // one derivative an operand's element
  const Places expected = measured(c, x, wrt, results);

  const Types vectors = strong(chosen(in, wrt)), covectors = strong(chosen(out, results));
  const Closed forward = record(joined(types_of(x), vectors), [&](const Arrays& a) {
    const Dual d = jvp_flat(run, part(a, 0, x.size()), spread(rest(a, x.size()), wrt));
    return chosen(filled(d.tangent, d.out), results);
  });
  compare(places(detail::reached_by(forward, vectors.size(), 5)), expected, "forward", f);
  if (exempt(transposes_pair, c)) return;
  const Closed reverse = record(joined(types_of(x), covectors), [&](const Arrays& a) {
    const Linearized l = linearize_flat(run, part(a, 0, x.size()), wrt);
    return chosen(l.linear.transpose(spread(rest(a, x.size()), results)), wrt);
  });
  compare(places(detail::reached_by(reverse, covectors.size(), 5).transposed()), expected,
          "reverse", f);
}

}  // namespace weft::laws
