// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/fuse/plan_text.cpp: prints a plan.
#include <fmt/format.h>

#include "core/text/names.h"
#include "core/text/print.h"
#include "jit/fuse/plan.h"

namespace weft::compiler {

std::string to_string(const Plan& plan, const Program& p) {
  constexpr const char* kinds[] = {"kernel", "native", "scatter", "lockstep"};
  std::string out;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const Step& s = plan.steps[i];
    out += fmt::format("step {}: {}", i, kinds[static_cast<int>(s.kind)]);
    if (s.kind != Step::Kind::kernel) {
      out += fmt::format("\n  {}\n", equation_text(*p.j, s.eqn));
      continue;
    }
    const KernelPlan& k = s.kernel;
    out += fmt::format(", grid [{}]{}\n", fmt::join(k.grid, ", "),
                       k.loops        ? ", loop in the lane"
                       : k.rows       ? ", rows"
                       : k.short_rows ? ", short rows"
                                      : "");
    for (size_t e : k.emit) out += fmt::format("  {}\n", equation_text(*p.j, e));
    for (int32_t v : k.stored()) out += fmt::format("  stores {}\n", variable_name(v));
  }
  return out;
}

}  // namespace weft::compiler
