// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/pfor.h: maps under the names of other libraries: vectorized_map, map_fn, pfor.
#pragma once
#include "weft/transforms/control_flow.h"

namespace weft {

struct VectorizedMapOptions {
  // A loop over lanes for what has no batching rule; false: an error.
  bool fallback_to_while_loop = true;
  // Say so when that happens (it is logged once a process; false keeps quiet).
  bool warn = true;
};
struct PforOptions {
  // Iterations at a time (0: all).
  int64_t parallel_iterations = 0;
};

namespace detail {
Arrays run_vectorized_map(const Arrays& x, TreeOf tree, const VectorizedMapOptions& o,
                          FlatFunction f);
Array iterations(int64_t n);
}  // namespace detail

// f on every row of elems at once; leading sizes agree or are 1.
template <class F, class X>
auto vectorized_map(F f, const X& elems, const VectorizedMapOptions& o = {},
                    Location at = Location::here()) {
  using T = arrays_t<X>;
  static_assert(detail::Callable<F, T>,
                "weft::vectorized_map: f must take one argument with the structure of elems");
  const Source source(at);
  const std::tuple<T> args(tree::convert<T>(elems));
  detail::Flat<F, std::tuple<T>, detail::result_t<F, T>> flat(f, args);
  const Arrays out = detail::run_vectorized_map(
      tree::leaves(args), [&] { return tree::skeleton(std::get<0>(args)); }, o, flat);
  return flat.result(out);
}

// f on every row of elems, one after another.
template <class F, class X>
auto map_fn(F f, const X& elems, Location at = Location::here()) {
  return map(std::move(f), elems, {}, at);
}

// loop_fn(i) for i = 0 … iters-1, all at once; the results are stacked.
template <class F>
auto pfor(F loop_fn, int64_t iters, const PforOptions& o = {}, Location at = Location::here()) {
  static_assert(detail::Callable<F, Array>, "weft::pfor: loop_fn must take the index, an Array");
  const Source source(at);
  VmapOptions v;
  v.chunk_size = o.parallel_iterations;
  auto one = [loop_fn](Array i) mutable { return loop_fn(i); };
  return vmap(std::move(one), 0, 0, v, at)(detail::iterations(iters));
}

}  // namespace weft
