// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/cuda/launches.cpp: tracks which launches have ended.
#include "runtime/cuda/launches.h"

#include <fmt/format.h>

namespace weft::cuda {

void Launches::drop_ended() {
  const uint32_t word = word_ ? __atomic_load_n(word_, __ATOMIC_ACQUIRE) : 0;
  if (static_cast<int32_t>(word - ended_) > 0) ended_ = word;
  // This must be read second: a launch that has just been reported as ended may have read the stop
  // word.
  if (stop_ && __atomic_load_n(stop_, __ATOMIC_ACQUIRE)) return;
  size_t n = 0, blocks = 0;
  for (; n < under_way_.size() && static_cast<int32_t>(under_way_[n].number - ended_) <= 0; ++n)
    blocks += under_way_[n].written;
  under_way_.drop_front(n);
  written_.drop_front(blocks);
}

std::string Launches::failed() {
  drop_ended();
  for (size_t i = 0; i < under_way_.size(); ++i) {
    const Launch& l = under_way_[i];
    if (!l.what || static_cast<int32_t>(l.number - ended_) <= 0) continue;
    const std::string place = l.at ? fmt::format(" (at {})", to_string(l.at)) : "";
    return l.graph ? fmt::format("a kernel of a graph, {}{},", l.what, place)
                   : fmt::format("kernel '{}'{}", l.what, place);
  }
  return {};
}

std::set<uint64_t> Launches::doubtful() const {
  std::set<uint64_t> blocks;
  size_t at = 0;
  for (size_t i = 0; i < under_way_.size(); at += under_way_[i++].written)
    for (size_t k = 0; k < under_way_[i].written; ++k)
      if (under_way_[i].what || blocks.contains(under_way_[i].from))
        blocks.insert(written_[at + k]);
  return blocks;
}

}  // namespace weft::cuda
