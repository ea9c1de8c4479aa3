// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/jacobian.cpp: Jacobians as maps of derivatives over a basis.
#include "weft/transforms/jacobian.h"

#include <fmt/format.h>

#include <algorithm>

#include "weft/autodiff/autodiff.h"
#include "weft/autodiff/linearize.h"
#include "weft/batching/batch_trace.h"
#include "weft/core/programs/derivatives.h"
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
  const Batched b = vmap_flat(f, basis, MaybeAxes(basis.size(), 0), n, {.columns = true});
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

// The types of the Arrays that are differentiated by.
Types chosen_types(const char* who, JacobianMode mode, const Arrays& x,
                   const std::vector<bool>& wrt, bool holomorphic, TreeOf args) {
  Types t;
  for (size_t i = 0; i < x.size(); ++i) {
    if (!wrt[i]) continue;
    const auto path = [&] { return tree::paths(args(), "args")[i]; };
    const bool real = is_inexact(x[i].dtype()) && !is_complex(x[i].dtype());
    if (mode == JacobianMode::forward && !holomorphic && !real)
      throw DifferentiationError(fmt::format(
          "{} requires real-valued inputs (input dtype that is a sub-dtype of np.floating), but "
          "got {} for {}. {}",
          who, to_string(x[i].type()), path(),
          is_complex(x[i].dtype())
              ? "For holomorphic differentiation, pass holomorphic=True: {.holomorphic = true}. "
                "For differentiation of non-holomorphic functions involving complex inputs, use "
                "jvp."
              : "Convert it with astype(F32)."));
    check_reverse_input(who, x[i], holomorphic, path);
    t.push_back(x[i].type().strong());
  }
  if (t.empty())
    throw DifferentiationError(
        fmt::format("{}: the argument to differentiate with respect to holds no Array", who));
  return t;
}

// What is common to all modes.
struct Request {
  const char* who;
  FlatFunction f;
  const Arrays& x;
  const std::vector<bool>& wrt;
  const JacobianOptions& options;
  const size_t* results;
  Types in;  // of the chosen x
  size_t count(const Arrays& out) const { return results ? *results : out.size(); }
  Arrays chosen(const Arrays& all) const {
    Arrays r;
    for (size_t i = 0; i < x.size(); ++i)
      if (wrt[i]) r.push_back(all[i]);
    return r;
  }
  // The basis vectors as tangents of x.
  Arrays tangents(const Arrays& basis) const {
    Arrays dx(x.size());
    for (size_t i = 0, next = 0; i < x.size(); ++i)
      if (wrt[i]) dx[i] = basis[next++];
    return dx;
  }
};

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

void check_complex_results(const Request& q, const Arrays& out) {
  for (size_t k = 0; q.options.holomorphic && k < q.count(out); ++k)
    check_reverse_output(q.who, out[k].type(), true);
}

// f runs once for all columns of a chunk. With aux it runs once, and its derivative is applied.
JacobianResult forward(const Request& q) {
  JacobianResult r;
  Arrays columns;
  if (q.results) {
    Linearized l = linearize_first(q.f, q.x, q.wrt, q.results);
    check_complex_results(q, l.out);
    l.linear.out_types.resize(*q.results);
    columns = over_basis(q.in, q.options.chunk_size,
                         [&](const Arrays& basis) { return l.linear.apply(q.tangents(basis)); });
    r.out = std::move(l.out);
  } else {
    columns = over_basis(q.in, q.options.chunk_size, [&](const Arrays& basis) {
      Dual d = jvp_flat(q.f, q.x, q.tangents(basis));
      check_complex_results(q, d.out);
      for (size_t k = 0; k < d.out.size(); ++k)
        d.tangent[k] = instantiate(d.tangent[k], d.out[k].type());
      return d.tangent;
    });
  }
  for (const Array& c : columns) r.rows.push_back(split_columns(c, q.in));
  return r;
}

// f, its derivative, and the types of the results that have rows.
struct Reverse {
  Linearized l;
  Types out;
};
Reverse reversed(const Request& q) {
  Reverse r{linearize_first(q.f, q.x, q.wrt, q.results), {}};
  for (size_t k = 0; k < q.count(r.l.out); ++k) {
    check_reverse_output(q.who, r.l.out[k].type(), q.options.holomorphic);
    r.out.push_back(r.l.out[k].type().strong());
  }
  return r;
}

