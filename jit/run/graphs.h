// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/run/graphs.h: the graphs of a program for a GPU, by the memory that it is called with
// (docs/decisions/0033).
#pragma once
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "weft/core/ref.h"
#include "weft/runtime/cuda/device.h"

namespace weft::compiler {

// All addresses of one call.
struct CallMemory {
  std::span<const void* const> in;
  std::span<void* const> out;
  const void* room;  // for what lives while it runs
};

// A graph is made when the same addresses come for the second time. Calls of a loop alternate
// between the memory of results, so several are kept. Thread-safe.
class Graphs {
 public:
  static constexpr size_t most = 4;          // that are kept
  static constexpr int most_misses = 256;    // calls in a row with addresses that are new
  static constexpr int64_t pays_after = 16;  // launches of graphs, to make another after the first

  // Launches the graph of these addresses. False: the call has none, and makes its launches
  // itself, which are those of `launches`.
  bool launch(cuda::Device& d, const CallMemory& m,
              FunctionRef<void(cuda::Launcher&)> launches) const;
  // Why no more are made; "" if nothing is in the way.
  std::string why_not() const;

 private:
  using Key = std::vector<const void*>;
  struct Kept {
    Key key;
    std::shared_ptr<const cuda::Graph> graph;
    uint64_t used = 0;
  };
  std::shared_ptr<const cuda::Graph> find(const CallMemory& m) const;
  // Whether a graph is to be made now.
  bool is_due(const CallMemory& m) const;
  void keep(Kept k) const;

  mutable std::mutex guard_;  // of what follows
  mutable std::vector<Kept> kept_;
  mutable std::vector<Key> seen_;  // as many as are kept, and twice
  mutable size_t next_seen_ = 0;
  mutable uint64_t clock_ = 0;
  mutable int misses_ = 0;
  mutable int64_t made_ = 0, launched_ = 0;
  mutable bool making_ = false;
  mutable std::string why_not_;
};

}  // namespace weft::compiler
