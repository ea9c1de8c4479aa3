// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/run/graphs.h: the CUDA graphs of a program, by the memory that it is called with
// (docs/decisions/0033).
#pragma once
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "runtime/cuda/device.h"
#include "weft/detail/ref.h"

namespace weft::compiler {

// All addresses of one call.
struct CallMemory {
  std::span<const void* const> in;
  std::span<void* const> out;
  const void* workspace;  // for temporaries
};

// A graph is made when the same addresses occur for the second time. Calls in a loop alternate
// between the memory of their results, so several graphs are kept. Thread-safe.
class Graphs {
 public:
  static constexpr size_t max_graphs = 4;  // graphs that are kept
  static constexpr int max_misses = 256;   // calls in a row with new addresses before it stops
  // Launches that allow one more graph, after the first `max_graphs`.
  static constexpr int64_t launches_per_extra_graph = 16;

  // Launches the graph of these addresses. Returns false if no graph exists; the caller then makes
  // the launches itself, which are those of `launches`.
  bool launch(cuda::Device& d, const CallMemory& m,
              FunctionRef<void(cuda::Launcher&)> launches) const;
  // Returns why no more graphs are made; "" if they are.
  std::string failure_reason() const;

 private:
  using Key = std::vector<const void*>;
  struct Entry {
    Key key;
    std::shared_ptr<const cuda::Graph> graph;
    uint64_t used = 0;
  };
  std::shared_ptr<const cuda::Graph> find(const CallMemory& m) const;
  // Returns true if a graph should be made in this call.
  bool is_due(const CallMemory& m) const;
  void insert(Entry k) const;

  mutable std::mutex guard_;  // guards the members below
  mutable std::vector<Entry> entries_;
  mutable std::vector<Key> seen_;  // twice as many as are kept
  mutable size_t next_seen_ = 0;
  mutable uint64_t clock_ = 0;
  mutable int misses_ = 0;
  mutable int64_t made_ = 0, launched_ = 0;
  mutable bool making_ = false;
  mutable std::string failure_reason_;
};

}  // namespace weft::compiler