JacobianResult reverse(const Request& q) {
  Reverse v = reversed(q);
  const Arrays cts = over_basis(v.out, q.options.chunk_size, [&](const Arrays& basis) {
    return q.chosen(v.l.linear.transpose(basis));
  });
  JacobianResult r;
  int64_t at = 0;
  for (const Type& t : v.out) {
    r.rows.emplace_back();
    for (size_t i = 0; i < q.in.size(); ++i)
      r.rows.back().push_back(base::reshape(base::slice_axis(cts[i], 0, at, at + t.elements()),
                                            joined(t.shape(), q.in[i].shape())));
    at += t.elements();
  }
  r.out = std::move(v.l.out);
  return r;
}

// The number of rows of a batch, which all have as their leading axis.
int64_t batch_size(const Request& q, const Types& out) {
  const Type& first = q.in[0];
  const int64_t n = first.ndim() ? first.shape()[0] : -1;
  for (const Types& ts : {q.in, out})
    for (const Type& t : ts)
      if (t.ndim() == 0 || t.shape()[0] != n)
        throw ShapeError(fmt::format("{}: f must keep the leading axis, got {} for {}", q.who,
                                     to_string(out), to_string(q.in)));
  return n;
}

JacobianResult by_rows(const Request& q) {
  const Reverse v = reversed(q);
  const int64_t batch = batch_size(q, v.out);
  Types row;
  for (const Type& t : v.out) row.push_back(t.with_shape(t.shape().erased(0)));
  // One cotangent an element of a row, the same in all rows: rows do not mix.
  const Arrays cts = over_basis(row, q.options.chunk_size, [&](const Arrays& basis) {
    Arrays ct;
    for (const Array& b : basis) ct.push_back(base::insert_axis(b, 0, batch));
    return q.chosen(v.l.linear.transpose(ct));
  });
  JacobianResult r;
  int64_t at = 0;
  for (const Type& t : row) {
    r.rows.emplace_back();
    for (size_t i = 0; i < q.in.size(); ++i) {
      const Array part = base::slice_axis(cts[i], 0, at, at + t.elements());
      const Shape whole = joined(t.shape(), q.in[i].shape().erased(0)).inserted(0, batch);
      r.rows.back().push_back(base::reshape(base::move_axis(part, 0, 1), whole));
    }
    at += t.elements();
  }
  return r;
}

bool any_complex(const Types& types) {
  return std::any_of(types.begin(), types.end(),
                     [](const Type& t) { return is_complex(t.dtype()); });
}
bool forward_is_cheaper(const Request& q) {
  const Jaxpr j = record(types_of(q.x), q.f).jaxpr;
  Types out = j->out_types();
  if (q.results) out.resize(*q.results);
  // Unless f is holomorphic, forward mode takes no complex arguments, and reverse no such results.
  if (!q.options.holomorphic && any_complex(q.in)) return false;
  if (!q.options.holomorphic && any_complex(out)) return true;
  const Derivatives d = derivatives_of(dce(j, std::vector<bool>(j->out.size(), true)));
  return d.forward == d.reverse ? total(q.in) <= total(out) : d.forward;
}

}  // namespace

JacobianResult run_jacobian(JacobianMode mode, FlatFunction f, const Arrays& x,
                            const std::vector<bool>& wrt, const JacobianOptions& o, TreeOf args,
                            const size_t* results) {
  const char* who = mode == JacobianMode::forward   ? "jacfwd"
                    : mode == JacobianMode::reverse ? "jacrev"
                    : mode == JacobianMode::rows    ? "batch_jacobian"
                                                    : "jacobian";
  if (o.chunk_size < 0)
    throw DifferentiationError(
        fmt::format("{}: chunk_size must not be negative, got {}", who, o.chunk_size));
  const Request q{who, f, x, wrt, o, results, chosen_types(who, mode, x, wrt, o.holomorphic, args)};
  if (mode == JacobianMode::rows) return by_rows(q);
  const bool fwd =
      mode == JacobianMode::forward || (mode == JacobianMode::cheaper && forward_is_cheaper(q));
  return fwd ? forward(q) : reverse(q);
}

}  // namespace weft::detail
