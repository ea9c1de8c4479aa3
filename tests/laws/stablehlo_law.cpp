// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/laws/stablehlo_law.cpp: the law that a program computes the same after it was written as
// StableHLO and parsed.
#include "laws.h"
#include "measure.h"
#include "ops/random/random.h"
#include "tracer/eval_trace.h"
#include "tracer/record_trace.h"
#include "weft/stablehlo.h"

namespace weft::laws {
namespace {

// Converts the values to the types that @main takes and returns.
Arrays with_words(Arrays x) {
  for (Array& a : x)
    if (is_key(a.dtype())) a = random_unwrap(a);
  return x;
}
// The body of cumlogsumexp adds logarithms in pairs in its own order. Other ops are written as
// their expansions, and eig normalizes its vectors once more.
bool rounds_otherwise(const Case& c) {
  const bool is_program = !c.op->has(Op::Slot::lower) && c.op->has(Op::Slot::expand);
  return c.op->name() == "cumlogsumexp" || c.op->name() == "eig" || is_program;
}

// Returns the largest difference, relative to the magnitude of the number or to 1 if that is
// larger.
double error_of(const Arrays& a, const Arrays& b) {
  double worst = 0;
  for (size_t k = 0; k < a.size(); ++k) {
    const auto x = numbers(a[k]), y = numbers(b[k]);
    for (size_t i = 0; i < x.size(); ++i) {
      if (x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i]))) continue;
      const double d = std::abs(x[i] - y[i]) / std::max(1.0, std::abs(y[i]));
      worst = std::max(worst, std::isnan(d) ? std::numeric_limits<double>::infinity() : d);
    }
  }
  return worst;
}
double coarse(const Arrays& out) {
  double eps = 0;
  for (const Array& a : out) {
    const DType d = is_complex(a.dtype()) ? real_part(a.dtype()) : a.dtype();
    eps = std::max(eps, d == BF16 ? 0x1p-7 : d == F16 ? 0x1p-10 : d == F32 ? 0x1p-22 : 0x1p-50);
  }
  return eps;
}

void compare(const Case& c, const std::string& text, bool exactly, Failures& f) {
  const ClosedJaxpr p = parse_stablehlo(text);
  for (bool special : {false, true}) {
    // If the order of the arithmetic may differ, only finite numbers are compared.
    if (special && !exactly) continue;
    f.checked();
    Random r = c.random(special);
    const ReferenceMode reference;
    const Arrays x = c.draw(r, special);
    const Arrays expected = with_words(c.run(x)), got = eval_jaxpr(p, with_words(x));
    if (exactly)
      f.expect(all_differences(got, expected), "read back from\n" + text);
    else
      f.check(error_of(got, expected) <= coarse(expected) * std::max(1., c.op->tolerance()),
              fmt::format("off by {} when read back from\n{}", error_of(got, expected), text));
  }
}

}  // namespace

void stablehlo_is_read_back(const Case& c, Failures& f) {
  const Jaxpr j = record(c.in(), [&](const Arrays& x) { return c.run(x); }).jaxpr;
  std::string text = to_stablehlo({j, {}});
  compare(c, text, !rounds_otherwise(c), f);
  // A reader that does not know Weft's ops uses their decompositions.
  const std::string ours = "name = \"weft.";
  const size_t at = text.find(ours);
  if (at == std::string::npos) return;
  text.replace(at, ours.size(), "name = \"other.");
  compare(c, text, false, f);
}

}  // namespace weft::laws
