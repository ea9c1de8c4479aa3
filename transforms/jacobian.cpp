// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/jacobian.cpp: Jacobians as maps of derivatives over a basis.
#include "weft/grad/jacobian.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "autodiff/autodiff.h"
#include "autodiff/linearize.h"
#include "batching/batch_trace.h"
#include "core/derivatives.h"
#include "ops/index/index.h"
#include "ops/kit/lists.h"
#include "tracer/base_ops.h"
#include "tracer/concrete.h"
#include "tracer/initialized.h"
#include "tracer/types_of.h"
#include "transforms/basis.h"
#include "transforms/chunk.h"
#include "transforms/sparsity.h"

namespace weft::detail {
namespace {

// Maps f over n vectors of the basis; the lanes are on the leading axis.
Arrays over_vectors(const Basis& basis, const Array& lo, int64_t n, FlatFunction f) {
  const Arrays x = vectors(basis, lo, n);
  const Batched b = vmap_flat(f, x, MaybeAxes(x.size(), 0), n, {.columns = true});
  Arrays out;
  for (size_t k = 0; k < b.out.size(); ++k) out.push_back(move_mapped(b.out[k], b.axis[k], 0, n));
  return out;
}

// Maps f over the whole basis, one chunk of vectors at a time.
Arrays over_basis(const Basis& basis, int64_t chunk, FlatFunction f) {
  const int64_t n = basis.count;
  const int64_t step = chunk > 0 ? std::min(chunk, n) : n;
  if (step >= n) return over_vectors(basis, lane_number(0), n, f);
  std::vector<Arrays> parts;
  int64_t lo = 0;
  if (recording()) {
    const auto body = [&](const Arrays& in) {
      Arrays out = over_vectors(basis, in[0], step, f);
      out.insert(out.begin(), base::add(in[0], lane_number(step)));
      return out;
    };
    parts.push_back(scan_rows(body, lane_number(0), {}, n / step));
    for (Array& ys : parts.back()) ys = unchunk_rows(ys, 0);
    lo = n / step * step;
  }
  for (; lo < n; lo += step)
    parts.push_back(over_vectors(basis, lane_number(lo), std::min(step, n - lo), f));
  Arrays out;
  for (size_t k = 0; k < parts[0].size(); ++k) {
    Arrays pieces;
    for (const Arrays& p : parts) pieces.push_back(p[k]);
    out.push_back(base::concatenate(pieces, 0));
  }
  return out;
}

Shape concat_lists(const Shape& a, const Shape& b) {
  std::vector<int64_t> s = a.sizes();
  s.insert(s.end(), b.begin(), b.end());
  return s;
}

// Checks the selected arguments, with respect to which f is differentiated, and returns their
// types.
Types chosen_types(const char* who, JacobianMode mode, const Arrays& x,
                   const std::vector<bool>& wrt, bool holomorphic, TreeOf args) {
  Types t;
  for (size_t i = 0; i < x.size(); ++i) {
    if (!wrt[i]) continue;
    const auto path = [&] { return tree::detail::paths(args(), "args")[i]; };
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

// The parts of a request that all modes share.
struct Request {
  const char* who;
  FlatFunction f;
  const Arrays& x;
  const std::vector<bool>& wrt;
  const JacobianOptions& options;
  const size_t* results;
  Types in;  // types of the selected x
  size_t count(const Arrays& out) const { return results ? *results : out.size(); }
  Arrays chosen(const Arrays& all) const {
    Arrays r;
    for (size_t i = 0; i < x.size(); ++i)
      if (wrt[i]) r.push_back(all[i]);
    return r;
  }
  // Returns the basis vectors as tangents of x.
  Arrays tangents(const Arrays& basis) const {
    Arrays dx(x.size());
    for (size_t i = 0, next = 0; i < x.size(); ++i)
      if (wrt[i]) dx[i] = basis[next++];
    return dx;
  }
};

// Splits [n, out…], whose n rows belong to arrays of these types, into out… + in… for each array.
Arrays split_columns(const Array& m, const Types& in) {
  Arrays r;
  int64_t at = 0;
  const int last = static_cast<int>(m.ndim()) - 1;
  const Array columns = base::move_axis(m, 0, last);
  const Shape out = m.shape().erased(0);
  for (const Type& t : in) {
    r.push_back(base::reshape(base::slice_axis(columns, last, at, at + t.elements()),
                              concat_lists(out, t.shape())));
    at += t.elements();
  }
  return r;
}

// Splits [n, in…], whose n columns belong to arrays of these types, into out… + in… for each array.
BlockRows split_rows(const Arrays& cts, const Types& out, const Types& in) {
  BlockRows rows;
  int64_t at = 0;
  for (const Type& t : out) {
    rows.emplace_back();
    for (size_t i = 0; i < in.size(); ++i)
      rows.back().push_back(base::reshape(base::slice_axis(cts[i], 0, at, at + t.elements()),
                                          concat_lists(t.shape(), in[i].shape())));
    at += t.elements();
  }
  return rows;
}

void check_complex_results(const Request& q, const Arrays& out) {
  for (size_t k = 0; q.options.holomorphic && k < q.count(out); ++k)
    check_reverse_output(q.who, out[k].type(), true);
}

// A sparse Jacobian: vectors whose passes compute all nonzero elements, and the positions of these
// elements.
struct Sparse {
  Basis basis;
  Pattern pattern;  // for each unit vector, the nonzero elements on the other side
  bool forward = false;
};

// Returns positions in a flat array as indices, I64 if they exceed I32.
Array positions(const std::vector<int64_t>& p, int64_t end) {
  if (end > std::numeric_limits<int32_t>::max())
    return array_of_bytes(Type(I64, {static_cast<int64_t>(p.size())}), p.data());
  return vector_of({p.begin(), p.end()});
}
// Returns the positions as index rows for an array of that shape, one row per position. The shape
// has at least one axis.
Array rows_of_indices(const std::vector<int64_t>& p, const Shape& shape) {
  const size_t rank = shape.ndim();
  std::vector<int32_t> rows(p.size() * rank);
  for (size_t i = 0; i < p.size(); ++i) {
    int64_t rest = p[i];
    for (size_t a = rank; a-- > 0; rest /= shape[static_cast<int>(a)])
      rows[i * rank + a] = static_cast<int32_t>(rest % shape[static_cast<int>(a)]);
  }
  return base::reshape(vector_of(rows),
                       {static_cast<int64_t>(p.size()), static_cast<int64_t>(rank)});
}

// The elements first … first + type.elements() - 1 of one side of the Jacobian.
struct Side {
  int64_t first;
  const Type& type;
  int64_t size() const { return type.elements(); }
  bool holds(int64_t k) const { return first <= k && k < first + size(); }
};
// Scatters passes [vectors, other side…] into out… + in…. `mine`: the side of the basis.
Array spread(const Sparse& s, const Array& passes, const Side& mine, const Side& other) {
  const Side &out = s.forward ? other : mine, &in = s.forward ? mine : other;
  std::vector<std::pair<int64_t, int64_t>> moves;  // to, from
  for (int64_t k = mine.first; k < mine.first + mine.size(); ++k)
    for (const int32_t o : s.pattern.rows[k])
      if (other.holds(o))
        moves.emplace_back(
            ((s.forward ? o : k) - out.first) * in.size() + ((s.forward ? k : o) - in.first),
            s.basis.vector[k] * other.size() + o - other.first);
  std::sort(moves.begin(), moves.end());
  std::vector<int64_t> to, from;
  for (const auto& [t, f] : moves) {
    to.push_back(t);
    from.push_back(f);
  }
  const Array values = gather_along(base::reshape(passes, {passes.size()}),
                                    positions(from, passes.size()), 0, OutOfBounds::clip);
  // The scatter writes into the final shape, because a reshape after it would copy the whole array.
  const Shape whole = concat_lists(out.type.shape(), in.type.shape()),
              shape = whole.ndim() == 0 ? Shape{1} : whole;
  WindowDims one;
  for (int64_t a = 0; a < shape.ndim(); ++a) one.collapsed.push_back(a);
  one.index_map = one.collapsed;
  return base::reshape(
      scatter_windows(base::zeros(Type(passes.dtype(), shape)), rows_of_indices(to, shape), values,
                      one, Update::set, OutOfBounds::clip, {.unique = true, .sorted = true}),
      whole);
}
// Does the same for each array of the other side and of the basis: rows[other][mine].
BlockRows spread(const Sparse& s, const Arrays& passes, const Types& others) {
  BlockRows rows;
  int64_t at = 0;
  for (size_t k = 0; k < others.size(); ++k) {
    rows.emplace_back();
    int64_t first = 0;
    for (const Type& t : s.basis.types) {
      rows.back().push_back(spread(s, passes[k], {first, t}, {at, others[k]}));
      first += t.elements();
    }
    at += others[k].elements();
  }
  return rows;
}

BlockRows transposed(const BlockRows& blocks) {
  BlockRows t(blocks.empty() ? 0 : blocks[0].size());
  for (const Arrays& row : blocks)
    for (size_t k = 0; k < row.size(); ++k) t[k].push_back(row[k]);
  return t;
}

// Computes the Jacobian in forward mode; f runs once per chunk of columns. With aux, f is
// linearized once and its linear program is applied to the chunks.
JacobianResult forward(const Request& q, const Sparse* sparse) {
  JacobianResult r;
  Arrays columns;
  const Basis basis = sparse ? sparse->basis : unit_vectors(q.in);
  if (q.results) {
    Linearized l = linearize_first(q.f, q.x, q.wrt, q.results);
    check_complex_results(q, l.out);
    l.linear.out_types.resize(*q.results);
    columns = over_basis(basis, q.options.chunk_size,
                         [&](const Arrays& v) { return l.linear.apply(q.tangents(v)); });
    r.out = std::move(l.out);
  } else {
    columns = over_basis(basis, q.options.chunk_size, [&](const Arrays& v) {
      const Dual d = jvp_flat(q.f, q.x, q.tangents(v));
      check_complex_results(q, d.out);
      return written_tangents(d);
    });
  }
  if (sparse) {
    Types out;
    for (const Array& c : columns) out.push_back(c.type().with_shape(c.shape().erased(0)));
    r.rows = spread(*sparse, columns, out);
    return r;
  }
  for (const Array& c : columns) r.rows.push_back(split_columns(c, q.in));
  return r;
}

// The linearized f, and the types of the results that have rows.
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

JacobianResult reverse(const Request& q, const Sparse* sparse) {
  Reverse v = reversed(q);
  const Basis basis = sparse ? sparse->basis : unit_vectors(v.out);
  const Arrays cts = over_basis(basis, q.options.chunk_size, [&](const Arrays& rows) {
    return q.chosen(v.l.linear.transpose(rows));
  });
  return {sparse ? transposed(spread(*sparse, cts, q.in)) : split_rows(cts, v.out, q.in),
          std::move(v.l.out)};
}

// Returns the size of the batch, which is the leading axis of all arrays.
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
  // Row i of the result depends only on row i of the arguments. So one cotangent per element of a
  // row, with the same value in all rows, is enough.
  const Arrays cts = over_basis(unit_vectors(row), q.options.chunk_size, [&](const Arrays& basis) {
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
      const Shape whole = concat_lists(t.shape(), q.in[i].shape().erased(0)).inserted(0, batch);
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
// The modes in which f has a Jacobian. Unless f is holomorphic, forward mode does not support
// complex arguments, and reverse mode does not support complex results.
struct Modes {
  Types out;
  bool forward = true, reverse = true;
};
Modes modes_of(const Request& q) {
  const Jaxpr j = record(types_of(q.x), q.f, q.who).jaxpr;
  Modes m{j->out_types()};
  if (q.results) m.out.resize(*q.results);
  if (!q.options.holomorphic && (any_complex(q.in) || any_complex(m.out))) {
    m.forward = !any_complex(q.in);
    m.reverse = !m.forward;
    return m;
  }
  const Derivatives d = derivatives_of(dce(j));
  if (d.forward != d.reverse) {
    m.forward = d.forward;
    m.reverse = d.reverse;
  }
  return m;
}

// Returns, for each unit vector of the arguments (forward mode) or of the results, the elements
// that it reaches on the other side. The search runs on the derivative in that mode, recorded as a
// program of x and such vectors.
Pattern pattern_of(const Request& q, const Types& out, bool forward) {
  constexpr int64_t at_a_time = 256;
  const Types basis = forward ? q.in : out;
  const size_t n = q.x.size();
  const ClosedJaxpr c = record(weft::concat_lists(types_of(q.x), basis), [&](const Arrays& a) {
    const Arrays x = sublist(a, 0, n), vectors = drop_first(a, n);
    if (!forward)
      return q.chosen(linearize_first(q.f, x, q.wrt, q.results).linear.transpose(vectors));
    return written_tangents(jvp_flat(q.f, x, q.tangents(vectors)), q.results);
  });
  const int64_t chunk = q.options.chunk_size;
  return reached_by(c, basis.size(), chunk > 0 ? chunk : at_a_time);
}

JacobianResult sparse(const Request& q, JacobianMode mode) {
  const Modes m = mode == JacobianMode::forward ? Modes() : modes_of(q);
  Types out;
  for (const Type& t : m.out) {
    if (mode == JacobianMode::reverse) check_reverse_output(q.who, t, q.options.holomorphic);
    out.push_back(t.strong());
  }
  const bool any = mode == JacobianMode::cheaper,
             look_forward = any ? m.forward : mode == JacobianMode::forward;
  Sparse s{{}, pattern_of(q, out, look_forward), look_forward};
  Colours colours = coloured(s.pattern);
  if (any && m.forward && m.reverse) {
    Pattern rows = s.pattern.transposed();
    if (Colours c = coloured(rows); c.count < colours.count) {
      colours = std::move(c);
      s.pattern = std::move(rows);
      s.forward = false;
    }
  }
  s.basis = {s.forward ? q.in : out, colours.count, std::move(colours.of_row)};
  const Sparse* const fewer = colours.count < elements_of(s.basis.types) ? &s : nullptr;
  return s.forward ? forward(q, fewer) : reverse(q, fewer);
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
  require_initialized(who, x, args, "args");
  const Request q{who, f, x, wrt, o, results, chosen_types(who, mode, x, wrt, o.holomorphic, args)};
  if (mode == JacobianMode::rows) {
    if (o.sparsity != Sparsity::dense)
      throw DifferentiationError(
          "batch_jacobian: .sparsity is for one Jacobian; map that of a row, "
          "vmap(jacobian(f, {.sparsity = detect}))");
    return by_rows(q);
  }
  if (o.sparsity == Sparsity::detect) return sparse(q, mode);
  if (mode == JacobianMode::cheaper) {
    const Modes m = modes_of(q);
    const bool cheaper =
        m.forward && m.reverse ? elements_of(q.in) <= elements_of(m.out) : m.forward;
    return cheaper ? forward(q, nullptr) : reverse(q, nullptr);
  }
  return mode == JacobianMode::forward ? forward(q, nullptr) : reverse(q, nullptr);
}

}  // namespace weft::detail
