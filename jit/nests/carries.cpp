// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/nests/carries.cpp: initial and next values of the carries of a loop.
#include "jit/nests/carries.h"

#include <algorithm>

#include "jit/nests/structured.h"
#include "jit/nests/value_uses.h"
#include "weft/error.h"

namespace weft::compiler {

using nest::Id;

CarriedValue carried_like(const Frame& f, int32_t var) {
  const int64_t n = f.lane_type(var).inner_elements();
  return {n, f.type(var).dtype(), f.is_stored_in_array(var)};
}

void bind_carries(Frame& f, int32_t first, const std::vector<CarriedValue>& carries,
                  const std::vector<Id>& ids, size_t next) {
  for (const CarriedValue& c : carries) {
    ValueLocation& p = f.location[first++];
    p = c.in_array ? c.array : ValueLocation{.kind = ValueLocation::Kind::scalars};
    for (int64_t k = 0; k < c.n && !c.in_array; ++k) {
      p.elems.push_back({ids[next++], nest::no_id});
      if (components(c.dtype) == 2) p.elems.back().im = ids[next++];
    }
  }
}

// A large carry has a separate array, or that of its initial value if nothing else reads that. A
// carry that the plan updates in memory is in the result of the loop, which has its initial value.
std::vector<CarriedValue> Carries::begin(Frame& f, size_t i, Frame& body, int first_input,
                                         std::vector<Id>* flat) {
  const ValueRange operands = f.lowering(i).loop.operands().carry;
  std::vector<CarriedValue> carries;
  std::vector<ArrayFill> fills;
  for (int t = 0; t < operands.size; ++t) {
    const auto operand = static_cast<size_t>(operands.first + t);
    const Atom init = f.eqn(i).in[operand];
    const int32_t like = first_input + t;
    const LaneType type = body.lane_type(like);
    materializer_.materialize_dependents(f, i, operand);
    CarriedValue c = carried_like(body, like);
    if (!c.in_array) {
      for (int64_t k = 0; k < c.n; ++k)
        push(flat, elements_.read(f, init, space_.coords_at(type, k)));
    } else if (const int32_t result = f.eqn(i).out + t; f.is_updated_in_memory(result)) {
      c.array = {.kind = ValueLocation::Kind::buffer, .buffer = result, .fixed = true};
    } else if (can_reuse_array(f, i, operand)) {
      c.array = f.location[init.index];
    } else {
      c.array = {.kind = ValueLocation::Kind::local, .local = arrays_.create(type)};
      fills.push_back({c.array.local, type,
                       [this, &f, init](const Coords& at) { return elements_.read(f, init, at); },
                       is_copy(f, init)});
    }
    carries.push_back(std::move(c));
  }
  arrays_.fill(fills);
  return carries;
}

// A large carry that was not updated in place may read itself, so it is computed into another array
// and then copied.
void Carries::yield(Frame& body, const std::vector<CarriedValue>& carries, int first_input,
                    std::vector<Id>* yields) {
  std::map<int64_t, std::vector<std::pair<Elem, Elem>>> copies;
  std::vector<ArrayFill> fills;
  for (size_t t = 0; t < carries.size(); ++t) {
    const CarriedValue& c = carries[t];
    const Atom out = body.s->j->out[t];
    const int32_t input = first_input + static_cast<int32_t>(t);
    const LaneType type = body.lane_type(input);
    if (!c.in_array) {
      for (int64_t k = 0; k < c.n; ++k)
        push(yields, elements_.read(body, out, space_.coords_at(type, k)));
      continue;
    }
    const ValueLocation* p = out.is_literal() ? nullptr : body.location.find(out.index);
    if (out.index == input || (p && p->is_same_array(c.array))) continue;
    if (c.array.kind == ValueLocation::Kind::buffer)
      throw InternalError("a carry that is updated in memory was computed elsewhere");
    const bool elsewhere =
        std::none_of(carries.begin(), carries.end(),
                     [&](const CarriedValue& other) { return p && p->is_same_array(other.array); });
    if (p && p->kind == ValueLocation::Kind::local && elsewhere) {
      copies[c.n].emplace_back(c.array.local, p->local);
      continue;
    }
    const Elem from = arrays_.create(type);
    fills.push_back({from, type, [this, &body, out](const Coords& at) {
                       return elements_.read(body, out, at);
                     }});
    copies[c.n].emplace_back(c.array.local, from);
  }
  arrays_.fill(fills);
  for (const auto& [n, to_from] : copies) arrays_.copy(to_from, n);
}

}  // namespace weft::compiler
