// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/vmap/pfor.h: maps under the names of other libraries: vectorized_map, map_fn and
// pfor.
#pragma once
#include "weft/control_flow.h"

namespace weft {

namespace typing {
struct VectorizedMapOptions {
  // Uses a loop over lanes for ops without a batching rule; false: raises an error.
  bool fallback_to_while_loop = true;
  // Logs a warning when that happens, once per process.
  bool warn = true;
};
struct PforOptions {
  // The number of iterations that run together (0: all).
  int64_t parallel_iterations = 0;
  // Uses a loop over iterations for ops without a batching rule; false: raises an error.
  bool fallback_to_while_loop = true;
  // Logs a warning when that happens, once per process.
  bool warn = true;
};
struct MapFnOptions {
  // The number of rows that are processed together. It does not affect the results.
  int64_t parallel_iterations = 1;
};
}  // namespace typing

namespace detail {
Arrays run_vectorized_map(const Arrays& x, TreeOf tree, const typing::VectorizedMapOptions& o,
                          FlatFunction f);
Array iterations(const char* who, int64_t n);

// The axis of a pfor, identified by the number of maps around it, and the operations that it
// allows.
struct Iterations {
  std::string axis;
  int64_t size;
  bool in_parts;  // runs fewer iterations at a time than there are
};
Iterations iterations_of(int64_t size, int64_t at_a_time);
enum class OverIterations { sum, mean, all };
Arrays over_iterations(OverIterations what, const Iterations& i, const Arrays& x);
}  // namespace detail

// The config of loop_fn(i, config) in pfor, which reads the values of the other iterations. Every
// result is the same in all iterations. Raises BatchingError with parallel_iterations. Source:
// TensorFlow's pfor_config.
class PforConfig {
 public:
  // Constructed by pfor.
  explicit PforConfig(detail::Iterations i) : iterations_(std::move(i)) {}
  // Returns the sums of the Arrays of x, a tree, over the iterations.
  template <class T>
  typing::arrays_t<T> reduce_sum(const T& x, typing::Location at = typing::Location::here()) const {
    return over(detail::OverIterations::sum, x, at);
  }
  // Returns their means, in F32 for integers.
  template <class T>
  typing::arrays_t<T> reduce_mean(const T& x,
                                  typing::Location at = typing::Location::here()) const {
    return over(detail::OverIterations::mean, x, at);
  }
  // Returns the Arrays of all iterations, [iters, shape…].
  template <class T>
  typing::arrays_t<T> reduce_concat(const T& x,
                                    typing::Location at = typing::Location::here()) const {
    return over(detail::OverIterations::all, x, at);
  }
  // Returns f(all args…), where each argument has the values of all iterations, as in
  // reduce_concat.
  template <class F, class... A>
  auto reduce(F f, const A&... args) const {
    static_assert(
        detail::can_call<F, typing::arrays_t<A>...>,
        "weft::PforConfig::reduce: f must take the arguments, with an axis of iterations");
    return f(over(detail::OverIterations::all, args, ir::SourceScope::current())...);
  }

 private:
  template <class T>
  typing::arrays_t<T> over(detail::OverIterations what, const T& x, typing::Location at) const {
    const ir::SourceScope source(at);
    const typing::arrays_t<T> all = tree::detail::convert<typing::arrays_t<T>>(x);
    return tree::detail::rebuild(
        all, detail::over_iterations(what, iterations_, tree::leaves(all)).data());
  }
  detail::Iterations iterations_;
};

// Applies f to all rows of elems, a tree, with vmap and stacks the results, [n, shape…]. f takes
// one argument with the structure of elems. Leading sizes must be equal or 1 (BatchingError
// "inconsistent sizes"). Source: tf.vectorized_map.
template <class F, class X>
auto vectorized_map(F f, const X& elems, const typing::VectorizedMapOptions& o = {},
                    typing::Location at = typing::Location::here()) {
  using T = typing::arrays_t<X>;
  static_assert(detail::can_call<F, T>,
                "weft::vectorized_map: f must take one argument with the structure of elems");
  const ir::SourceScope source(at);
  const std::tuple<T> args(tree::detail::convert<T>(elems));
  detail::Flat<F, std::tuple<T>, detail::result_t<F, T>> flat(f, args);
  const Arrays out = detail::run_vectorized_map(
      tree::leaves(args), tree::detail::skeleton_of(std::get<0>(args)), o, flat);
  return flat.result(out);
}

// Applies f to the rows of elems, a tree, one after another, or parallel_iterations at a time, and
// stacks the results. Raises ShapeError if leading sizes differ. Source: tf.map_fn.
template <class F, class X>
auto map_fn(F f, const X& elems, const typing::MapFnOptions& o = {},
            typing::Location at = typing::Location::here()) {
  return map(std::move(f), elems,
             {.batch_size = o.parallel_iterations == 1 ? 0 : o.parallel_iterations}, at);
}

// Runs loop_fn(i) for i = 0 … iters-1, an i32[], with vmap and stacks the results, trees of Arrays:
// [iters, shape…]. loop_fn(i, config), where config is a PforConfig&, may reduce over the
// iterations. Raises BatchingError for negative iters, and the errors of vmap. Source: TensorFlow's
// pfor.
template <class F>
auto pfor(F loop_fn, int64_t iters, const typing::PforOptions& o = {},
          typing::Location at = typing::Location::here()) {
  static_assert(
      detail::can_call<F, Array> || detail::can_call<F, Array, PforConfig>,
      "weft::pfor: loop_fn must take the index, an Array, or the index and a PforConfig&");
  const ir::SourceScope source(at);
  const Array index = detail::iterations("pfor", iters);
  detail::Iterations i = detail::iterations_of(iters, o.parallel_iterations);
  typing::VmapOptions v;
  v.axis_name = i.axis;
  v.chunk_size = o.parallel_iterations;
  v.strict = !o.fallback_to_while_loop;
  auto one = [loop_fn, config = PforConfig(std::move(i))](Array k) mutable {
    if constexpr (detail::Callable<F, Array>)
      return loop_fn(k);
    else
      return loop_fn(k, config);
  };
  return detail::Vmapped<decltype(one)>(std::move(one), {0, 0, std::move(v), at, o.warn})(index);
}
// Runs pfor with one iteration after another. The results of pfor must agree with it. Source:
// TensorFlow's for_loop.
template <class F>
auto for_loop(F loop_fn, int64_t iters, typing::Location at = typing::Location::here()) {
  static_assert(detail::can_call<F, Array>,
                "weft::for_loop: loop_fn must take the index, an Array");
  const ir::SourceScope source(at);
  auto one = [loop_fn](Array i) mutable { return loop_fn(i); };
  return map(std::move(one), detail::iterations("for_loop", iters), {}, at);
}

}  // namespace weft
