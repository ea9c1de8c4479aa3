// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/index/index_map.cpp: converts dimension numbers into positions, and checks them.
#include "ops/index/index_map.h"

#include <fmt/format.h>

namespace weft::index_map_detail {

IndexMap index_map_of(const WindowDims& d, const Shape& operand, int windows_rank,
                      const Ints& sizes) {
  IndexMap r;
  for (int a = 0; a < windows_rank; ++a)
    if (!holds(d.window_dims, a)) r.batch.push_back(a);
  size_t window = 0;
  for (int64_t a = 0; a < operand.ndim(); ++a) {
    IndexMap::Axis x;
    x.max_start = operand[a] - entry(sizes, a);
    if (holds(d.index_map, a)) {
      x.component = static_cast<int>(place_of(d.index_map, a));
      r.used.push_back(static_cast<int>(a));
    }
    if (holds(d.operand_batching, a))
      x.batch = r.batch[entry(d.indices_batching, place_of(d.operand_batching, a))];
    else if (!holds(d.collapsed, a))
      x.window = static_cast<int>(d.window_dims[window++]);
    r.axes.push_back(x);
  }
  return r;
}

I64s component_at(Reader& x, int operand, const Type& t, const IndexMap& r, const Coords& at,
                  int c) {
  Coords i;
  for (int a : r.batch) i.push_back(at[a]);
  i.push_back(I64s(c).id);
  return index_of(x.read(operand, i), t.dtype());
}

int64_t host_component(const Array& indices, const IndexMap& r, const Ints& at, int c) {
  int64_t flat = 0;
  for (size_t k = 0; k < r.batch.size(); ++k)
    flat = flat * indices.shape()[static_cast<int64_t>(k)] + at[r.batch[k]];
  return host_index(indices, flat * indices.shape()[-1] + c);
}

std::vector<int64_t> check_dims(const char* op, const Types& in, const Type& indices,
                                const WindowDims& d) {
  const int rank = in[0].ndim();
  if (!is_integer(indices.dtype())) reject_dtype(op, "indices must be integers", in);
  if (indices.ndim() == 0 || indices.shape()[-1] != static_cast<int64_t>(d.index_map.size()))
    reject_shape(op,
                 fmt::format("the last axis of the indices must have size {}, one a component",
                             d.index_map.size()),
                 in);
  if (d.operand_batching.size() != d.indices_batching.size())
    reject_shape(op, "batching dimensions must come in pairs", in);
  if (!std::is_sorted(d.window_dims.begin(), d.window_dims.end()))
    reject_shape(op, "window dimensions must be sorted", in);
  Ints seen;
  for (const Ints* v : {&d.collapsed, &d.operand_batching})
    for (int64_t a : *v) {
      if (a < 0 || a >= rank || holds(seen, a))
        reject_shape(op, "collapsed and batching dimensions must be axes of the operand, each once",
                     in);
      seen.push_back(a);
    }
  for (size_t i = 0; i < d.index_map.size(); ++i) {
    const int64_t a = d.index_map[i];
    if (a < 0 || a >= rank || holds(d.operand_batching, a) ||
        place_of(d.index_map, a) != static_cast<int64_t>(i))
      reject_shape(op, "the index map must name axes of the operand, each once", in);
  }
  if (static_cast<int64_t>(d.window_dims.size() + seen.size()) != rank)
    reject_shape(op, "window, collapsed and batching dimensions must make up the operand", in);
  std::vector<int64_t> batch(indices.shape().begin(), indices.shape().end() - 1);
  for (size_t i = 0; i < d.indices_batching.size(); ++i) {
    const int64_t a = d.indices_batching[i];
    if (a < 0 || a >= static_cast<int64_t>(batch.size()) ||
        batch[a] != in[0].shape()[d.operand_batching[i]])
      reject_shape(op, "batching dimensions of operand and indices must agree", in);
  }
  return batch;
}

Shape windows_shape(const char* op, const Types& in, const std::vector<int64_t>& batch,
                    const Ints& window_dims, const Ints& window_sizes) {
  const int64_t rank = static_cast<int64_t>(batch.size() + window_dims.size());
  std::vector<int64_t> out;
  size_t b = 0, w = 0;
  for (int64_t a = 0; a < rank; ++a) {
    if (w < window_dims.size() && window_dims[w] == a)
      out.push_back(window_sizes[w++]);
    else if (b < batch.size())
      out.push_back(batch[b++]);
  }
  if (static_cast<int64_t>(out.size()) != rank || w != window_dims.size())
    reject_shape(op, "window dimensions must be axes of the result", in);
  return Shape(out);
}

int64_t batch_place(const WindowDims& d, int windows_rank, int64_t q) {
  int64_t n = 0;
  for (int64_t a = 0; a < windows_rank; ++a) {
    if (holds(d.window_dims, a)) continue;
    if (n++ == q) return a;
  }
  return windows_rank;
}

}  // namespace weft::index_map_detail
