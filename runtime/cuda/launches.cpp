// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/cuda/launches.cpp: what the device says of its launches.
#include "weft/runtime/cuda/launches.h"

#include <fmt/format.h>

namespace weft::cuda {

void Launches::drop_ended() {
  const uint32_t word = word_ ? __atomic_load_n(word_, __ATOMIC_ACQUIRE) : 0;
  if (static_cast<int32_t>(word - ended_) > 0) ended_ = word;
  while (!under_way_.empty() && static_cast<int32_t>(under_way_.front().number - ended_) <= 0)
    under_way_.pop_front();
}

std::string Launches::failed() {
  drop_ended();
  if (under_way_.empty()) return {};
  const Launch& l = under_way_.front();
  const std::string place = l.at ? fmt::format(" (at {})", to_string(l.at)) : "";
  return fmt::format("kernel '{}'{}", l.what, place);
}

}  // namespace weft::cuda
