// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// batching/saved_trace.h: a stored map, for rules that run after the map has ended. Its options are
// stored here; its mask and first lane are operands of the op that has the rule.
#pragma once
#include "batching/batch_trace.h"

namespace weft {

class SavedBatchTrace {
 public:
  explicit SavedBatchTrace(const BatchTrace& trace);
  // The leading operands of the op: the active lanes and the number of the first lane, if the map
  // has them.
  static Arrays operands(const BatchTrace& trace);
  size_t num_operands() const { return (masked_ ? 1U : 0U) + (chunked_ ? 1U : 0U); }
  int64_t size() const { return size_; }
  // The active lanes, from those operands.
  LaneMask mask(const Arrays& own) const;
  // Maps f over axis `in[i]` of x[i] like the stored map. `own` begins with those operands and may
  // be longer.
  Batched run(FunctionRef<Arrays(const Arrays&)> f, const Arrays& own, const Arrays& x,
              const MaybeAxes& in) const;

 private:
  MapOptions options_;
  int64_t size_;
  bool in_body_, masked_, chunked_;
  Ints mask_ids_;
};

}  // namespace weft
