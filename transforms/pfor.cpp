// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/pfor.cpp: checks of vectorized_map's leading sizes; pfor's iterations and reductions.
#include "weft/vmap/pfor.h"

#include <fmt/format.h>

#include <algorithm>

#include "batching/batch_trace.h"
#include "core/loops/accumulator.h"
#include "ops/collective/collective.h"
#include "ops/kit/kit.h"
#include "tracer/base_ops.h"
#include "tracer/concrete.h"
#include "transforms/chunk.h"
#include "weft/lax/elementwise.h"

namespace weft::detail {

Arrays run_vectorized_map(const Arrays& x, TreeOf tree, const VectorizedMapOptions& o,
                          FlatFunction f) {
  if (x.empty()) throw BatchingError("vectorized_map: elems holds no Array");
  std::optional<int64_t> size;
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i].ndim() == 0)
      throw BatchingError(
          fmt::format("vectorized_map: {} is a scalar; there is no leading axis to map over",
                      tree::detail::paths(tree(), "elems")[i]));
    const int64_t n = x[i].shape()[0];
    if (n == 1) continue;
    if (size && *size != n)
      throw BatchingError(
          fmt::format("vectorized_map got inconsistent sizes for array axes to be mapped: {} has "
                      "leading size {}, others {}; "
                      "they must agree or be 1",
                      tree::detail::paths(tree(), "elems")[i], n, *size));
    size = n;
  }
  const int64_t n = size.value_or(1);
  Arrays in = x;
  MaybeAxes axis(x.size(), 0);
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i].shape()[0] == n) continue;
    in[i] = row_at(x[i], 0, 0);
    axis[i] = std::nullopt;
  }
  MapOptions m;
  m.strict = !o.fallback_to_while_loop;
  m.warn = o.warn;
  const Batched b = vmap_flat(f, in, axis, n, m);
  Arrays out;
  for (size_t k = 0; k < b.out.size(); ++k) out.push_back(move_mapped(b.out[k], b.axis[k], 0, n));
  return out;
}

Array iterations(const char* who, int64_t n) {
  if (n < 0) throw BatchingError(fmt::format("{}: iters must not be negative, got {}", who, n));
  return base::iota(Type(n > INT32_MAX ? I64 : I32, Shape{n}), 0);
}

Iterations iterations_of(int64_t size, int64_t at_a_time) {
  return {fmt::format("pfor {}", axis_env().size()), size, at_a_time > 0 && at_a_time < size};
}

Arrays over_iterations(OverIterations what, const Iterations& i, const Arrays& x) {
  if (i.in_parts)
    throw BatchingError(
        "pfor: Setting parallel_iterations currently unsupported if reductions across iterations "
        "are performed. Leave it out");
  Arrays out;
  for (const Array& a : x) {
    if (what == OverIterations::all) {
      out.push_back(all_gather_over(a, {i.axis}, {}, i.size, 0));
      continue;
    }
    if (what == OverIterations::sum) {
      out.push_back(psum_over(a, {i.axis}));
      continue;
    }
    const DType mean = is_inexact(a.dtype()) ? a.dtype() : F32;
    const Array sum = psum_over(base::convert(a, accumulator_dtype(mean)), {i.axis});
    const Array count = scalar_of(sum.dtype(), static_cast<double>(i.size));
    out.push_back(base::convert(lax::div(sum, broadcast_like(count, sum.type())), mean));
  }
  return out;
}

}  // namespace weft::detail
