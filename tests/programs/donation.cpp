// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/programs/donation.cpp: runs a program on copies of its inputs and examines the copies
// afterwards.
#include "programs/donation.h"

#include <cstring>

#include "tracer/concrete.h"

namespace weft::programs {

Arrays run_over_inputs(const Executable& e, const Jaxpr& j, const Arrays& x, std::string* spoilt) {
  std::vector<Ref<Buffer>> memory, results;
  std::vector<const void*> in;
  for (const Array& a : x) {
    memory.push_back(Buffer::allocate(a.type().bytes()));
    if (const auto n = static_cast<size_t>(a.type().bytes()))
      std::memcpy(memory.back()->data(), concrete(a).data(), n);
    in.push_back(memory.back()->data());
  }
  std::vector<void*> out;
  std::vector<bool> taken(x.size(), false);
  for (size_t k = 0; k < j->out.size(); ++k) {
    const int32_t input = e.aliased_input(k);
    if (input >= 0) taken[static_cast<size_t>(input)] = true;
    results.push_back(input >= 0 ? memory[static_cast<size_t>(input)]
                                 : Buffer::allocate(j->type(j->out[k]).bytes()));
    out.push_back(results.back()->data());
  }
  e.run(in.data(), out.data());
  for (size_t i = 0; i < x.size(); ++i)
    if (const auto n = static_cast<size_t>(x[i].type().bytes());
        n && !taken[i] && !e.overwrites_input(i) &&
        std::memcmp(in[i], concrete(x[i]).data(), n) != 0)
      *spoilt = "input " + std::to_string(i) + " was written over";
  Arrays r;
  for (size_t k = 0; k < j->out.size(); ++k)
    r.push_back(array_of_bytes(j->type(j->out[k]), out[k]));
  return r;
}

}  // namespace weft::programs
