// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/control/custom_rule_kit.cpp: checks and batching of the programs of ops with their own
// derivative rules.
#include "ops/control/custom_rule_kit.h"

#include <fmt/format.h>

namespace weft {

void require_results(const char* op, const char* program, const Types& out, const Types& want,
                     const Types& in) {
  if (strong(out) != strong(want))
    reject_shape(
        op, fmt::format("{} returns ({}) and not ({})", program, to_string(out), to_string(want)),
        in);
}

TracedBody batched_in_front(const Jaxpr& j, size_t at, const Types& types, const MaybeAxes& in,
                            const BatchTrace& trace, const std::vector<bool>& ask, size_t skipped) {
  return trace_body(types, at, [&](const Arrays& a) {
    const Arrays taken = concat_lists(sublist(a, 0, at), drop_first(a, at + skipped));
    Batched r = batch_eval(j, taken, in, trace, trace.mask);
    Arrays out;
    for (size_t k = 0; k < r.out.size(); ++k)
      out.push_back(k >= ask.size() || ask[k] ? move_mapped(r.out[k], r.axis[k], 0, trace.size)
                                              : r.out[k]);
    return out;
  });
}

}  // namespace weft
