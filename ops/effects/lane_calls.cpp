// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/effects/lane_calls.cpp: lanes of ops that act on the host.
#include "ops/effects/lane_calls.h"

#include <fmt/format.h>

namespace weft {

Types lane_types(const char* op, const Types& in, const Ints& lanes, const Ints& lane_ids,
                 const Ints& lane_axes, bool masked) {
  const size_t n = in.size() - (masked && !in.empty() ? 1 : 0);
  require_lanes(op, lanes, lane_ids, lane_axes, n, in);
  if (masked && (in.empty() || in.back() != Type(Bool, Shape(lanes))))
    reject_dtype(op, "the mask of the active lanes must be a bool of the shape of the lanes", in);
  Types out;
  for (size_t i = 0; i < n; ++i) {
    const int64_t mine = lane_axes.empty() ? 0 : lane_axes[i];
    Ints own = in[i].shape().sizes();
    for (size_t l = 0; l < lanes.size(); ++l) {
      if (!(mine >> l & 1)) continue;
      if (own.empty() || own[0] != lanes[l])
        reject_shape(op, fmt::format("operand {} does not have the lanes of lane_axes", i), in);
      own.erase(own.begin());
    }
    out.push_back(in[i].with_shape(Shape(own)));
  }
  return out;
}

Types with_lanes(const Types& out, const Ints& lanes) {
  Types r;
  for (const Type& t : out)
    r.push_back(t.with_shape(Shape(concat_lists(lanes, t.shape().sizes()))));
  return r;
}

LaneBatch add_lane(const Arrays& x, const MaybeAxes& axis, LaneBatch b, int64_t size,
                   const BatchTrace& trace) {
  const size_t n = x.size() - (b.masked ? 1 : 0);
  b.lane_axes = all_lanes(b.lane_axes, n);
  Ints old_ids = b.lane_ids;
  for (int64_t& id : old_ids) ++id;
  LaneMask mask;
  if (b.masked) {
    mask.active = axis[n] ? move_mapped(x[n], axis[n], 0, size) : x[n];
    mask.ids = axis[n] ? concat_lists({0}, old_ids) : old_ids;
  }
  b.lanes.insert(b.lanes.begin(), size);
  b.lane_ids = concat_lists({0}, old_ids);
  for (size_t i = 0; i < n; ++i) {
    b.x.push_back(axis[i] ? move_mapped(x[i], axis[i], 0, size) : x[i]);
    b.lane_axes[i] = b.lane_axes[i] << 1 | (axis[i] ? 1 : 0);
  }
  // The mask of the enclosing body is used if it contains one of these lanes.
  const auto concerns = [&](int64_t id) {
    return std::find(b.lane_ids.begin(), b.lane_ids.end(), id) != b.lane_ids.end();
  };
  if (std::any_of(trace.mask.ids.begin(), trace.mask.ids.end(), concerns))
    mask = both_masks(mask, trace.mask);
  b.masked = !mask.active.empty_handle();
  if (b.masked) b.x.push_back(align_mask(mask, b.lane_ids, b.lanes));
  return b;
}

std::vector<std::vector<int>> lane_axis_map(const Types& in, const Types& out, const Ints& lanes,
                                            const Ints& lane_axes, bool masked) {
  std::vector<std::vector<int>> map;
  if (out.empty()) return map;
  const size_t n = in.size() - (masked ? 1 : 0);
  for (size_t i = 0; i < in.size(); ++i) {
    const int64_t mine = i == n ? full_set(lanes) : lane_axes.empty() ? 0 : lane_axes[i];
    std::vector<int> axes;
    for (size_t l = 0; l < lanes.size(); ++l)
      if (mine >> l & 1) axes.push_back(static_cast<int>(l));
    axes.resize(in[i].ndim(), -1);
    map.push_back(std::move(axes));
  }
  return map;
}

LaneWalk::LaneWalk(const Types& in, const Types& out, const Ints& lanes, const Ints& lane_axes,
                   bool masked, const NativeArgs& a)
    : lanes_(lanes), masked_(masked) {
  for (int64_t n : lanes) all_ *= n;
  const size_t n = in.size() - (masked ? 1 : 0);
  for (size_t i = 0; i < n; ++i) {
    in_.push_back(a.in_bytes[i].data());
    std::vector<int64_t> step(lanes.size(), 0);
    int64_t bytes = in[i].bytes();
    for (size_t l = 0; l < lanes.size(); ++l) {
      if (lane_axes.empty() || !(lane_axes[i] >> l & 1)) continue;
      bytes = lanes[l] ? bytes / lanes[l] : 0;
      step[l] = bytes;
    }
    step_.push_back(std::move(step));
  }
  if (masked) active_ = a.in<bool>(n, all_);
  for (size_t k = 0; k < out.size(); ++k) {
    out_.push_back(a.out_bytes[k].data());
    out_step_.push_back(all_ ? out[k].bytes() / all_ : 0);
  }
}

void LaneWalk::for_each(Visit f) {
  std::vector<int64_t> path(lanes_.size(), 0);
  std::vector<const void*> in = in_;
  std::vector<void*> out = out_;
  for (int64_t lane = 0; lane < all_; ++lane) {
    for (size_t i = 0; i < in.size(); ++i) {
      int64_t offset = 0;
      for (size_t l = 0; l < path.size(); ++l) offset += path[l] * step_[i][l];
      in[i] = static_cast<const std::byte*>(in_[i]) + offset;
    }
    for (size_t k = 0; k < out.size(); ++k)
      out[k] = static_cast<std::byte*>(out_[k]) + lane * out_step_[k];
    if (!masked_ || active_[lane])
      f(path, in, out);
    else
      for (size_t k = 0; k < out.size(); ++k)
        if (out_step_[k]) std::memset(out[k], 0, out_step_[k]);
    for (size_t l = path.size(); l-- > 0;) {
      if (++path[l] < lanes_[l]) break;
      path[l] = 0;
    }
  }
}

}  // namespace weft
