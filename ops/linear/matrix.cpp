// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/matrix.cpp: matrix helpers made of ops that move and select elements.
#include "ops/linear/matrix.h"

#include "batching/batch_trace.h"
#include "ops/control/control_flow.h"
#include "ops/index/index.h"
#include "ops/kit/axes.h"
#include "ops/kit/kit.h"
#include "ops/kit/lists.h"
#include "ops/kit/sample_numbers.h"
#include "ops/structure/structure.h"
#include "weft/lax/compare.h"
#include "weft/lax/convert.h"
#include "weft/lax/dot.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/reduce.h"

namespace weft::matrix {

void require_matrices(const char* op, const Types& in) {
  if (!dtype_in(in[0].dtype(), DTypes::wide_floats | DTypes::complexes))
    reject_dtype(op, "takes f32, f64, c64 and c128 operands", in);
  if (in[0].ndim() < 2) reject_shape(op, "takes matrices along the last two axes", in);
}

Sizes::Sizes(const Type& t) : rows(t.shape()[t.ndim() - 2]), columns(t.shape()[t.ndim() - 1]) {
  for (int a = 0; a + 2 < t.ndim(); ++a) batch *= t.shape()[a];
}

void require_square(const char* op, const Types& in) {
  const Type& t = in[0];
  if (!dtype_in(t.dtype(), DTypes::wide_floats | DTypes::complexes))
    reject_dtype(op, "takes f32, f64, c64 and c128 operands", in);
  const int n = t.ndim();
  if (n < 2 || t.shape()[n - 1] != t.shape()[n - 2])
    reject_shape(op, "takes square matrices along the last two axes", in);
}

Array conj(const Array& x) { return is_complex(x.dtype()) ? lax::conj(x) : x; }

Array real_part_of(const Array& x) { return is_complex(x.dtype()) ? lax::real(x) : x; }
bool is_real_row(const Array& x) { return x.shape()[x.ndim() - 2] == 1 && !is_complex(x.dtype()); }
Array as_number(const Array& x, DType d) {
  return is_complex(d) ? lax::complex(x, zeros_like(x)) : x;
}
Array zeros_like(const Array& x) { return base::zeros(x.type().strong()); }
Array squares(const Array& x) {
  if (!is_complex(x.dtype())) return lax::square(x);
  return lax::add(lax::square(lax::real(x)), lax::square(lax::imag(x)));
}

Array transposed(const Array& x, bool conjugated) {
  Ints order = axis_range(x.ndim());
  std::swap(order[order.size() - 2], order[order.size() - 1]);
  const Array t = transpose_axes(x, order);
  return conjugated ? conj(t) : t;
}

Array triangle(const Array& x, bool lower, bool strict) {
  const Array i = iota(I32, x.shape(), x.ndim() - 2), j = iota(I32, x.shape(), x.ndim() - 1);
  const Array inside =
      lower ? (strict ? lax::gt(i, j) : lax::ge(i, j)) : (strict ? lax::lt(i, j) : lax::le(i, j));
  return lax::select(inside, x, base::zeros(x.type().strong()));
}

namespace {
// Indexes x at these positions of its axes, which are removed.
Array elements(const Array& x, const std::vector<std::pair<int, Array>>& places) {
  std::vector<int64_t> sizes = x.shape().sizes(), gone;
  Arrays starts(sizes.size(), base::zeros(Type(I32, {})));
  for (const auto& [axis, place] : places) {
    starts[axis] = place;
    sizes[axis] = 1;
    gone.push_back(axis);
  }
  return squeeze_axes(dynamic_slice_at(x, starts, sizes), gone);
}
}  // namespace

Array element(const Array& x, const Array& j, int at) { return elements(x, {{at, j}}); }
Array with_element(const Array& x, const Array& part, const Array& j, int at) {
  // At a known place, a selection can be a part of any kernel. An update in place would be kept for
  // a loop around it.
  if (j.node().concrete()) {
    const Array here = lax::eq(iota(I32, x.shape(), at), all(j, x.shape()));
    return lax::select(here, without(part, x.shape(), at), x);
  }
  Arrays starts(x.ndim(), base::zeros(Type(I32, {})));
  starts[at] = j;
  return dynamic_update_at(x, base::insert_axis(part, at, 1), starts);
}
Array all(const Array& number, const Shape& shape) { return broadcast_in_dim(number, shape, {}); }
Array number(const Array& x, const Array& i, const Array& j) {
  return elements(x, {{x.ndim() - 2, i}, {x.ndim() - 1, j}});
}
Array diagonal(const Array& x) {
  const Shape columns = x.shape().with(x.ndim() - 1, 1);
  return squeeze_axes(gather_along(x, iota(I32, columns, x.ndim() - 2), x.ndim() - 1),
                      {x.ndim() - 1});
}
Array column(const Array& x, const Array& j) { return element(x, j, x.ndim() - 1); }

Row row_at(int64_t number) { return {scalar_of_int(I32, number), number}; }

Row after(const Row& r) {
  return r.number ? row_at(*r.number + 1) : Row{lax::add(r.index, like(r.index, 1))};
}

Array over_rows(const Row& first, const Row& end, const Array& x,
                FunctionRef<Array(const Array& i, const Array& x)> step) {
  if (first.number && end.number) {
    Array r = x;
    for (int64_t i = *first.number; i < *end.number; ++i) r = step(scalar_of_int(I32, i), r);
    return r;
  }
  const Types types{Type(I32, {}), x.type()};
  // A known end is a literal of the test. As an array it would be an operand of the loop.
  const ClosedJaxpr test = record(types, [&](const Arrays& c) {
    const Array last = end.number ? like(c[0], static_cast<double>(*end.number)) : end.index;
    return Arrays{lax::lt(c[0], last)};
  });
  const ClosedJaxpr body = record(types, [&](const Arrays& c) {
    return Arrays{lax::add(c[0], like(c[0], 1)), step(c[0], c[1])};
  });
  return while_flat(test, body, {first.index, x})[1];
}

Arrays over_steps(int64_t n, bool reverse, const Arrays& carry,
                  FunctionRef<Arrays(const Row& j, const Arrays& carry)> step) {
  constexpr int64_t most_written_out = 4;
  if (n > most_written_out) {
    Types types;
    for (const Array& x : carry) types.push_back(x.type());
    types.emplace_back(I32, Shape());
    const ClosedJaxpr body = record(
        types, [&](const Arrays& c) { return step({c.back()}, sublist(c, 0, carry.size())); });
    return scan_flat(body, carry, {iota(I32, {n}, 0)}, n, reverse);
  }
  Arrays now = carry;
  std::vector<Arrays> results;  // by result
  for (int64_t k = 0; k < n; ++k) {
    const int64_t j = reverse ? n - 1 - k : k;
    const Arrays out = step(row_at(j), now);
    now = sublist(out, 0, carry.size());
    results.resize(out.size() - carry.size(), Arrays(static_cast<size_t>(n)));
    for (size_t r = 0; r < results.size(); ++r)
      results[r][static_cast<size_t>(j)] = base::insert_axis(out[carry.size() + r], 0, 1);
  }
  for (const Arrays& rows : results) now.push_back(concatenate_arrays(rows, 0));
  return now;
}

Array product(const Array& a, const Array& b) {
  const Ints batch = axis_range(a.ndim() - 2);
  return lax::dot_general(a, b, {{a.ndim() - 1}, {a.ndim() - 2}, batch, batch});
}

Array along_leading(const Array& v, const Shape& shape) { return along(v, shape, v.ndim() - 1); }

Array along(const Array& v, const Shape& shape, int at) {
  Ints dims = axis_range(v.ndim());
  if (!dims.empty()) dims.back() = at;
  return broadcast_in_dim(v, shape, dims);
}

Array without(const Array& v, const Shape& shape, int at) {
  Ints dims;
  for (int a = 0; a < shape.ndim(); ++a)
    if (a != at) dims.push_back(a);
  return broadcast_in_dim(v, shape, dims);
}

Array scaled(const Array& x, const Array& v, int at) {
  return lax::mul(x, without(v, x.shape(), at));
}

Array identity(const Type& t) {
  const int last = t.ndim() - 1;
  const Array on_diagonal = lax::eq(iota(I32, t.shape(), last - 1), iota(I32, t.shape(), last));
  return lax::select(on_diagonal, base::ones(t), base::zeros(t));
}

Array leads(const Array& vectors, int axis) {
  const Shape& s = vectors.shape();
  const Array size = lax::abs(vectors);
  const Array largest = lax::mul(lax::reduce_max(size, {axis}), like(size, 0.6));
  const Array place = iota(I32, s, axis);
  const Array none = all(like(place, static_cast<double>(s[axis])), s);
  const Array large = lax::ge(size, without(largest, s, axis));
  const Array first = lax::reduce_min(lax::select(large, place, none), {axis});
  return lax::eq(place, without(first, s, axis));
}
Array at_leads(const Array& x, const Array& leads, int axis) {
  return base::reduce_sum(lax::select(leads, x, zeros_like(x)), {axis});
}
Array to_positive_leads(const Array& vectors, int axis) {
  const Array lead = at_leads(vectors, leads(vectors, axis), axis);
  return lax::div(conj(lead), as_number(lax::abs(lead), lead.dtype()));
}

Arrays each_matrix(const Array& x, FunctionRef<Arrays(const Array&)> f) {
  if (x.ndim() == 2) return f(x);
  const int64_t n = x.shape()[0];
  const Batched b =
      vmap_flat([&](const Arrays& lane) { return each_matrix(lane[0], f); }, {x}, {0}, n);
  Arrays out;
  for (size_t k = 0; k < b.out.size(); ++k) out.push_back(move_mapped(b.out[k], b.axis[k], 0, n));
  return out;
}

Array random(const Type& t, uint64_t seed) { return SampleNumbers(seed)(t, -1, 1); }

Array dominant(const Type& t, uint64_t seed) {
  const Array x = random(t, seed);
  const int n = t.ndim();
  const Array on_diagonal = lax::eq(iota(I32, t.shape(), n - 2), iota(I32, t.shape(), n - 1));
  const double more = static_cast<double>(t.shape()[n - 1]) + 1;
  return lax::select(on_diagonal, lax::add(x, like(x, more)), x);
}

Array positive_definite(const Type& t, uint64_t seed) {
  const Array lower = triangle(dominant(t, seed), true);
  return lax::add(lower, transposed(triangle(lower, true, true), true));
}

}  // namespace weft::matrix
