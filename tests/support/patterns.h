// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/support/patterns.h: compares the sparsity patterns that sparse Jacobians use with the
// derivative at a point. An element that is not zero there must be in the pattern.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "autodiff/autodiff.h"
#include "ops/kit/lists.h"
#include "tracer/concrete.h"
#include "tracer/types_of.h"
#include "transforms/sparsity.h"

namespace weft::test {

// Pairs (element of the arguments, element of the results). The elements of all arguments that have
// derivatives are numbered consecutively, and so are those of all results that have derivatives.
using Places = std::set<std::pair<int64_t, int64_t>>;
using FlatTestFunction = FunctionRef<Arrays(const Arrays&)>;

inline std::vector<bool> inexact_among(const Types& types) {
  return map_list([](const Type& t) { return is_inexact(t.dtype()); }, types);
}
// Returns the places where the derivative at x is not zero. It computes one column for each element
// of the arguments.
inline Places places_at(FlatTestFunction f, const Arrays& x, const std::vector<bool>& results) {
  Places found;
  int64_t seed = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    if (!is_inexact(x[i].dtype())) continue;
    const Type t = x[i].type().strong();
    for (int64_t e = 0; e < t.elements(); ++e, ++seed) {
      const Fresh unit = fresh_array(Type(F64, {t.elements()}));
      std::fill_n(static_cast<double*>(unit.data), t.elements(), 0.);
      static_cast<double*>(unit.data)[e] = 1;
      Arrays dx(x.size());
      dx[i] = base::convert(base::reshape(unit.array, t.shape()), t.dtype());
      int64_t at = 0;
      for (const Array& dy : filter_list(written_tangents(jvp_flat(f, x, dx)), results)) {
        std::vector<complex128_t> v(static_cast<size_t>(dy.size()));
        detail::convert_elements(dy, v.data(), C128);
        for (size_t k = 0; k < v.size(); ++k)
          if (v[k].re > 0 || v[k].re < 0 || v[k].im > 0 || v[k].im < 0)
            found.emplace(seed, at + static_cast<int64_t>(k));
        at += dy.size();
      }
    }
  }
  return found;
}

inline std::string not_covered(const Places& expected, const detail::Pattern& p, const char* mode) {
  for (const auto& [seed, element] : expected) {
    const std::vector<int32_t>& row = p.rows[static_cast<size_t>(seed)];
    if (!std::binary_search(row.begin(), row.end(), static_cast<int32_t>(element)))
      return fmt::format("{}: element {} of the results depends on element {} of the arguments",
                         mode, element, seed);
  }
  return {};
}

// Names an element that the derivative at x has and the forward-mode pattern of f does not, or
// returns "".
inline std::string forward_pattern_lacks(FlatTestFunction f, const Arrays& x, const Types& out) {
  const std::vector<bool> wrt = inexact_among(types_of(x)), results = inexact_among(out);
  const Types vectors = strong(filter_list(types_of(x), wrt));
  const ClosedJaxpr c = record(concat_lists(types_of(x), vectors), [&](const Arrays& a) {
    const Dual d = jvp_flat(f, sublist(a, 0, x.size()), scatter_list(drop_first(a, x.size()), wrt));
    return filter_list(written_tangents(d), results);
  });
  return not_covered(places_at(f, x, results), detail::reached_by(c, vectors.size(), 5), "forward");
}
// The same in reverse mode.
inline std::string reverse_pattern_lacks(FlatTestFunction f, const Arrays& x, const Types& out) {
  const std::vector<bool> wrt = inexact_among(types_of(x)), results = inexact_among(out);
  const Types covectors = strong(filter_list(out, results));
  const ClosedJaxpr c = record(concat_lists(types_of(x), covectors), [&](const Arrays& a) {
    const Linearized l = linearize_flat(f, sublist(a, 0, x.size()), wrt);
    const Arrays ct =
        filter_list(l.linear.transpose(scatter_list(drop_first(a, x.size()), results)), wrt);
    return map_list([](const Array& v, const Type& t) { return instantiate(v, t); }, ct,
                    filter_list(types_of(x), wrt));
  });
  return not_covered(places_at(f, x, results),
                     detail::reached_by(c, covectors.size(), 5).transposed(), "reverse");
}

}  // namespace weft::test
