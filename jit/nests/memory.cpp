// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/nests/memory.cpp: loads and stores of single elements in buffers.
#include "jit/nests/memory.h"

namespace weft::compiler {

using I64v = num::Ir<int64_t>;

int Memory::buffer_of(int32_t var, bool written) {
  const auto [it, fresh] = buffer_index_.try_emplace(var, 0);
  if (fresh) {
    it->second = b_.buffer(storage_of(program_.type(var).dtype()), written);
    buffers_.push_back({var, written});
  }
  return it->second;
}

Elem Memory::load(int32_t var, const Coords& at) {
  const Type& t = program_.type(var);
  const int buffer = buffer_of(var, program_.kernel->updated.contains(var));
  const int n = components(t.dtype());
  const I64v o = space_.offset(at, t.shape()) * I64v(n);
  return {b_.load(buffer, o.id), n == 2 ? b_.load(buffer, (o + I64v(1)).id) : nest::no_id};
}

void Memory::store(int32_t var, const Coords& at, const Elem& e) {
  const auto& by_step = program_.kernel->stored_by_step;
  const auto transposed = by_step.find(var);
  if (transposed != by_step.end() && transposed->second.stored != var) {
    Coords there(at.size());
    for (size_t a = 0; a < at.size(); ++a) there[transposed->second.axes[a]] = at[a];
    return store(transposed->second.stored, there, e);
  }
  const Type& t = program_.type(var);
  const int buffer = buffer_of(var, true), m = components(t.dtype());
  const I64v o = space_.offset(at, t.shape()) * I64v(m);
  b_.store(buffer, o.id, e.re);
  if (m == 2) b_.store(buffer, (o + I64v(1)).id, e.im);
}

}  // namespace weft::compiler
