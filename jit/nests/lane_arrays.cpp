// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/nests/lane_arrays.cpp: arrays of a lane, and loops over elements that compute several of
// them together.
#include "jit/nests/lane_arrays.h"

#include <algorithm>
#include <map>
#include <utility>

#include "jit/fuse/region.h"

namespace weft::compiler {

using nest::Id;
using I64v = num::Ir<int64_t>;

Elem LaneArrays::create(const LaneType& t) {
  const DType d = t.dtype();
  const nest::Kind kind = nest::loaded_kind(storage_of(d));
  const int64_t n = std::max<int64_t>(t.inner_elements(), 1);
  return {b_.local(kind, n), components(d) == 2 ? b_.local(kind, n) : nest::no_id};
}

Elem LaneArrays::load(const Elem& array, Id at) {
  return {b_.local_load(array.re, at),
          array.im == nest::no_id ? nest::no_id : b_.local_load(array.im, at)};
}

void LaneArrays::store(const Elem& array, Id at, const Elem& e) {
  b_.local_store(array.re, at, e.re);
  if (array.im != nest::no_id) b_.local_store(array.im, at, e.im);
}

Elem LaneArrays::load_at(const Elem& array, const LaneType& t, const Coords& at) {
  return load(array, space_.inner_offset(t, at).id);
}

void LaneArrays::store_at(const Elem& array, const LaneType& t, const Coords& at, const Elem& e) {
  store(array, space_.inner_offset(t, at).id, e);
}

void LaneArrays::copy(const std::vector<std::pair<Elem, Elem>>& to_from, int64_t n) {
  element_loop({n}, [&](const Coords& i) {
    for (const auto& [to, from] : to_from) store(to, i[0], load(from, i[0]));
  });
}

void LaneArrays::fill(const std::vector<ArrayFill>& fills) {
  std::map<std::vector<int64_t>, std::vector<const ArrayFill*>> groups;
  for (const ArrayFill& f : fills) groups[f.type.inner_extents()].push_back(&f);
  for (const auto& [extents, group] : groups) {
    const bool stores = std::any_of(group.begin(), group.end(),
                                    [](const ArrayFill* f) { return f->array.re != nest::no_id; });
    if (!stores) continue;
    const auto compute = [&](const std::function<Coords(const LaneType&)>& at) {
      std::vector<Elem> elems;
      for (const ArrayFill* f : group) elems.push_back(f->value(at(f->type)));
      for (size_t k = 0; k < group.size(); ++k)
        if (const ArrayFill& f = *group[k]; f.array.re != nest::no_id)
          store_at(f.array, f.type, at(f.type), elems[k]);
    };
    const int64_t n = group[0]->type.inner_elements();
    if (n <= max_unrolled_copy && std::ranges::all_of(group, &ArrayFill::is_copy))
      for (int64_t k = 0; k < n; ++k)
        compute([&](const LaneType& t) { return space_.coords_at(t, k); });
    else
      element_loop(extents, [&](const Coords& inner) {
        compute([&](const LaneType& t) { return space_.coords_with(t, inner); });
      });
  }
}

namespace {

// The largest loop, in instructions times pieces, that is written in pieces. It limits the time for
// writing them. Loops that fill vectors have the elements of a row, which are often put together
// from many parts.
constexpr size_t most_in_pieces = 256, most_in_vector_pieces = 4096;

// A loop over more elements is written by axes, also where loops stay whole: dividing the index
// would take longer than the work on a short element.
constexpr int64_t most_divided = 64;

// Returns true if `index` is computed from v. Digits of v do not count.
bool is_along(const nest::Builder& b, Id index, Id v) {
  const nest::Inst& i = b.inst(index);
  if (index == v) return true;
  return (i.op == nest::Opcode::Add || i.op == nest::Opcode::Mul) &&
         std::ranges::any_of(i.args, [&](Id a) { return is_along(b, a, v); });
}

// Counts the instructions since `first` that have effects, or that these need. Terms of folds do
// not count.
size_t needed_since(const nest::Builder& b, size_t first) {
  std::vector<bool> needed(b.size() - first, false);
  size_t n = 0;
  for (size_t v = b.size(); v-- > first;) {
    const nest::Inst& i = b.inst(static_cast<Id>(v));
    const bool effect = i.op == nest::Opcode::Store || i.op == nest::Opcode::LocalStore;
    if (!effect && i.blocks.empty() && !needed[v - first]) continue;
    ++n;
    for (const Id a : i.args)
      if (const auto u = static_cast<size_t>(a); u >= first) needed[u - first] = true;
  }
  return n;
}

// Returns the largest number by which the code since `first` divides the index v, or 0. Blocks of
// this length fill vectors, and n is a multiple of it.
int64_t divisor_of(const nest::Builder& b, size_t first, Id v, int64_t n) {
  int64_t most = 0;
  for (size_t u = first; u < b.size(); ++u) {
    const nest::Inst& i = b.inst(static_cast<Id>(u));
    int64_t d = 0;
    if ((i.op == nest::Opcode::SRem || i.op == nest::Opcode::SDiv) && i.args[0] == v &&
        b.is_constant(i.args[1], &d) && d >= min_vector_row && d < n && n % d == 0)
      most = std::max(most, d);
  }
  return most;
}

// Returns true if the code since `first` computes digits of the index v, except for memory that it
// accesses along v. Blocks of such elements are moved together.
bool is_faster_by_axes(const nest::Builder& b, size_t first, Id v) {
  bool digits = false;
  for (size_t u = first; u < b.size(); ++u) {
    const nest::Inst& i = b.inst(static_cast<Id>(u));
    if ((i.op == nest::Opcode::Load || i.op == nest::Opcode::Store) && is_along(b, i.args[0], v))
      return false;
    for (Id a : i.args) {
      const nest::Opcode op = b.inst(a).op;
      digits = digits || ((op == nest::Opcode::SRem || op == nest::Opcode::SDiv) &&
                          i.op != nest::Opcode::SRem && i.op != nest::Opcode::SDiv);
    }
  }
  return digits;
}

}  // namespace

void LaneArrays::element_loop(const std::vector<int64_t>& extents,
                              const std::function<void(const Coords&)>& each) {
  if (along_rows_) return vector_loops(extents, each);
  const auto element = [&](Id i) { each(space_.split(i, extents)); };
  const auto faster_by_axes = [&](size_t first, Id i) {
    return extents.size() > 1 && is_faster_by_axes(b_, first, i);
  };
  if (!loop({0, Shape(extents).elements()}, false, element, faster_by_axes))
    loops_by_axes(extents, {}, each);
}

// If the last axis fills vectors by itself, vectors run only along it: contiguous reads are then
// visible.
void LaneArrays::vector_loops(const std::vector<int64_t>& extents,
                              const std::function<void(const Coords&)>& each) {
  const bool rows = extents.size() > 1 && extents.back() >= min_vector_row;
  const auto outer = extents.end() - (rows ? 1 : static_cast<std::ptrdiff_t>(extents.size()));
  const std::vector<int64_t> together(outer, extents.end());
  loops_by_axes({extents.begin(), outer}, {}, [&](const Coords& at) {
    loop({0, Shape(together).elements()}, true, [&](Id i) {
      Coords all = at;
      for (Id digit : space_.split(i, together)) all.push_back(digit);
      each(all);
    });
  });
}

// One sequential loop for each axis.
void LaneArrays::loops_by_axes(const std::vector<int64_t>& extents, const Coords& outer,
                               const std::function<void(const Coords&)>& each) {
  if (outer.size() == extents.size()) return each(outer);
  loop({0, extents[outer.size()]}, false, [&](Id i) {
    Coords at = outer;
    at.push_back(i);
    loops_by_axes(extents, at, each);
  });
}

LaneArrays::Body LaneArrays::body(const Trips& trips, bool in_vectors,
                                  const std::function<void(Id)>& each) {
  const size_t first = b_.size();
  const nest::BlockId block = b_.open({nest::Kind::I64});
  const Id i = b_.param(block, 0);
  const int64_t begin = in_vectors ? trips.lo : 0;  // of index 0
  b_.set_range(i, {trips.lo - begin, trips.hi - 1 - begin});
  each((I64v::at(i) + I64v(begin)).id);
  b_.yield({});
  b_.leave();
  std::vector<int64_t> borders;
  for (int64_t at : b_.borders(i))
    if (at + begin > trips.lo && at + begin < trips.hi) borders.push_back(at + begin);
  return {block,
          i,
          first,
          b_.size() - first,
          needed_since(b_, first),
          std::move(borders),
          in_vectors ? divisor_of(b_, first, i, trips.hi - trips.lo) : 0};
}

void LaneArrays::loops_by_digits(const Trips& trips, int64_t length,
                                 const std::function<void(Id)>& each) {
  loop({0, (trips.hi - trips.lo) / length}, false, [&](Id block) {
    loop({0, length}, true,
         [&](Id i) { each((I64v::at(block) * I64v(length) + I64v::at(i) + I64v(trips.lo)).id); });
  });
}

bool LaneArrays::loop(const Trips& trips, bool in_vectors, const std::function<void(Id)>& each,
                      const std::function<bool(size_t, Id)>& is_rejected) {
  const auto [lo, hi] = trips;
  if (hi - lo == 1) return each(b_.integer(lo)), true;
  const Body whole = body(trips, in_vectors, each);
  const bool rejected = is_rejected && is_rejected(whole.first, whole.index);
  if (rejected && (hi - lo > most_divided || !whole_loops_)) return b_.discard(whole.block), false;
  const bool by_digits = whole.borders.empty() && whole.divisor > 0;
  may_divide_ = may_divide_ || (whole_loops_ && (rejected || by_digits || !whole.borders.empty()));
  if (by_digits && !whole_loops_) {
    b_.discard(whole.block);
    return loops_by_digits(trips, whole.divisor, each), true;
  }
  std::vector<Trips> pieces;
  int64_t from = lo;
  for (int64_t end : whole.borders) pieces.push_back({std::exchange(from, end), end});
  pieces.push_back({from, hi});
  // They have less code, unless most of it does not depend on the piece.
  const auto are_short = [&] {
    size_t all = 0;
    for (const Trips& piece : pieces) {
      const Body one = body(piece, in_vectors, each);
      all += in_vectors ? one.needed : one.size;
      b_.discard(one.block);
    }
    return all <= 2 * (in_vectors ? whole.needed : whole.size);
  };
  const size_t most = in_vectors ? most_in_vector_pieces : most_in_pieces;
  if (!whole_loops_ && pieces.size() > 1 && pieces.size() * whole.size <= most && are_short()) {
    b_.discard(whole.block);
    for (const Trips& piece : pieces) loop(piece, in_vectors, each);
  } else if (in_vectors) {
    b_.for_each(b_.integer(hi - lo), whole.block);
  } else {
    b_.loop(b_.integer(lo), b_.integer(hi), 1, {}, whole.block);
  }
  return true;
}

}  // namespace weft::compiler
