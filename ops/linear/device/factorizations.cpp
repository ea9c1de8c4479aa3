// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/device/factorizations.cpp: transposes rows to columns before a call. After it, signs
// are chosen and failed results become NaN, all on the device.
#include <cmath>
#include <limits>

#include "ops/kit/axes.h"
#include "ops/kit/kit.h"
#include "ops/linear/device/calls.h"
#include "ops/linear/matrix.h"
#include "ops/structure/structure.h"
#include "runtime/cuda/libraries/solver.h"
#include "weft/error.h"
#include "weft/lax/compare.h"
#include "weft/lax/convert.h"
#include "weft/lax/elementary.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/linalg/lu.h"
#include "weft/lax/reduce.h"

namespace weft::device_calls {
namespace {

using namespace lax;
using cuda::Columns;
using matrix::Sizes;

// The type with the batch axes of x, followed by axes of these sizes.
Type led(const Type& x, DType d, const std::vector<int64_t>& more) {
  std::vector<int64_t> sizes = x.shape().sizes();
  sizes.resize(sizes.size() - 2);
  sizes.insert(sizes.end(), more.begin(), more.end());
  return Type(d, Shape(sizes));
}
Type info_of(const Type& x) { return led(x, I32, {}); }
// The library reads row-major matrices as column-major, which are the transposed matrices.
Columns as_columns(const Type& x) {
  const Sizes s(x);
  return {x.dtype(), s.batch, s.columns, s.rows};
}
Columns transposed_columns(const Type& x) {
  const Sizes s(x);
  return {x.dtype(), s.batch, s.rows, s.columns};
}
Type transposed_type(const Type& x) {
  const Sizes s(x);
  return led(x, x.dtype(), {s.columns, s.rows});
}

Array succeeded(const Array& info) { return eq(info, matrix::zeros_like(info)); }
// x where `good` is true, else NaN. `good` has the leading axes of x.
Array or_nan(const Array& good, const Array& x) {
  const Array none =
      convert_element_type(Array(std::numeric_limits<double>::quiet_NaN()), real_part(x.dtype()));
  const Array nan = is_complex(x.dtype()) ? lax::complex(none, none) : none;
  return select(matrix::along_leading(good, x.shape()), x, matrix::all(nan, x.shape()));
}
// Returns true for matrices without NaN and infinity.
Array all_finite(const Array& x) {
  const int rank = x.ndim();
  const Array nothing = abs(sub(x, x));  // 0 or NaN
  return succeeded(reduce_sum(nothing, {rank - 2, rank - 1}));
}
Array finite_or_zero(const Array& x, const Array& finite) {
  return select(matrix::along_leading(finite, x.shape()), x, matrix::zeros_like(x));
}

}  // namespace

// A row-major lower triangle is the column-major upper triangle of the conjugate. The library's
// factor is the conjugate transpose of L, so it has the memory layout of L.
NativeCall cholesky(const Type& given) {
  const Type x = given.strong();
  NativeCall c;
  c.function = name_of_cholesky(as_columns(x));
  c.run = [a = as_columns(x)](const NativeArgs& args) { cuda::cholesky(a, args); };
  c.adapters = [x] {
    const auto before = [&](const Arrays& in) {
      const Array i = iota(I32, x.shape(), x.ndim() - 2), j = iota(I32, x.shape(), x.ndim() - 1);
      const Array diagonal = matrix::as_number(matrix::real_part_of(in[0]), x.dtype());
      return Arrays{select(eq(i, j), diagonal, matrix::triangle(in[0], true, true))};
    };
    const auto after = [](const Arrays& in) {
      return Arrays{matrix::triangle(or_nan(succeeded(in[1]), in[0]), true)};
    };
    return LayoutAdapters{program({x}, before), {info_of(x)}, program({x, info_of(x)}, after)};
  };
  return c;
}

NativeCall lu(const Type& given) {
  const Type x = given.strong();
  const Columns a = transposed_columns(x);
  NativeCall c;
  c.function = name_of_lu(a);
  c.run = [a](const NativeArgs& args) { cuda::lu(a, args); };
  c.adapters = [x, a] {
    const Type turned = transposed_type(x), order = led(x, F64, {a.rows}),
               pivots = led(x, I32, {a.smaller()});
    const bool swaps = lu_swaps(a);
    const auto before = [&](const Arrays& in) {
      Arrays r = {matrix::transposed(in[0])};
      if (swaps) r.push_back(iota(F64, order.shape(), order.ndim() - 1));
      return r;
    };
    const auto after = [&](const Arrays& in) {
      const Array& places = in[swaps ? 2 : 1];
      const Array from_zero = sub(places, like(places, 1));
      return Arrays{
          matrix::transposed(in[0]), from_zero,
          swaps ? convert_element_type(in[1], I32) : lu_pivots_to_permutation(from_zero, a.rows)};
    };
    const Types behind =
        swaps ? Types{turned, order, pivots, info_of(x)} : Types{turned, pivots, info_of(x)};
    return LayoutAdapters{program({x}, before), {pivots, info_of(x)}, program(behind, after)};
  };
  return c;
}

NativeCall geqrf(const Type& given) {
  const Type x = given.strong();
  const Columns a = transposed_columns(x);
  NativeCall c;
  c.function = name_of_reflections(a);
  c.run = [a](const NativeArgs& args) { cuda::reflections(a, args); };
  c.adapters = [x, a] {
    const Type taus = led(x, x.dtype(), {a.smaller()});
    const auto before = [](const Arrays& in) { return Arrays{matrix::transposed(in[0])}; };
    const auto after = [](const Arrays& in) { return Arrays{matrix::transposed(in[0]), in[1]}; };
    return LayoutAdapters{program({x}, before),
                          {taus, info_of(x)},
                          program({transposed_type(x), taus, info_of(x)}, after)};
  };
  return c;
}

NativeCall householder_product(const Type& given, const Type& given_taus) {
  const Type x = given.strong(), taus = given_taus.strong();
  const Columns a = transposed_columns(x);
  NativeCall c;
  c.function = name_of_product(a);
  c.run = [a, n = taus.shape()[taus.ndim() - 1]](const NativeArgs& args) {
    cuda::product_of_reflections(a, n, args);
  };
  c.adapters = [x, taus] {
    const auto before = [](const Arrays& in) { return Arrays{matrix::transposed(in[0]), in[1]}; };
    const auto after = [](const Arrays& in) { return Arrays{matrix::transposed(in[0])}; };
    return LayoutAdapters{program({x, taus}, before),
                          {info_of(x)},
                          program({transposed_type(x), taus, info_of(x)}, after)};
  };
  return c;
}

// The library returns the eigenvectors of the conjugate matrix as rows. Their conjugates, as
// columns, are the result.
NativeCall eigh(const Type& given) {
  const Type x = given.strong(), values = led(x, real_part(x.dtype()), {Sizes(x).rows}),
             flag = led(x, Bool, {});
  NativeCall c;
  c.function = name_of_eigh(as_columns(x));
  c.run = [a = as_columns(x)](const NativeArgs& args) { cuda::eigh(a, args); };
  c.adapters = [=] {
    const auto before = [](const Arrays& in) {
      const Array finite = all_finite(matrix::triangle(in[0], true));
      return Arrays{finite_or_zero(in[0], finite), finite};
    };
    const auto after = [](const Arrays& in) {
      const Array good = bitwise_and(in[1], succeeded(in[3]));
      const Array v = matrix::transposed(in[0], true);
      const int rows = v.ndim() - 2;
      return Arrays{or_nan(good, matrix::scaled(v, matrix::to_positive_leads(v, rows), rows)),
                    or_nan(good, in[2])};
    };
    return LayoutAdapters{
        program({x}, before), {values, info_of(x)}, program({x, flag, values, info_of(x)}, after)};
  };
  return c;
}

// The library requires at least as many rows as columns. A wide row-major matrix is a tall
// column-major one, transposed. Its left vectors are the right vectors of x, and all have the
// required memory layout.
NativeCall svd(const Type& given, bool vectors) {
  const Type x = given.strong();
  const Sizes s(x);
  const bool wide = s.columns >= s.rows;
  const Columns a = wide ? as_columns(x) : transposed_columns(x);
  const int64_t k = a.smaller();
  NativeCall c;
  c.function = name_of_svd(a);
  c.run = [=](const NativeArgs& args) { cuda::svd(a, vectors, args); };
  c.adapters = [=] {
    const Type there = led(x, x.dtype(), {a.columns, a.rows}), flag = led(x, Bool, {}),
               values = led(x, real_part(x.dtype()), {k}), left = led(x, x.dtype(), {k, a.rows}),
               right = led(x, x.dtype(), {a.columns, k});
    Types makes = {values};
    if (vectors) makes.insert(makes.end(), {left, right});
    makes.push_back(info_of(x));
    const auto before = [&](const Arrays& in) {
      const Array finite = all_finite(in[0]), y = finite_or_zero(in[0], finite);
      return Arrays{wide ? y : matrix::transposed(y), finite};
    };
    const auto after = [&](const Arrays& in) {
      const Array good = bitwise_and(in[1], succeeded(in.back()));
      if (!vectors) return Arrays{or_nan(good, in[2])};
      const Array u = wide ? in[4] : matrix::transposed(in[3]),
                  vh = wide ? in[3] : matrix::transposed(in[4]);
      const int rows = u.ndim() - 2;
      const Array phase = matrix::to_positive_leads(u, rows);
      return Arrays{or_nan(good, in[2]), or_nan(good, matrix::scaled(u, phase, rows)),
                    or_nan(good, matrix::scaled(vh, matrix::conj(phase), rows + 1))};
    };
    Types behind = {there, flag};
    behind.insert(behind.end(), makes.begin(), makes.end());
    return LayoutAdapters{program({x}, before), makes, program(behind, after)};
  };
  return c;
}

}  // namespace weft::device_calls
