// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/compile/code_cache.h: caches the code of this process, for the host and for GPUs. Users
// share code, which lives as long as it has users.
#pragma once
#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>

#include "runtime/fork.h"

namespace weft::compiler {

// Values of type T by key. Thread-safe.
template <class T>
class CodeCache {
 public:
  // Returns the live value of that key, or the result of make(). On a miss, make() runs under the
  // entry's lock, so other threads that miss the same key wait for it.
  template <class F>
  std::shared_ptr<const T> get(const std::string& key, F&& make) {
    const std::shared_ptr<Entry> e = entry(key);
    const std::lock_guard guard(e->lock);
    if (auto code = e->code.lock()) return code;
    std::shared_ptr<const T> code = make();
    e->code = code;
    return code;
  }

 private:
  struct Entry {
    std::mutex lock;
    std::weak_ptr<const T> code;
  };
  std::shared_ptr<Entry> entry(const std::string& key) {
    const std::lock_guard guard(lock_);
    if (entries_.size() >= evict_at_) evict_expired();
    auto& e = entries_[key];
    if (!e) e = std::make_shared<Entry>();
    return e;
  }
  void evict_expired() {
    std::erase_if(entries_, [](const auto& e) {
      return e.second.use_count() == 1 && e.second->code.expired();
    });
    evict_at_ = std::max<size_t>(1024, 2 * entries_.size());
  }
  ForkMutex lock_;
  std::unordered_map<std::string, std::shared_ptr<Entry>> entries_;
  size_t evict_at_ = 1024;
};

}  // namespace weft::compiler
