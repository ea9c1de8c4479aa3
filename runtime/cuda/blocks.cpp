// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/cuda/blocks.cpp: finds blocks by their addresses.
#include "runtime/cuda/blocks.h"

#include <iterator>

namespace weft::cuda {

const Blocks::Block* Blocks::at(Address a) const {
  const auto after = blocks_.upper_bound(a);
  if (after == blocks_.begin()) return nullptr;
  const auto& [begin, block] = *std::prev(after);
  return a - begin < block.bytes ? &block : nullptr;
}

void Blocks::remove(Address a) {
  const auto it = blocks_.find(a);
  if (it == blocks_.end()) return;
  spoiled_ -= !it->second.spoiled.empty();
  blocks_.erase(it);
}

uint64_t Blocks::number_at(Address a) const {
  const Block* const b = at(a);
  return b ? b->number : 0;
}

void Blocks::spoil(const std::set<uint64_t>& numbers, const std::string& why) {
  for (auto& [begin, block] : blocks_) {
    if (!block.spoiled.empty() || !numbers.contains(block.number)) continue;
    block.spoiled = why;
    ++spoiled_;
  }
}

std::string Blocks::spoiled_at(Address a) const {
  if (!any_spoiled()) return {};
  const Block* const b = at(a);
  return b ? b->spoiled : std::string();
}

}  // namespace weft::cuda
