// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/cuda/launches.h: which launches are under way, so that one that fails can be named.
#pragma once
#include <cstdint>
#include <deque>
#include <string>

#include "weft/core/error.h"

namespace weft::cuda {

// Launches are numbered; after each the device writes its number to a word of the host. The first
// that is above the word when the device fails is the one that failed. Not thread-safe.
class Launches {
 public:
  // The word that the device writes.
  void watch(const uint32_t* word) { word_ = word; }
  uint32_t last() const { return last_; }
  void add(const char* what, Location at) {
    drop_ended();
    under_way_.push_back({++last_, what, at});
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
  // "kernel 'exp' (at model.cpp:12)" for the first that has not; "" if all have.
  std::string failed();

 private:
  struct Launch {
    uint32_t number;
    const char* what;
    Location at;
  };
  void drop_ended();
  const uint32_t* word_ = nullptr;
  uint32_t last_ = 0, ended_ = 0;  // they wrap around
  std::deque<Launch> under_way_;
};

}  // namespace weft::cuda
