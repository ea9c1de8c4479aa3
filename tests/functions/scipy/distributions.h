// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/scipy/distributions.h: entries of tables of the functions of distributions, by
// family: WEFT_TAILS(norm) lists norm.pdf and five others.
#pragma once
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "support/golden_lines.h"
#include "weft/weft.h"

namespace weft::testing {

using Called = std::function<Array(const Arrays&)>;
using Golden = std::map<std::string, testing::GoldenLine>;

// Lets a function of several arrays take a list.
template <class... A, size_t... I>
Called called(Array (*f)(A...), std::index_sequence<I...>) {
  return [f](const Arrays& x) { return f(x[I]...); };
}
template <class... A>
Called called(Array (*f)(A...)) {
  return called(f, std::index_sequence_for<A...>());
}

#define WEFT_ENTRY(family, name) {#family "." #name, called(scipy::stats::family::name)}
#define WEFT_DENSITY(family) WEFT_ENTRY(family, logpdf), WEFT_ENTRY(family, pdf)
#define WEFT_CDF(family) WEFT_DENSITY(family), WEFT_ENTRY(family, cdf)
#define WEFT_SF(family) WEFT_CDF(family), WEFT_ENTRY(family, sf)
#define WEFT_TAILS(family) WEFT_SF(family), WEFT_ENTRY(family, logcdf), WEFT_ENTRY(family, logsf)
#define WEFT_MASS(family) WEFT_ENTRY(family, logpmf), WEFT_ENTRY(family, pmf)

}  // namespace weft::testing
