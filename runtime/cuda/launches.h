// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/cuda/launches.h: tracks which launches are under way. It names a launch that failed, and
// finds the memory that stopped launches should have written.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "core/ir.h"
#include "weft/error.h"

namespace weft::cuda {

// A first-in, first-out queue that keeps its memory.
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
  std::vector<T> items_;  // the size is a power of two
  size_t first_ = 0, size_ = 0;
};

// Launches are numbered, and after each launch the device writes its number to a word in host
// memory. When the device fails, the failed launch is the first whose number is above that word.
// Memory blocks are identified by the numbers of runtime/cuda/blocks.h. Not thread-safe.
class LaunchTracker {
 public:
  // The word that the device writes, and the stop word that kernels read.
  void watch(const uint32_t* ended, const int32_t* stop) {
    word_ = ended;
    stop_ = stop;
  }
  uint32_t last() const { return last_; }
  uint32_t last_ended() const { return ended_; }
  // Adds a kernel launch, or, if `graph`, the launch of a graph with these kernels.
  void add(const char* what, bool graph, Location at) {
    drop_ended();
    in_flight_.push_back({++last_, 0, what, graph, at, 0});
  }
  // Adds a block that the last added launch writes.
  void add_written(uint64_t block) {
    written_.push_back(block);
    ++in_flight_[in_flight_.size() - 1].written;
  }
  // Adds a copy from one block to another after the last launch.
  void add_copy(uint64_t to, uint64_t from) {
    drop_ended();
    if (in_flight_.empty()) return;
    in_flight_.push_back({last_, 0, nullptr, false, {}, from});
    add_written(to);
  }
  // Marks all launches up to this one as ended, even if the word does not show it.
  void ended(uint32_t number) {
    if (static_cast<int32_t>(number - ended_) > 0) ended_ = number;
    drop_ended();
  }
  bool has_ended(uint32_t number) {
    drop_ended();
    return static_cast<int32_t>(ended_ - number) >= 0;
  }
  // Removes launches that ended while the stop word was not set: their results are valid.
  void drop_ended();
  // "kernel 'exp' (at model.cpp:12)" for the first launch that has not ended; "" if all have.
  std::string failed();
  // The blocks written by launches whose results may be invalid, and copies of such blocks.
  std::set<uint64_t> possibly_invalid() const;

 private:
  struct Launch {
    uint32_t number = 0;
    uint32_t written = 0;        // how many entries of written_, in order
    const char* what = nullptr;  // null: a copy
    bool graph = false;
    Location at;
    uint64_t from = 0;  // source block of a copy
  };
  const uint32_t* word_ = nullptr;
  const int32_t* stop_ = nullptr;
  uint32_t last_ = 0, ended_ = 0;  // both wrap around
  Ring<Launch> in_flight_;
  Ring<uint64_t> written_;
};

}  // namespace weft::cuda
