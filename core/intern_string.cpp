// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/intern_string.cpp: one set of texts for the process.
#include "core/intern_string.h"

#include <mutex>
#include <set>

#include "core/fork_mutex.h"

namespace weft {

const char* intern_string(const std::string& text) {
  static auto& guard = *new ForkMutex;
  static auto* texts = new std::set<std::string>;
  const std::lock_guard lock(guard);
  return texts->insert(text).first->c_str();
}

}  // namespace weft
