// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/nests/memory.h: loads and stores of the program's variables in the buffers of the kernel.
//
// It makes a buffer for each variable on first use. It writes only the load or store of one element
// at coordinates over all axes; other parts decide which elements. A new form of access to a buffer
// is a method here.
#pragma once
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "jit/nests/frames.h"
#include "jit/nests/kernel_nest.h"

namespace weft::compiler {

class Memory {
 public:
  Memory(nest::Builder& b, const LaneSpace& space, const Frame& program)
      : b_(b), space_(space), program_(program) {}
  // Returns the buffer of a variable, which is made on first use.
  int buffer_of(int32_t var, bool written);
  Elem load(int32_t var, const Coords& at);
  // Stores an element of a variable, or of the transpose of it that is in memory instead.
  void store(int32_t var, const Coords& at, const Elem& e);
  std::vector<KernelNest::Buffer> take_buffers() { return std::move(buffers_); }

 private:
  nest::Builder& b_;
  const LaneSpace& space_;
  const Frame& program_;
  std::vector<KernelNest::Buffer> buffers_;
  std::map<int32_t, int> buffer_index_;
};

}  // namespace weft::compiler
