// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/cuda/blocks.cpp: finds blocks by their addresses.
#include "runtime/cuda/blocks.h"

#include <iterator>

namespace weft::cuda {

const MemoryBlocks::Block* MemoryBlocks::at(Address a) const {
  const auto after = blocks_.upper_bound(a);
  if (after == blocks_.begin()) return nullptr;
  const auto& [begin, block] = *std::prev(after);
  return a - begin < block.bytes ? &block : nullptr;
}

void MemoryBlocks::remove(Address a) {
  const auto it = blocks_.find(a);
  if (it == blocks_.end()) return;
  invalid_count_ -= !it->second.invalid.empty();
  blocks_.erase(it);
}

uint64_t MemoryBlocks::number_at(Address a) const {
  const Block* const b = at(a);
  return b ? b->number : 0;
}

void MemoryBlocks::invalidate(const std::set<uint64_t>& numbers, const std::string& why) {
  for (auto& [begin, block] : blocks_) {
    if (!block.invalid.empty() || !numbers.contains(block.number)) continue;
    block.invalid = why;
    ++invalid_count_;
  }
}

std::string MemoryBlocks::invalid_reason(Address a) const {
  if (!any_invalid()) return {};
  const Block* const b = at(a);
  return b ? b->invalid : std::string();
}

}  // namespace weft::cuda
