// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/laws/implementation_law.cpp: the law of implementations: each computes the reference
// results.
#include <algorithm>
#include <cmath>

#include "batching/batch_trace.h"
#include "jit/forced.h"
#include "laws.h"
#include "tracer/eval_trace.h"
#include "tracer/record_trace.h"
#include "weft/device.h"

namespace weft::laws {
namespace {

// Returns the rounding error of a number as large as the largest of x.
double rounding_of(const Array& x) {
  double largest = 0;
  for (double v : numbers(x))
    if (std::isfinite(v)) largest = std::max(largest, std::fabs(v));
  switch (x.dtype()) {
    case F64:
    case C128: return largest * 0x1p-53;
    case F16: return largest * 0x1p-11;
    case BF16: return largest * 0x1p-8;
    default: return largest * 0x1p-24;
  }
}

std::string too_far(const Array& a, const Array& b, double tolerance) {
  if (tolerance == 0 || a.shape() != b.shape() || a.dtype() != b.dtype() || !is_inexact(a.dtype()))
    return difference(a, b);
  const std::vector<double> x = numbers(a), y = numbers(b);
  const double most = tolerance * rounding_of(b);
  for (size_t i = 0; i < x.size(); ++i)
    if (!(std::fabs(x[i] - y[i]) <= most) && x[i] != y[i] &&
        !(std::isnan(x[i]) && std::isnan(y[i])))
      return fmt::format("element {}: {:.17g} against {:.17g}", i, x[i], y[i]);
  return {};
}

}  // namespace

bool applies(const Case& c, const AnyImplementation& i, const Target& target) {
  return is_usable(
      i, {c.sample.in, c.op->type(c.sample.in, c.sample.params), c.sample.params, target});
}

namespace {
// Returns true if it applies to the op in each equation of the program, which may be that of a map.
bool applies(const Op& op, const Jaxpr& j, const AnyImplementation& i, const Target& target) {
  return std::all_of(j->eqns.begin(), j->eqns.end(), [&](const Eqn& e) {
    if (e.op != &op) return true;
    Types in;
    for (Atom a : e.in) in.push_back(j->type(a));
    return is_usable(i, {in, op.type(in, e.params), e.params, target});
  });
}
// Compares the program on x for each implementation that applies to it.
void compare(const Case& c, const Jaxpr& j, const Arrays& x, const std::string& what, Failures& f) {
  Arrays expected;
  {
    const ReferenceMode reference;
    expected = eval_jaxpr(j, x);
  }
  for (const AnyImplementation& i : c.op->implementations()) {
    auto* const there = detail::default_elsewhere();
    if (!applies(*c.op, j, i,
                 {.gpu = there != nullptr, .libraries = dynamic_cast<Libraries*>(there)}))
      continue;
    f.checked();
    const compiler::Forced forced{{"", "this law"}, {{{c.op->name(), i.name}}, "this law"}};
    const compiler::ForcedScope scope(forced);
    const Arrays out = run_compiled(j, x);
    for (size_t k = 0; k < out.size(); ++k)
      f.expect(too_far(out[k], expected[k], c.op->tolerance()),
               fmt::format("{}'{}', result {}", what, i.name, k));
  }
}
}  // namespace

void implementations_agree(const Case& c, Failures& f) {
  if (c.op->implementations().empty()) return;
  Random r = c.random(10);
  compare(c, record(c.in(), [&](const Arrays& x) { return c.run(x); }).jaxpr, c.draw(r), "", f);
  if (!c.maps()) return;
  const int64_t lanes = 5;
  const MaybeAxes axes(c.in().size(), 0);
  const Jaxpr mapped =
      record(c.in(axes, lanes), [&](const Arrays& x) {
        return vmap_flat([&](const Arrays& row) { return c.run(row); }, x, axes, lanes).out;
      }).jaxpr;
  compare(c, mapped, c.draw(axes, lanes, r), "mapped, ", f);
}

}  // namespace weft::laws
