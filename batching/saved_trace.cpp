// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// batching/saved_trace.cpp: runs a function under a stored map.
#include "batching/saved_trace.h"

namespace weft {

SavedBatchTrace::SavedBatchTrace(const BatchTrace& trace)
    : options_(trace),
      size_(trace.size),
      in_body_(trace.in_body),
      masked_(!trace.mask.active.empty_handle()),
      chunked_(!trace.first_lane.empty_handle()),
      mask_ids_(trace.mask.ids) {}

Arrays SavedBatchTrace::operands(const BatchTrace& trace) {
  Arrays r;
  for (const Array& a : {trace.mask.active, trace.first_lane})
    if (!a.empty_handle()) r.push_back(a);
  return r;
}

LaneMask SavedBatchTrace::mask(const Arrays& own) const {
  return {masked_ ? own[0] : Array(), mask_ids_};
}

Batched SavedBatchTrace::run(FunctionRef<Arrays(const Arrays&)> f, const Arrays& own,
                             const Arrays& x, const MaybeAxes& in) const {
  TraceScope<BatchTrace> trace(size_, options_);
  trace->in_body = in_body_;
  trace->mask = mask(own);
  if (chunked_) trace->first_lane = own[masked_ ? 1 : 0];
  return run_lanes(*trace, f, x, in);
}

}  // namespace weft
