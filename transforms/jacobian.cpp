// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/jacobian.cpp: Jacobians as maps of derivatives over a basis.
#include "weft/transforms/jacobian.h"

#include <fmt/format.h>

#include <algorithm>

#include "weft/autodiff/autodiff.h"
#include "weft/batching/batch_trace.h"
#include "weft/tracer/base_ops.h"
#include "weft/tracer/types_of.h"
#include "weft/transforms/chunk.h"

namespace weft::detail {
namespace {

// n unit vectors, from number lo (i32[]) on, of some arrays taken together: for each [n, shape…].
Arrays unit_vectors(const Types& types, const Array& lo, int64_t n) {
  Arrays basis;
  int64_t first = 0;
  for (const Type& t : types) {
    const int64_t size = t.elements();
    // Vector number r of the whole basis is element r - first of this array.
    const auto filled = [&](const Array& x) {
      return base::insert_axis(base::insert_axis(x, 0, size), 0, n);
    };
    const Array number = base::add(base::iota(Type(I32, Shape{n, size}), 0), filled(lo));
    const Array element =
        base::add(base::iota(Type(I32, Shape{n, size}), 1), filled(lane_number(first)));
    basis.push_back(
        base::reshape(base::convert(number == element, t.dtype()), t.shape().inserted(0, n)));
    first += size;
  }
  return basis;
}

int64_t total(const Types& types) {
  int64_t n = 0;
  for (const Type& t : types) n += t.elements();
  return n;
}

// f mapped over n vectors of the basis; lanes first.
Arrays over_vectors(const Types& types, const Array& lo, int64_t n, FlatFunction f) {
  const Arrays basis = unit_vectors(types, lo, n);
  const Batched b = vmap_flat(f, basis, MaybeAxes(basis.size(), 0), n);
  Arrays out;
  for (size_t k = 0; k < b.out.size(); ++k) out.push_back(move_mapped(b.out[k], b.axis[k], 0, n));
  return out;
}

// f mapped over the whole basis of these arrays, some vectors at a time.
Arrays over_basis(const Types& types, int64_t chunk, FlatFunction f) {
  const int64_t n = total(types);
  const int64_t step = chunk > 0 ? std::min(chunk, n) : n;
  if (step >= n) return over_vectors(types, lane_number(0), n, f);
  std::vector<Arrays> parts;
  int64_t lo = 0;
  if (recording()) {
    const auto body = [&](const Arrays& in) {
      Arrays out = over_vectors(types, in[0], step, f);
      out.insert(out.begin(), base::add(in[0], lane_number(step)));
      return out;
    };
    parts.push_back(scan_rows(body, lane_number(0), {}, n / step));
    for (Array& ys : parts.back()) ys = unchunk_rows(ys, 0);
    lo = n / step * step;
  }
  for (; lo < n; lo += step)
    parts.push_back(over_vectors(types, lane_number(lo), std::min(step, n - lo), f));
  Arrays out;
  for (size_t k = 0; k < parts[0].size(); ++k) {
    Arrays pieces;
    for (const Arrays& p : parts) pieces.push_back(p[k]);
    out.push_back(base::concatenate(pieces, 0));
  }
  return out;
}

Shape joined(const Shape& a, const Shape& b) {
  std::vector<int64_t> s = a.sizes();
  s.insert(s.end(), b.begin(), b.end());
  return s;
}

Types chosen_types(const char* who, const Arrays& x, const std::vector<bool>& wrt, TreeOf args) {
  Types t;
  for (size_t i = 0; i < x.size(); ++i) {
    if (!wrt[i]) continue;
    if (!is_inexact(x[i].dtype()))
      throw DifferentiationError(
          fmt::format("{} requires real- or complex-valued inputs (input dtype that is a sub-dtype "
                      "of np.inexact), "
                      "but got {} for {}. Convert it with astype(F32).",
                      who, to_string(x[i].type()), tree::paths(args(), "args")[i]));
    t.push_back(x[i].type().strong());
  }
  if (t.empty())
    throw DifferentiationError(
        fmt::format("{}: the argument to differentiate with respect to holds no Array", who));
  return t;
}

// [n, out…] whose n rows belong to arrays of these types -> out… + in… for each.
Arrays split_columns(const Array& m, const Types& in) {
  Arrays r;
  int64_t at = 0;
  const int last = static_cast<int>(m.ndim()) - 1;
  const Array columns = base::move_axis(m, 0, last);
  const Shape out = m.shape().erased(0);
  for (const Type& t : in) {
    r.push_back(base::reshape(base::slice_axis(columns, last, at, at + t.elements()),
                              joined(out, t.shape())));
    at += t.elements();
  }
  return r;
}

BlockRows forward(FlatFunction f, const Arrays& x, const std::vector<bool>& wrt, const Types& in,
                  int64_t chunk) {
  const Arrays columns = over_basis(in, chunk, [&](const Arrays& basis) {
    Arrays dx(x.size());
    for (size_t i = 0, next = 0; i < x.size(); ++i)
      if (wrt[i]) dx[i] = basis[next++];
    Dual d = jvp_flat(f, x, dx);
    for (size_t k = 0; k < d.out.size(); ++k)
      d.tangent[k] = instantiate(d.tangent[k], d.out[k].type());
    return d.tangent;
  });
  BlockRows rows;
  for (const Array& c : columns) rows.push_back(split_columns(c, in));
  return rows;
}

BlockRows reverse(const char* who, FlatFunction f, const Arrays& x, const std::vector<bool>& wrt,
                  const Types& in, int64_t chunk) {
  const Linearized l = linearize_flat(f, x, wrt);
  Types out;
  for (const Array& y : l.out) {
    if (!is_inexact(y.dtype()))
      throw DifferentiationError(fmt::format(
          "{} requires real- or complex-valued outputs, but got {}", who, to_string(y.type())));
    out.push_back(y.type().strong());
  }
  const Arrays cts = over_basis(out, chunk, [&](const Arrays& basis) {
    const Arrays back = l.linear.transpose(basis);
    Arrays r;
    for (size_t i = 0; i < x.size(); ++i)
      if (wrt[i]) r.push_back(back[i]);
    return r;
  });
  BlockRows rows;
  int64_t at = 0;
  for (const Type& t : out) {
    rows.emplace_back();
    for (size_t i = 0; i < in.size(); ++i)
      rows.back().push_back(base::reshape(base::slice_axis(cts[i], 0, at, at + t.elements()),
                                          joined(t.shape(), in[i].shape())));
    at += t.elements();
  }
  return rows;
}

bool forward_is_cheaper(FlatFunction f, const Arrays& x, const Types& in) {
  return total(in) <= total(record(types_of(x), f).jaxpr->out_types());
}

}  // namespace

BlockRows run_jacobian(JacobianMode mode, FlatFunction f, const Arrays& x,
                       const std::vector<bool>& wrt, int64_t chunk, TreeOf args) {
  const char* who = mode == JacobianMode::forward   ? "jacfwd"
                    : mode == JacobianMode::reverse ? "jacrev"
                                                    : "jacobian";
  if (chunk < 0)
    throw DifferentiationError(
        fmt::format("{}: chunk_size must not be negative, got {}", who, chunk));
  const Types in = chosen_types(who, x, wrt, args);
  const bool fwd = mode == JacobianMode::forward ||
                   (mode == JacobianMode::cheaper && forward_is_cheaper(f, x, in));
  return fwd ? forward(f, x, wrt, in, chunk) : reverse(who, f, x, wrt, in, chunk);
}

Array run_batch_jacobian(FlatFunction f, const Array& x) {
  const Linearized l = linearize_flat(f, {x}, {true});
  const Array& y = l.out[0];
  if (x.ndim() == 0 || y.ndim() == 0 || x.shape()[0] != y.shape()[0])
    throw ShapeError(fmt::format("batch_jacobian: f must keep the leading axis, got {} for {}",
                                 to_string(y.type()), to_string(x.type())));
  const int64_t batch = x.shape()[0];
  const Shape row = y.shape().erased(0);
  // One cotangent an element of a row, the same in all rows: rows do not mix.
  const Arrays cts = over_basis({y.type().strong().with_shape(row)}, 0, [&](const Arrays& basis) {
    return Arrays{l.linear.transpose({base::insert_axis(basis[0], 0, batch)})[0]};
  });
  std::vector<int64_t> s = {batch};
  s.insert(s.end(), row.begin(), row.end());
  s.insert(s.end(), x.shape().begin() + 1, x.shape().end());
  return base::reshape(base::move_axis(cts[0], 0, 1), s);
}

}  // namespace weft::detail
