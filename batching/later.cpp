// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// batching/later.cpp: runs a function under a stored map.
#include "weft/batching/later.h"

namespace weft {

KeptMap::KeptMap(const BatchLevel& level)
    : options_(level),
      size_(level.size),
      in_body_(level.in_body),
      masked_(!level.mask.active.empty_handle()),
      chunked_(!level.first_lane.empty_handle()),
      mask_ids_(level.mask.ids) {}

Arrays KeptMap::operands(const BatchLevel& level) {
  Arrays r;
  for (const Array& a : {level.mask.active, level.first_lane})
    if (!a.empty_handle()) r.push_back(a);
  return r;
}

LaneMask KeptMap::mask(const Arrays& own) const { return {masked_ ? own[0] : Array(), mask_ids_}; }

Batched KeptMap::run(FunctionRef<Arrays(const Arrays&)> f, const Arrays& own, const Arrays& x,
                     const MaybeAxes& in) const {
  Level<BatchLevel> level(size_, options_);
  level->in_body = in_body_;
  level->mask = mask(own);
  if (chunked_) level->first_lane = own[masked_ ? 1 : 0];
  return run_lanes(*level, f, x, in);
}

}  // namespace weft
