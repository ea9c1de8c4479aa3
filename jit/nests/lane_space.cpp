// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/nests/lane_space.cpp: arithmetic on the indices of a lane.
#include "jit/nests/lane_space.h"

#include <algorithm>
#include <utility>

namespace weft::compiler {

using I64v = num::Ir<int64_t>;

std::vector<int> LaneType::inner_axes() const {
  std::vector<int> r;
  for (int a = 0; a < type_.ndim(); ++a)
    if (grid_axis(a) < 0) r.push_back(a);
  return r;
}

std::vector<int64_t> LaneType::inner_extents() const {
  std::vector<int64_t> r;
  for (int a : inner_axes()) r.push_back(shape()[a]);
  return r;
}

int64_t LaneType::inner_elements() const {
  int64_t n = 1;
  for (int a = 0; a < type_.ndim(); ++a)
    if (grid_axis(a) < 0) n *= shape()[a];
  return n;
}

LaneSpace::LaneSpace(nest::Builder& b, const std::vector<int64_t>& grid, size_t together) {
  const auto inner = grid.end() - static_cast<std::ptrdiff_t>(std::min(together, grid.size()));
  for (const auto& [first, last] : {std::pair(grid.begin(), inner), std::pair(inner, grid.end())}) {
    if (first == last) continue;
    const std::vector<int64_t> axes(first, last);
    const Coords digits = split(b.index(rank()), axes);
    grid_.insert(grid_.end(), digits.begin(), digits.end());
    extents_.push_back(Shape(axes).elements());
  }
}

Coords LaneSpace::split(nest::Id flat, const std::vector<int64_t>& extents) {
  if (extents.size() == 1) return {flat};
  Coords ids(extents.size());
  I64v rest = I64v::at(flat);
  size_t first = 0;  // the outermost digit whose extent is not 1
  while (first + 1 < extents.size() && extents[first] == 1) ++first;
  for (size_t i = extents.size(); i-- > 0;) {
    ids[i] = extents[i] == 1 ? I64v(0).id
             : i == first    ? rest.id
                             : num::rem(rest, I64v(extents[i])).id;
    if (i > first) rest = num::div(rest, I64v(extents[i]));
  }
  auto& known = digits_[ids[0]];
  const bool fresh = std::none_of(known.begin(), known.end(), [&](const Digits& g) {
    return g.flat == flat && g.coords == ids && g.extents == extents;
  });
  if (fresh) known.push_back({ids, extents, flat});
  return ids;
}

Coords LaneSpace::coords_at(const LaneType& t, int64_t flat) const {
  const Shape& s = t.shape();
  Coords c(s.size());
  for (int a = s.ndim(); a-- > 0;) {
    const int lane = t.grid_axis(a);
    if (lane >= 0) {
      c[a] = grid_[lane];
      continue;
    }
    c[a] = I64v(flat % s[a]).id;
    flat /= s[a];
  }
  return c;
}

Coords LaneSpace::coords_with(const LaneType& t, const Coords& inner, int except) const {
  Coords c = coords_at(t, 0);
  size_t next = 0;
  for (int a : t.inner_axes())
    if (a != except) c[a] = inner[next++];
  return c;
}

Coords LaneSpace::coords_of_flat(const LaneType& t, nest::Id flat, int except) {
  std::vector<int64_t> extents;
  for (int a : t.inner_axes())
    if (a != except) extents.push_back(t.shape()[a]);
  return coords_with(t, extents.empty() ? Coords{} : split(flat, extents), except);
}

I64v LaneSpace::offset(const Coords& at, const Shape& s) const {
  std::vector<int64_t> extents;
  for (size_t a = 0; a < at.size(); ++a) extents.push_back(s[static_cast<int64_t>(a)]);
  return row_major(at, extents);
}

I64v LaneSpace::inner_offset(const LaneType& t, const Coords& at) const {
  Coords c;
  for (int a : t.inner_axes()) c.push_back(at[a]);
  return row_major(c, t.inner_extents());
}

// Returns the row-major offset of c. Coordinates that are the digits of one index are replaced by
// that index.
I64v LaneSpace::row_major(const Coords& c, const std::vector<int64_t>& extents) const {
  I64v total(0);
  static const std::vector<Digits> none;
  for (size_t a = 0; a < c.size();) {
    size_t used = 1;
    nest::Id id = c[a];
    const auto known = digits_.find(c[a]);
    for (const Digits& g : known == digits_.end() ? none : known->second)
      if (g.coords.size() > 1 && a + g.coords.size() <= c.size() &&
          std::equal(g.coords.begin(), g.coords.end(),
                     c.begin() + static_cast<std::ptrdiff_t>(a)) &&
          std::equal(g.extents.begin(), g.extents.end(),
                     extents.begin() + static_cast<std::ptrdiff_t>(a))) {
        used = g.coords.size();
        id = g.flat;
        break;
      }
    int64_t stride = 1;
    for (size_t k = a + used; k < c.size(); ++k) stride *= extents[k];
    total = total + I64v::at(id) * I64v(stride);
    a += used;
  }
  return total;
}

}  // namespace weft::compiler
