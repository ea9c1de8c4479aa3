// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/compile/disk_cache.h: keeps compiled code in files for later processes
// (docs/decisions/0034).
#pragma once
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace weft::compiler {

// Texts by key, in a folder that only its owner may enter. It never fails. It returns only texts
// that the same build of Weft and the same LLVM stored under that key. A file that is unreadable or
// damaged counts as missing. Thread-safe, and processes may share a folder.
class DiskCache {
 public:
  // Beyond max_bytes, the least recently used entries are deleted. If the folder's name is empty,
  // nothing is kept.
  DiskCache(std::string folder, int64_t max_bytes)
      : folder_(std::move(folder)), max_bytes_(max_bytes) {}
  DiskCache(const DiskCache&) = delete;
  // Returns the cache in WEFT_CACHE_DIR, else in XDG_CACHE_HOME or HOME; WEFT_CACHE=0 disables it.
  // The environment is read once.
  static DiskCache& of_process();

  std::optional<std::string> find(const std::string& key);
  void store(const std::string& key, const std::string& text);
  // Returns the stored text, else the result of make(), which it stores.
  template <class F>
  std::string get(const std::string& key, F&& make) {
    if (auto found = find(key)) return *std::move(found);
    std::string made = make();
    store(key, made);
    return made;
  }

  // Counts of this instance: hits, misses, damaged files (which are deleted), and entries written.
  struct Counts {
    int64_t hits, misses, damaged, stored;
  };
  Counts counts() const { return {hits_, misses_, damaged_, stored_}; }
  const std::string& folder() const { return folder_; }
  // Returns, for people, the folder and the bytes in it, or why nothing is kept.
  std::string describe() const;

 private:
  void trim();

  const std::string folder_;
  const int64_t max_bytes_;
  std::atomic<int64_t> hits_{0}, misses_{0}, damaged_{0}, stored_{0};
  std::atomic<int64_t> unseen_bytes_{-1};  // bytes written since the last trim(); -1: it never ran
};

}  // namespace weft::compiler
