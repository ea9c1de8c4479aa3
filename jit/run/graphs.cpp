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
  key.push_back(m.room);
  return key;
}

bool is_of(const std::vector<const void*>& key, const CallMemory& m) {
  return !key.empty() && key.back() == m.room &&
         std::equal(m.in.begin(), m.in.end(), key.begin()) &&
         std::equal(m.out.begin(), m.out.end(),
                    key.begin() + static_cast<std::ptrdiff_t>(m.in.size()));
}

}  // namespace

std::shared_ptr<const cuda::Graph> Graphs::find(const CallMemory& m) const {
  for (Kept& k : kept_) {
    if (!is_of(k.key, m)) continue;
    k.used = ++clock_;
    ++launched_;
    misses_ = 0;
    return k.graph;
  }
  return nullptr;
}

bool Graphs::is_due(const CallMemory& m) const {
  if (making_ || !why_not_.empty()) return false;
  const bool again =
      std::any_of(seen_.begin(), seen_.end(), [&](const Key& k) { return is_of(k, m); });
  if (again) {
    misses_ = 0;
    making_ = made_ < static_cast<int64_t>(most) + launched_ / pays_after;
    return making_;
  }
  if (++misses_ >= max_misses) {
    why_not_ = "its memory had other addresses in each of many calls";
    seen_ = {};
    return false;
  }
  seen_.resize(2 * most);
  seen_[next_seen_++ % seen_.size()] = key_of(m);
  return false;
}

// Replaces the least recently used graph.
void Graphs::keep(Kept k) const {
  ++made_;
  if (kept_.size() < most) {
    kept_.push_back(std::move(k));
    return;
  }
  std::swap(*std::min_element(kept_.begin(), kept_.end(),
                              [](const Kept& a, const Kept& b) { return a.used < b.used; }),
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
    why_not_ = std::move(failed);
    if (!graph) return false;
    keep({key_of(m), graph, ++clock_});
  }
  d.launch(*graph);
  return true;
}

std::string Graphs::why_not() const {
  const std::lock_guard lock(guard_);
  return why_not_;
}

}  // namespace weft::compiler
