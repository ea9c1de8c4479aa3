// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/cuda/blocks.h: the memory blocks that a device has allocated, and which of them lack
// their values because a launch was stopped.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "runtime/cuda/driver.h"

namespace weft::cuda {

// Each block has a unique number: a later block at the same address gets another. Not thread-safe.
class MemoryBlocks {
 public:
  void add(Address a, size_t bytes) { blocks_[a] = {bytes, ++last_, {}}; }
  void remove(Address a);
  // The number of the block that contains an address; 0 for foreign memory.
  uint64_t number_at(Address a) const;
  // Marks the blocks with these numbers that still exist as lacking their values, and says why.
  void invalidate(const std::set<uint64_t>& numbers, const std::string& why);
  bool any_invalid() const { return invalid_count_ > 0; }
  // The reason why the block that contains an address is invalid; "" if it is not invalid.
  std::string invalid_reason(Address a) const;

 private:
  struct Block {
    size_t bytes = 0;
    uint64_t number = 0;
    std::string invalid;
  };
  const Block* at(Address a) const;
  std::map<Address, Block> blocks_;
  uint64_t last_ = 0;
  int64_t invalid_count_ = 0;  // blocks
};

}  // namespace weft::cuda
