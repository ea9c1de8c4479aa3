// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/cuda/launches.h: which launches are under way, so that one that fails can be named, and
// that what one which was stopped should have written is known.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "weft/core/error.h"
#include "weft/core/ir.h"

namespace weft::cuda {

// First in, first out, in memory that is kept.
template <class T>
class Ring {
 public:
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](size_t i) { return items_[(first_ + i) & (items_.size() - 1)]; }
  const T& operator[](size_t i) const { return items_[(first_ + i) & (items_.size() - 1)]; }
  void push_back(const T& x) {
    if (size_ == items_.size()) grow();
    (*this)[size_++] = x;
  }
  void drop_front(size_t n) {
    first_ += n;
    size_ -= n;
  }

 private:
  void grow() {
    std::vector<T> more(std::max<size_t>(16, 2 * size_));
    for (size_t i = 0; i < size_; ++i) more[i] = (*this)[i];
    items_.swap(more);
    first_ = 0;
  }
  std::vector<T> items_;  // a power of two
  size_t first_ = 0, size_ = 0;
};

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
  uint32_t last_ended() const { return ended_; }
  // A kernel, or if `graph` the kernels of one.
  void add(const char* what, bool graph, Location at) {
    drop_ended();
    under_way_.push_back({++last_, 0, what, graph, at, 0});
  }
  // By the one that was added last.
  void add_written(uint64_t block) {
    written_.push_back(block);
    ++under_way_[under_way_.size() - 1].written;
  }
  // After the last launch, from one block to another.
  void add_copy(uint64_t to, uint64_t from) {
    drop_ended();
    if (under_way_.empty()) return;
    under_way_.push_back({last_, 0, nullptr, false, {}, from});
    add_written(to);
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
    uint32_t number = 0;
    uint32_t written = 0;        // how many of written_, in their order
    const char* what = nullptr;  // null: a copy
    bool graph = false;
    Location at;
    uint64_t from = 0;  // of a copy
  };
  const uint32_t* word_ = nullptr;
  const int32_t* stop_ = nullptr;
  uint32_t last_ = 0, ended_ = 0;  // they wrap around
  Ring<Launch> under_way_;
  Ring<uint64_t> written_;
};

}  // namespace weft::cuda
