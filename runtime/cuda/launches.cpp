// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/cuda/launches.cpp: tracks which launches have ended.
#include "runtime/cuda/launches.h"

#include <fmt/format.h>

namespace weft::cuda {

void LaunchTracker::drop_ended() {
  const uint32_t word = word_ ? __atomic_load_n(word_, __ATOMIC_ACQUIRE) : 0;
  if (static_cast<int32_t>(word - ended_) > 0) ended_ = word;
  // This must be read second: a launch that has just been reported as ended may have read the stop
  // word.
  if (stop_ && __atomic_load_n(stop_, __ATOMIC_ACQUIRE)) return;
  size_t n = 0, blocks = 0;
  for (; n < in_flight_.size() && static_cast<int32_t>(in_flight_[n].number - ended_) <= 0; ++n)
    blocks += in_flight_[n].written;
  in_flight_.drop_front(n);
  written_.drop_front(blocks);
}

std::string LaunchTracker::failed() {
  drop_ended();
  for (size_t i = 0; i < in_flight_.size(); ++i) {
    const Launch& l = in_flight_[i];
    if (!l.what || static_cast<int32_t>(l.number - ended_) <= 0) continue;
    const std::string place = l.at ? fmt::format(" (at {})", to_string(l.at)) : "";
    return l.graph ? fmt::format("a kernel of a graph, {}{},", l.what, place)
                   : fmt::format("kernel '{}'{}", l.what, place);
  }
  return {};
}

std::set<uint64_t> LaunchTracker::possibly_invalid() const {
  std::set<uint64_t> blocks;
  size_t at = 0;
  for (size_t i = 0; i < in_flight_.size(); at += in_flight_[i++].written)
    for (size_t k = 0; k < in_flight_[i].written; ++k)
      if (in_flight_[i].what || blocks.contains(in_flight_[i].from))
        blocks.insert(written_[at + k]);
  return blocks;
}

}  // namespace weft::cuda
