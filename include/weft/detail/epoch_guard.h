// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/detail/epoch_guard.h: lock-free reading of shared objects without reference counts.
// A removed object is kept until no thread can still be reading it.
#pragma once
#include <cstdint>
#include <vector>

#include "weft/detail/ref.h"

namespace weft::ir {

// While it exists, objects that this thread finds in a structure with retire() are not released.
class EpochGuard {
 public:
  EpochGuard();
  ~EpochGuard();
  EpochGuard(const EpochGuard&) = delete;

 private:
  struct ThreadReading* reader_;
  uint64_t before_;
};

// Releases objects that can no longer be found, once all threads that may be reading them are done.
// Do not call it while holding a ForkMutex.
void retire(std::vector<Ref<const RefCounted>> objects);

}  // namespace weft::ir
