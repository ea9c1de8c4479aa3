// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/cuda/launches.h: which launches are under way, so that one that fails can be named, and
// that what one which was stopped should have written is known.
#pragma once
#include <cstdint>
#include <deque>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "weft/core/error.h"

namespace weft::cuda {

// Launches are numbered; after each the device writes its number to a word of the host. The first
// that is above the word when the device fails is the one that failed. Blocks of memory are the
// numbers of runtime/cuda/blocks.h. Not thread-safe.
class Launches {
 public:
  // The word that the device writes, and that which tells kernels to stop.
  void watch(const uint32_t* ended, const int32_t* stop) {
    word_ = ended;
    stop_ = stop;
  }
  uint32_t last() const { return last_; }
  void add(const char* what, Location at, std::vector<uint64_t> written) {
    drop_ended();
    under_way_.push_back({++last_, what, at, std::move(written)});
  }
  // After the last launch, from one block to another.
  void add_copy(uint64_t to, uint64_t from) {
    drop_ended();
    if (!under_way_.empty()) under_way_.push_back({last_, nullptr, {}, {to}, from});
  }
  // All up to this one have ended, whatever the word says.
  void ended(uint32_t number) {
    if (static_cast<int32_t>(number - ended_) > 0) ended_ = number;
    drop_ended();
  }
  bool has_ended(uint32_t number) {
    drop_ended();
    return static_cast<int32_t>(ended_ - number) >= 0;
  }
  // Those that have ended while nothing was to stop are right, and forgotten.
  void drop_ended();
  // "kernel 'exp' (at model.cpp:12)" for the first that has not; "" if all have.
  std::string failed();
  // The blocks that all which are not known to be right have written, or copies from them.
  std::set<uint64_t> doubtful() const;

 private:
  struct Launch {
    uint32_t number;
    const char* what;  // null: a copy
    Location at;
    std::vector<uint64_t> written;
    uint64_t from = 0;  // of a copy
  };
  const uint32_t* word_ = nullptr;
  const int32_t* stop_ = nullptr;
  uint32_t last_ = 0, ended_ = 0;  // they wrap around
  std::deque<Launch> under_way_;
};

}  // namespace weft::cuda
