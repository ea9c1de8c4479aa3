// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/cpu/local_arrays.h: the arrays that a nest has for each point. It may touch their memory
// and the values of the nest. Another way of finding an element of a point's array is added to
// load() and store().
#pragma once
#include <map>
#include <optional>
#include <vector>

#include "core/loops/nest_bounds.h"
#include "jit/emit/emitter_part.h"

namespace weft::compiler {

class CpuEmitter;

// An array that is the same for all points is a single array. Otherwise number i of the points of
// vector p is contiguous, at i * interleave + p. Masks are bytes, or bits.
class LocalArrays : EmitterPart<CpuEmitter> {
 public:
  explicit LocalArrays(CpuEmitter& e);

  // These emit the instructions Local, LocalLoad and LocalStore.
  void create(nest::Id v);
  void load(nest::Id v);
  void store(nest::Id v);

  // Returns the address of an element of the arrays of the points of the first vector.
  V element(nest::Id local, V at) { return local_element(local, at, 0); }
  // Returns true if a store may overwrite the numbers of inactive elements.
  bool stores_all(nest::Id local);

  // The mask of the last iterations of a loop that fills vectors, the index of the first one, and
  // the number of all. They have a whole vector of an array with as many elements.
  V rest_mask = nullptr, rest_begin = nullptr, rest_end = nullptr;
  int array_interleave = 0;   // of the arrays, if not that of the values
  V vector_offset = nullptr;  // the vector of the arrays that is vector 0

 private:
  int interleave_of_arrays() const;
  bool is_packed(nest::Id local);
  bool is_rest(nest::Id local, nest::Id index);
  llvm::Type* vector_in_memory(nest::Id local);
  V load_vector(nest::Id local, V at);
  void store_vector(nest::Id local, V x, V at);
  V local_begin(nest::Id local);
  V local_element(nest::Id local, V element, int vector);
  V local_addresses(nest::Id local, nest::Id index, int vector);
  std::optional<nest::Choice> choice(nest::Id local, nest::Id index);
  V choice_element(nest::Id local, const nest::Choice& c, int64_t i, int vector);
  V load_choice(nest::Id local, const nest::Choice& c, int vector);
  void store_choice(nest::Id local, const nest::Choice& c, int vector, V value);

  std::vector<char> packed_;           // by array: true if its masks are bits
  std::map<nest::Id, Masks> created_;  // the active elements where an array was created
};

}  // namespace weft::compiler
