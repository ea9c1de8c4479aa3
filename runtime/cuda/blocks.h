// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/cuda/blocks.h: the memory that a device has given out, and what of it a stopped launch
// left without its values.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "weft/runtime/cuda/driver.h"

namespace weft::cuda {

// A block has a number of its own, which no later one at its address has. Not thread-safe.
class Blocks {
 public:
  void add(Address a, size_t bytes) { blocks_[a] = {bytes, ++last_, {}}; }
  void remove(Address a);
  // The number of the block that an address lies in; 0 for memory of somebody else.
  uint64_t number_at(Address a) const;
  // What those lack that are still there of these numbers, and why.
  void spoil(const std::set<uint64_t>& numbers, const std::string& why);
  bool any_spoiled() const { return spoiled_ > 0; }
  // Why the block at an address is spoiled; "" if it is not.
  std::string spoiled_at(Address a) const;

 private:
  struct Block {
    size_t bytes = 0;
    uint64_t number = 0;
    std::string spoiled;
  };
  const Block* at(Address a) const;
  std::map<Address, Block> blocks_;
  uint64_t last_ = 0;
  int64_t spoiled_ = 0;  // blocks
};

}  // namespace weft::cuda
