// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// batching/later.cpp: running a function under a map that was kept.
#include "weft/batching/later.h"

namespace weft {

KeptMap::KeptMap(const BatchLevel& level)
    : size_(level.size),
      whole_size_(level.whole_size),
      axis_name_(level.axis_name),
      randomness_(level.randomness),
      strict_(level.strict),
      warn_(level.warn),
      in_body_(level.in_body),
      columns_(level.columns),
      masked_(!level.mask.active.empty_handle()),
      chunked_(!level.first_lane.empty_handle()),
      mask_ids_(level.mask.ids) {}

Arrays KeptMap::operands(const BatchLevel& level) {
  Arrays r;
  for (const Array& a : {level.mask.active, level.first_lane})
    if (!a.empty_handle()) r.push_back(a);
  return r;
}

Batched KeptMap::run(FunctionRef<Arrays(const Arrays&)> f, const Arrays& own, const Arrays& x,
                     const MaybeAxes& in) const {
  Level<BatchLevel> level(size_, axis_name_);
  level->strict = strict_;
  level->randomness = randomness_;
  level->warn = warn_;
  level->in_body = in_body_;
  level->whole_size = whole_size_;
  level->columns = columns_;
  level->mask.ids = mask_ids_;
  if (masked_) level->mask.active = own[0];
  if (chunked_) level->first_lane = own[masked_ ? 1 : 0];
  const AxisScope scope(axis_name_, whole_size_);
  Arrays args;
  for (size_t i = 0; i < x.size(); ++i) args.push_back(level->wrap(x[i], in[i]));
  Batched r;
  for (const Array& a : f(args)) {
    auto [value, axis] = level->unwrap(a);
    r.out.push_back(std::move(value));
    r.axis.push_back(axis);
  }
  return r;
}

}  // namespace weft
