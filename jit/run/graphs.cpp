// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/run/graphs.cpp: decides when a program's launches become a graph, and which graph a call
// launches.
#include "jit/run/graphs.h"

#include <algorithm>
#include <utility>

#include "weft/error.h"

namespace weft::compiler {
namespace {

std::vector<const void*> key_of(const CallMemory& m) {
  std::vector<const void*> key(m.in.begin(), m.in.end());
  key.insert(key.end(), m.out.begin(), m.out.end());
  key.push_back(m.workspace);
  return key;
}

bool is_of(const std::vector<const void*>& key, const CallMemory& m) {
  return !key.empty() && key.back() == m.workspace &&
         std::equal(m.in.begin(), m.in.end(), key.begin()) &&
         std::equal(m.out.begin(), m.out.end(),
                    key.begin() + static_cast<std::ptrdiff_t>(m.in.size()));
}

}  // namespace

std::shared_ptr<const cuda::Graph> Graphs::find(const CallMemory& m) const {
  for (Entry& k : entries_) {
    if (!is_of(k.key, m)) continue;
    k.used = ++clock_;
    ++launched_;
    misses_ = 0;
    return k.graph;
  }
  return nullptr;
}

bool Graphs::is_due(const CallMemory& m) const {
  if (making_ || !failure_reason_.empty()) return false;
  const bool again =
      std::any_of(seen_.begin(), seen_.end(), [&](const Key& k) { return is_of(k, m); });
  if (again) {
    misses_ = 0;
    making_ = made_ < static_cast<int64_t>(max_graphs) + launched_ / launches_per_extra_graph;
    return making_;
  }
  if (++misses_ >= max_misses) {
    failure_reason_ = "its memory had other addresses in each of many calls";
    seen_ = {};
    return false;
  }
  seen_.resize(2 * max_graphs);
  seen_[next_seen_++ % seen_.size()] = key_of(m);
  return false;
}

// Replaces the least recently used graph.
void Graphs::insert(Entry k) const {
  ++made_;
  if (entries_.size() < max_graphs) {
    entries_.push_back(std::move(k));
    return;
  }
  std::swap(*std::min_element(entries_.begin(), entries_.end(),
                              [](const Entry& a, const Entry& b) { return a.used < b.used; }),
            k);
}

bool Graphs::launch(cuda::Device& d, const CallMemory& m,
                    FunctionRef<void(cuda::Launcher&)> launches) const {
  std::shared_ptr<const cuda::Graph> graph;
  {
    const std::lock_guard lock(guard_);
    graph = find(m);
    if (!graph && !is_due(m)) return false;
  }
  if (!graph) {
    // Other threads launch one by one in the meantime. A program that cannot become a graph still
    // runs.
    std::string failed;
    try {
      graph = d.make_graph(launches);
    } catch (const DeviceError& e) {
      failed = e.what();
    } catch (const OutOfMemoryError& e) {
      failed = e.what();
    } catch (...) {
      const std::lock_guard lock(guard_);
      making_ = false;
      throw;
    }
    const std::lock_guard lock(guard_);
    making_ = false;
    failure_reason_ = std::move(failed);
    if (!graph) return false;
    insert({key_of(m), graph, ++clock_});
  }
  d.launch(*graph);
  return true;
}

std::string Graphs::failure_reason() const {
  const std::lock_guard lock(guard_);
  return failure_reason_;
}

}  // namespace weft::compiler
