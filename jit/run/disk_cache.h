// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/run/disk_cache.h: what was compiled, kept in files for later processes (docs/decisions/0034).
#pragma once
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace weft::compiler {

// Texts by keys, in a folder that only its owner may enter. It never fails and never gives anything
// but what was kept under that key by the same build of Weft and the same LLVM: what cannot be
// read, or is not what was written, is not there. Thread-safe, and processes may share a folder.
class DiskCache {
 public:
  // What is used least goes when there are more bytes. An empty name of the folder: nothing is
  // kept.
  DiskCache(std::string folder, int64_t most_bytes)
      : folder_(std::move(folder)), most_bytes_(most_bytes) {}
  DiskCache(const DiskCache&) = delete;
  // That of WEFT_CACHE_DIR, else of XDG_CACHE_HOME or HOME; WEFT_CACHE=0: none. Asked for once.
  static DiskCache& of_process();

  std::optional<std::string> find(const std::string& key);
  void keep(const std::string& key, const std::string& text);
  // What is found, else what make() returns, which is kept.
  template <class F>
  std::string get(const std::string& key, F&& make) {
    if (auto found = find(key)) return *std::move(found);
    std::string made = make();
    keep(key, made);
    return made;
  }

  // Of this instance: entries that were there, and that were not; files that were not what they
  // should be, and went; entries that were written.
  struct Counts {
    int64_t found, missing, broken, kept;
  };
  Counts counts() const { return {found_, missing_, broken_, kept_}; }
  const std::string& folder() const { return folder_; }
  // For people: where it is and how much it holds, or why it keeps nothing.
  std::string describe() const;

 private:
  void trim();

  const std::string folder_;
  const int64_t most_bytes_;
  std::atomic<int64_t> found_{0}, missing_{0}, broken_{0}, kept_{0};
  std::atomic<int64_t> unseen_bytes_{-1};  // kept since trim() looked; -1: it never did
};

}  // namespace weft::compiler
