// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/index/masked_update.h: turns a select between an array and an update of it into an update
// with selected values, so that the array is not copied (docs/decisions/0073).
#pragma once
#include "ops/kit/kit.h"

namespace weft {

// Returns an update that equals this select_n, if one case is an update of the other one, and the
// mask is the same for all updates of an element. Otherwise returns nothing.
Arrays masked_update(const FuseArgs<None>& f);

// A mask, the axes of the array along which it differs, and the value where updates apply.
struct UpdateMask {
  Array mask;
  std::vector<int64_t> axes;
  bool applies;
  // Returns, where updates apply, `updates`, else `otherwise`, both of one shape. The mask's
  // axes are these axes of them, which must ascend.
  Array choose(const std::vector<int64_t>& along, const Array& updates,
               const Array& otherwise) const;
};
// The same for the operands and parameters of a scatter, or of a dynamic_update_slice.
Arrays masked_scatter(const Producer& made, const UpdateMask& mask);
Arrays masked_dynamic_update(const Producer& made, const UpdateMask& mask);

}  // namespace weft
