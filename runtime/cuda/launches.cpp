// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/cuda/launches.cpp: what the device says of its launches.
#include "weft/runtime/cuda/launches.h"

#include <fmt/format.h>

#include <algorithm>

namespace weft::cuda {

void Launches::drop_ended() {
  const uint32_t word = word_ ? __atomic_load_n(word_, __ATOMIC_ACQUIRE) : 0;
  if (static_cast<int32_t>(word - ended_) > 0) ended_ = word;
  // Looked at second: what the device says to have ended may have seen it.
  if (stop_ && __atomic_load_n(stop_, __ATOMIC_ACQUIRE)) return;
  while (!under_way_.empty() && static_cast<int32_t>(under_way_.front().number - ended_) <= 0)
    under_way_.pop_front();
}

std::string Launches::failed() {
  drop_ended();
  const auto l = std::find_if(under_way_.begin(), under_way_.end(), [&](const Launch& x) {
    return x.what && static_cast<int32_t>(x.number - ended_) > 0;
  });
  if (l == under_way_.end()) return {};
  const std::string place = l->at ? fmt::format(" (at {})", to_string(l->at)) : "";
  return fmt::format("kernel '{}'{}", l->what, place);
}

std::set<uint64_t> Launches::doubtful() const {
  std::set<uint64_t> blocks;
  for (const Launch& l : under_way_)
    if (l.what || blocks.contains(l.from)) blocks.insert(l.written.begin(), l.written.end());
  return blocks;
}

}  // namespace weft::cuda
