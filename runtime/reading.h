// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/reading.h: looking at shared objects without a lock or a count: what is taken out of
// reach lives until nobody can still be looking at it.
#pragma once
#include <cstdint>
#include <vector>

#include "weft/core/ref.h"

namespace weft::ir {

// While it lives, what this thread finds in a structure that retires its objects stays alive.
class Reading {
 public:
  Reading();
  ~Reading();
  Reading(const Reading&) = delete;

 private:
  struct ThreadReading* reader_;
  uint64_t before_;
};

// Lets go of objects that nobody can find any more, once all that were reading are done. Not to be
// called while a ForkMutex is held.
void retire(std::vector<Ref<const RefCounted>> objects);

}  // namespace weft::ir
