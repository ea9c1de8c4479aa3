// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/matrix.cpp: matrices by ops that move elements and choose among them.
#include "weft/ops/linear/matrix.h"

#include <algorithm>
#include <numeric>

#include "weft/ops/elementwise/compare.h"
#include "weft/ops/elementwise/convert.h"
#include "weft/ops/index/index.h"
#include "weft/ops/kit/kit.h"
#include "weft/ops/linear/dot.h"
#include "weft/ops/structure/structure.h"

namespace weft::matrix {

void require_square(const char* op, const Types& in, size_t operand) {
  const Type& t = in[operand];
  if (!dtype_in(t.dtype(), DTypes::wide_floats | DTypes::complexes))
    reject_dtype(op, "takes f32, f64, c64 and c128 operands", in);
  const int n = t.ndim();
  if (n < 2 || t.shape()[n - 1] != t.shape()[n - 2])
    reject_shape(op, "takes square matrices along the last two axes", in);
}

Array conj(const Array& x) { return is_complex(x.dtype()) ? lax::conj(x) : x; }

Array transposed(const Array& x, bool conjugated) {
  Ints order(static_cast<size_t>(x.ndim()));
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[order.size() - 2], order[order.size() - 1]);
  const Array t = transpose_axes(x, order);
  return conjugated ? conj(t) : t;
}

Array triangle(const Array& x, bool lower, bool strict) {
  const Type index(I32, x.shape());
  const Array i = iota(I32, x.shape(), x.ndim() - 2), j = iota(I32, x.shape(), x.ndim() - 1);
  const Array inside =
      lower ? (strict ? lax::gt(i, j) : lax::ge(i, j)) : (strict ? lax::lt(i, j) : lax::le(i, j));
  return lax::select(inside, x, base::zeros(x.type().strong()));
}

namespace {
// x at these places of its axes, which go.
Array elements(const Array& x, const std::vector<std::pair<int, Array>>& places) {
  std::vector<int64_t> sizes = x.shape().sizes(), gone;
  Arrays starts(sizes.size(), base::zeros(Type(I32, {})));
  for (const auto& [axis, place] : places) {
    starts[static_cast<size_t>(axis)] = place;
    sizes[static_cast<size_t>(axis)] = 1;
    gone.push_back(axis);
  }
  return squeeze_axes(dynamic_slice_at(x, starts, sizes), gone);
}
}  // namespace

Array element(const Array& x, const Array& j, int at) { return elements(x, {{at, j}}); }
Array number(const Array& x, const Array& i, const Array& j) {
  return elements(x, {{x.ndim() - 2, i}, {x.ndim() - 1, j}});
}
Array diagonal(const Array& x) {
  const Shape columns = x.shape().with(x.ndim() - 1, 1);
  return squeeze_axes(gather_along(x, iota(I32, columns, x.ndim() - 2), x.ndim() - 1),
                      {x.ndim() - 1});
}
Array column(const Array& x, const Array& j) { return element(x, j, x.ndim() - 1); }

Array product(const Array& a, const Array& b) {
  Ints batch(static_cast<size_t>(a.ndim() - 2));
  std::iota(batch.begin(), batch.end(), 0);
  return lax::dot_general(a, b, {{a.ndim() - 1}, {a.ndim() - 2}, batch, batch});
}

Array along_leading(const Array& v, const Shape& shape) { return along(v, shape, v.ndim() - 1); }

Array along(const Array& v, const Shape& shape, int at) {
  Ints dims(static_cast<size_t>(v.ndim()));
  std::iota(dims.begin(), dims.end(), 0);
  if (!dims.empty()) dims.back() = at;
  return broadcast_in_dim(v, shape, dims);
}

Array without(const Array& v, const Shape& shape, int at) {
  Ints dims;
  for (int a = 0; a < shape.ndim(); ++a)
    if (a != at) dims.push_back(a);
  return broadcast_in_dim(v, shape, dims);
}

namespace {
template <class T>
T as_element(double re, double im) {
  if constexpr (is_complex(dtype_of_v<T>)) {
    using R = decltype(T{}.re);
    return {static_cast<R>(re), static_cast<R>(im)};
  } else {
    return static_cast<T>(re);
  }
}
// f(element, which it is) of each element.
template <class F>
Array filled(const Type& t, F f) {
  const Fresh r = fresh_array(t);
  with_class<DTypes::wide_floats | DTypes::complexes>(t.dtype(), [&](auto* p) {
    auto* out = static_cast<decltype(p)>(r.data);
    for (int64_t k = 0; k < t.elements(); ++k) f(out[k], k);
  });
  return r.array;
}
// Number k of those of a seed, from -1 to 1.
double drawn(uint64_t seed, int64_t k) {
  uint64_t z = seed * 0x9e3779b97f4a7c15u + static_cast<uint64_t>(k) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return static_cast<double>(static_cast<int64_t>(z ^ z >> 31)) * 0x1p-63;
}
}  // namespace

Array random(const Type& t, uint64_t seed) {
  return filled(t, [&](auto& x, int64_t k) {
    x = as_element<std::remove_reference_t<decltype(x)>>(drawn(seed, k), drawn(~seed, k));
  });
}

Array dominant(const Type& t, uint64_t seed) {
  const int64_t n = t.shape()[t.ndim() - 1];
  return filled(t, [&](auto& x, int64_t k) {
    const bool diagonal = k % n == k / n % n;
    x = as_element<std::remove_reference_t<decltype(x)>>(
        drawn(seed, k) + (diagonal ? static_cast<double>(n) + 1 : 0), drawn(~seed, k));
  });
}

Array positive_definite(const Type& t, uint64_t seed) {
  const int64_t n = t.shape()[t.ndim() - 1];
  return filled(t, [&](auto& x, int64_t k) {
    const int64_t i = k / n % n, j = k % n,
                  lower = k - i * n - j + std::max(i, j) * n + std::min(i, j);
    const double im = drawn(~seed, lower) * (i >= j ? 1 : -1);
    x = as_element<std::remove_reference_t<decltype(x)>>(
        drawn(seed, lower) + (i == j ? static_cast<double>(n) + 1 : 0), im);
  });
}

}  // namespace weft::matrix
