// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/laws/pattern_law.cpp: the law of the sparsity patterns that sparse Jacobians use.
#include "measure.h"
#include "support/patterns.h"
#include "tracer/eval_trace.h"

namespace weft::laws {

void patterns_cover(const Case& c, Failures& f) {
  const ReferenceMode reference;
  Measure m;
  if (!measurable(c, &m) || exempt(tangents_are_slopes, c) ||
      c.op->effects(c.sample.params) != Effect::none)
    return;
  // The law takes one derivative for each element.
  if (elements_of(c.in()) * elements_of(c.out()) > 20'000) return;
  Random r = c.random(15);
  const Arrays x = c.draw(r);
  const auto run = [&](const Arrays& a) { return c.run(a); };
  f.checked();
  f.expect(test::forward_pattern_lacks(run, x, c.out()));
  if (exempt(transposes_pair, c)) return;
  f.checked();
  f.expect(test::reverse_pattern_lacks(run, x, c.out()));
}

}  // namespace weft::laws
