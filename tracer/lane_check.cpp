// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/lane_check.cpp: the installed check of lanes.
#include "tracer/lane_check.h"

#include "runtime/backend.h"

namespace weft {
namespace {
KeepsInLanesFn& installed() {
  static KeepsInLanesFn f = nullptr;
  return f;
}
}  // namespace

bool keeps_in_lanes(const Jaxpr& map, int64_t lanes) {
  return backend() && installed() && installed()(map, lanes);
}
void install_lane_check(KeepsInLanesFn f) { installed() = f; }

}  // namespace weft
