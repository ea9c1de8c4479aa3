// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/reduce/cumulative.cpp: cumsum, cumprod, cummax, cummin, cumlogsumexp.
#include "weft/lax/cumulative.h"

#include <fmt/format.h>

#include <limits>

#include "core/loops/accumulator.h"
#include "core/scalar/math.h"
#include "ops/elementwise/log_sum.h"
#include "ops/kit/arith.h"
#include "ops/kit/fold.h"
#include "ops/kit/monoid.h"
#include "ops/reduce/one_term.h"
#include "ops/structure/structure.h"
#include "weft/lax/compare.h"
#include "weft/lax/elementary.h"
#include "weft/lax/elementwise.h"

namespace weft {
namespace {

using namespace lax;

struct Cumulative {
  int64_t axis = 0;
  bool reverse = false;
  WEFT_FIELDS(axis, reverse)
};

template <class M, class T>
void run_dense(const Shape& shape, const Cumulative& p, const void* from, void* to) {
  const T* in = static_cast<const T*>(from);
  T* out = static_cast<T*>(to);
  const int64_t n = shape[p.axis], step = row_major(shape)[p.axis];
  using V = decltype(M::template identity<T>());
  const std::unique_ptr<V[]> row(new V[static_cast<size_t>(n)]);
  for (int64_t base : offsets_along(shape, other_axes(shape.ndim(), {p.axis}))) {
    const auto at = [&](int64_t i) { return base + (p.reverse ? n - 1 - i : i) * step; };
    for (int64_t i = 0; i < n; ++i) row[i] = Element<T>::load(in[at(i)]);
    fold_order::run(row.get(), n, M::template identity<T>(), monoid::JoinOf<M>());
    for (int64_t i = 0; i < n; ++i) out[at(i)] = Element<T>::store(row[i]);
  }
}

template <class M, class T>
Lowering lower_run(const Type& in, const Cumulative& p) {
  if constexpr (in_class<T>(M::combined)) {
    Lowering r = monoid::fold_lowering<M, T>(Lowering::Form::prefix, in.shape(), {p.axis});
    r.reverse = p.reverse;
    return r;
  } else {
    return {};
  }
}

template <class M>
NativeCall running_call(const Use<Cumulative>& u) {
  NativeCall call;
  call.axis_map = axis_map_without(1, u.in[0].ndim(), {u.params.axis}, false);
  call.run = [in = u.in[0], p = u.params](const NativeArgs& a) {
    with_class<M::classes>(in.dtype(), [&](auto* q) {
      using T = std::remove_pointer_t<decltype(q)>;
      run_dense<M, T>(in.shape(), p, a.in<T>(0, in.elements()), a.out<T>(0, in.elements()));
    });
  };
  return call;
}

// ---- long axes: the same fold in steps that many threads can share (core/loops/fold_order.h).
// Runs are folded independently, their results are folded cumulatively, and each of these is joined
// to the elements of the next run.

template <class M>
Array one_run(const Array& x, int axis) {
  const int64_t n = x.shape()[axis];
  if (n == 0) return x;
  Arrays all;
  Array sum = broadcast_like(literal_array(monoid::identity_literal<M>(x.dtype())),
                             x.type().with_shape(x.shape().with(axis, 1)));
  for (int64_t i = 0; i < n; ++i)
    all.push_back(sum = M::combine_arrays(sum, base::slice_axis(x, axis, i, i + 1)));
  return concatenate_arrays(all, axis);
}

template <class M>
Array many_runs(const ExpandArgs<Cumulative>& e, const Array& x) {
  constexpr int64_t of_run = fold_order::run_terms;
  const int axis = static_cast<int>(e.params.axis);
  const int64_t n = x.shape()[axis], runs = (n + of_run - 1) / of_run;
  const Array rest = base::zeros(x.type().with_shape(x.shape().with(axis, runs * of_run - n)));
  const Shape by_run =
      base::insert_axis(x, axis + 1, 1).shape().with(axis, runs).with(axis + 1, of_run);
  const Array own = e.op.bind({reshape_to(concatenate_arrays({x, rest}, axis), by_run)},
                              {e.params.axis + 1, false})[0];
  const Array ends = base::slice_axis(own, axis + 1, of_run - 1, of_run);
  const Array before = e.op.bind(
      {reshape_to(base::slice_axis(ends, axis, 0, runs - 1), x.shape().with(axis, runs - 1))},
      {e.params.axis, false})[0];
  const Array first = base::slice_axis(own, axis, 0, 1);
  const Array later = M::combine_arrays(base::insert_axis(before, axis + 1, of_run),
                                        base::slice_axis(own, axis, 1, runs));
  const Array all =
      reshape_to(concatenate_arrays({first, later}, axis), x.shape().with(axis, runs * of_run));
  return base::slice_axis(all, axis, 0, n);
}

template <class M>
Arrays runs_expand(const ExpandArgs<Cumulative>& e) {
  const Type t = e.x[0].type();
  const int axis = static_cast<int>(e.params.axis);
  const auto turned = [&](const Array& x) { return e.params.reverse ? base::flip(x, axis) : x; };
  // Narrow floats are folded in F32 and rounded once.
  const Array x = turned(base::convert(e.x[0], accumulator_dtype(t.dtype())));
  const Array r =
      x.shape()[axis] <= fold_order::run_terms ? one_run<M>(x, axis) : many_runs<M>(e, x);
  return {base::convert(turned(r), t.dtype(), t.weak())};
}

// Nanoseconds per term if one thread of a GPU processes the terms in order and waits for its cache.
// Also the launches that the steps of runs add, and nanoseconds per term of runs. The numbers are
// not measured. Each thread of the host has its own row or part of a row.
constexpr double gpu_term_ns = 10, gpu_runs_ns = 10'000, runs_term_ns = 3;

template <class M>
std::vector<Implementation<Cumulative>> implementations() {
  auto all = monoid::nest_or_native<M>(running_call<M>);
  if constexpr ((M::classes & M::combined) != 0) {
    const auto combined = [](const Use<Cumulative>& u) {
      return dtype_in(u.in[0].dtype(), M::combined);
    };
    const auto terms = [](const Use<Cumulative>& u) {
      return static_cast<double>(u.in[0].shape()[u.params.axis]);
    };
    if (all.empty()) all.push_back({.name = std::string(generated), .applies = combined});
    all[0].cost = [terms](const Use<Cumulative>& u) {
      return u.target.gpu ? gpu_term_ns * terms(u) : terms(u);
    };
    all.push_back({.name = std::string(expanded),
                   .applies = combined,
                   .cost = [terms](const Use<Cumulative>& u) {
                     return u.target.gpu ? gpu_runs_ns : runs_term_ns * terms(u);
                   }});
  }
  return all;
}

struct LogSumExp;

template <class M>
Def<Cumulative> running() {
  Def<Cumulative> d;
  d.name = M::name;
  d.doc = M::doc;
  d.type = [](const Types& in, const Cumulative& p) {
    require_operands(M::name, in, 1);
    if (!dtype_in(in[0].dtype(), M::classes))
      reject_dtype(M::name, "takes " + class_names(M::classes) + " operands", in);
    if (p.axis < 0 || p.axis >= in[0].ndim())
      reject_shape(M::name, fmt::format("axis {} is out of range", p.axis), in);
    return Types{in[0]};
  };
  d.reference = [](const Arrays& x, const Cumulative& p) {
    const Fresh r = fresh_array(x[0].type());
    with_class<M::classes>(x[0].dtype(), [&](auto* q) {
      run_dense<M, std::remove_pointer_t<decltype(q)>>(x[0].shape(), p, concrete(x[0]).data(),
                                                       r.data);
    });
    return Arrays{r.array};
  };
  if (M::classes & M::combined)
    d.lower = [](const LowerArgs<Cumulative>& l) {
      Lowering r;
      with_class<M::classes>(l.in[0].dtype(), [&](auto* q) {
        r = lower_run<M, std::remove_pointer_t<decltype(q)>>(l.in[0], l.params);
      });
      return r;
    };
  if constexpr ((M::classes & M::combined) != 0) d.expand = runs_expand<M>;
  d.implementations = implementations<M>;
  if constexpr (!std::is_same_v<M, LogSumExp>)
    d.simplify = [](const SimplifyArgs<Cumulative>& s) {
      if (s.x[0].size() == 0) return Arrays{s.x[0]};
      const Array term = s.x[0].shape()[s.params.axis] == 1 ? fold_of_one_term<M>(s.x[0]) : Array();
      return term.empty_handle() ? Arrays{} : Arrays{term};
    };
  d.samples = [] {
    std::vector<Sample<Cumulative>> s;
    for (int i = 0; i <= static_cast<int>(C128); ++i)
      if (const auto t = static_cast<DType>(i); dtype_in(t, M::classes))
        s.push_back({{Type(t, {9})}, {0, false}});
    for (int64_t axis : {0, 1})
      for (bool reverse : {false, true}) s.push_back({{Type(F64, {4, 3})}, {axis, reverse}});
    s.push_back({{Type(F32, {0, 2})}, {0, false}});
    s.push_back({{Type(F32, {2, 1})}, {1, true}});
    for (DType t : {F32, BF16, I32})
      if (dtype_in(t, M::classes)) s.push_back({{Type(t, {2, 70})}, {1, t == BF16}});
    return s;
  };
  d.rejects = [] {
    return std::vector<Reject<Cumulative>>{{{Type(F32, {3})}, {1, false}, "out of range"},
                                           {{Type(Key, {3})}, {0, false}, "operands"}};
  };
  return d;
}
const Primitive<Cumulative>& define_running(Def<Cumulative> d) {
  d.batch = [](const BatchArgs<Cumulative>& b) {
    const int at = *b.axis[0];
    return Batched{b.op.bind(b.x, {b.params.axis + (b.params.axis >= at), b.params.reverse}), {at}};
  };
  return define(std::move(d));
}

// ---- tangents: pairs (value, tangent) are folded by the derivative of join.
// `join` is linear in the tangents, so it can be transposed.
using Pairs = Arrays;
template <class F>
auto paired_jvp(F join) {
  return [join](const JvpArgs<Cumulative>& j) {
    return Arrays{
        associative_scan_along(join, {j.x[0], j.dx[0]}, j.params.axis, j.params.reverse)[1]};
  };
}
Array share(const Array& x, const Array& out, const Array& y) {
  const Array one = base::ones(out.type().strong()), zero = base::zeros(out.type().strong());
  return div(select(eq(x, out), one, zero), select(eq(y, out), add(one, one), one));
}
template <class F>
auto chosen_jvp(F choose) {
  return paired_jvp([choose](const Pairs& a, const Pairs& b) {
    const Array out = choose(a[0], b[0]);
    return Pairs{out, add(mul(a[1], share(a[0], out, b[0])), mul(b[1], share(b[0], out, a[0])))};
  });
}

// ---- the ops

struct Sum : monoid::Sum {
  static constexpr const char* name = "cumsum";
  static constexpr const char* doc =
      "Computes the sum of the elements up to each index of `axis`. With `reverse`, the elements "
      "are those from the index to the end.";
  static Array combine_arrays(const Arg& x, const Arg& y) { return lax::add(x, y); }
};
const Primitive<Cumulative>& sum_op = define_running([] {
  auto d = running<Sum>();
  d.jvp = [](const JvpArgs<Cumulative>& j) {
    return Arrays{cumsum(j.dx[0], j.params.axis, j.params.reverse)};
  };
  d.transpose = [](const TransposeArgs<Cumulative>& t) {
    return Arrays{cumsum(t.ct[0], t.params.axis, !t.params.reverse)};
  };
  return d;
}());

struct Product : monoid::Product {
  static constexpr const char* name = "cumprod";
  static constexpr const char* doc =
      "Computes the product of the elements up to each index of `axis`. With `reverse`, the "
      "elements are those from the index to the end.";
  static Array combine_arrays(const Arg& x, const Arg& y) { return lax::mul(x, y); }
};
const Primitive<Cumulative>& prod_op = define_running([] {
  auto d = running<Product>();
  d.jvp = paired_jvp([](const Pairs& a, const Pairs& b) {
    return Pairs{mul(a[0], b[0]), add(mul(a[1], b[0]), mul(a[0], b[1]))};
  });
  return d;
}());

struct Max : monoid::Max {
  static constexpr const char* name = "cummax";
  static constexpr const char* doc =
      "Computes the maximum of the elements up to each index of `axis`. With `reverse`, the "
      "elements are those from the index to the end. NaN propagates.";
  static Array combine_arrays(const Arg& x, const Arg& y) { return lax::max(x, y); }
  static constexpr unsigned classes = DTypes::real_numbers;
};
struct Min : monoid::Min {
  static constexpr const char* name = "cummin";
  static constexpr const char* doc =
      "Computes the minimum of the elements up to each index of `axis`. With `reverse`, the "
      "elements are those from the index to the end. NaN propagates.";
  static Array combine_arrays(const Arg& x, const Arg& y) { return lax::min(x, y); }
  static constexpr unsigned classes = DTypes::real_numbers;
};
const Primitive<Cumulative>& max_op = define_running([] {
  auto d = running<Max>();
  d.jvp = chosen_jvp([](const Array& a, const Array& b) { return lax::max(a, b); });
  return d;
}());
const Primitive<Cumulative>& min_op = define_running([] {
  auto d = running<Min>();
  d.jvp = chosen_jvp([](const Array& a, const Array& b) { return lax::min(a, b); });
  return d;
}());

struct LogSumExp {
  static constexpr const char* name = "cumlogsumexp";
  static constexpr const char* doc =
      "Computes `log(sum(exp(x)))` of the elements up to each index of `axis`. With `reverse`, the "
      "elements are those from the index to the end.";
  static constexpr unsigned classes = DTypes::floats;
  static constexpr unsigned combined = 0;
  template <class R>
  static R join(R a, R b) {
    return math::logaddexp(a, b);
  }
  template <class T>
  static auto identity() {
    using V = typename Element<T>::plain;
    return -std::numeric_limits<V>::infinity();
  }
};
const Primitive<Cumulative>& logsumexp_op = define_running([] {
  auto d = running<LogSumExp>();
  d.jvp = paired_jvp([](const Pairs& a, const Pairs& b) {
    const Array out = ir::log_sum(a[0], b[0], [](const Array& d) { return log1p(exp(d)); });
    const Array inf = like(out, std::numeric_limits<double>::infinity());
    const Array endless = eq(abs(out), inf), zero = base::zeros(out.type().strong());
    // If the sum is infinite, the difference is NaN. The values that equal the sum share the
    // derivative.
    const auto weighted = [&](const Pairs& p, const Pairs& other) {
      const Array part = exp(select(endless, zero, sub(p[0], out)));
      return mul(p[1], select(endless, share(p[0], out, other[0]), part));
    };
    return Pairs{out, add(weighted(a, b), weighted(b, a))};
  });
  return d;
}());

Array run(const Primitive<Cumulative>& op, const Arg& x, int64_t axis, bool reverse) {
  const SourceScope s(x.at());
  return op({x}, {canonical_axis(axis, x->ndim(), op.name().c_str()), reverse});
}

// a[0], b[0], a[1], b[1], …; a may have one more element.
Array interleave(const Array& a, const Array& b, int axis) {
  const int64_t n = a.shape()[axis], m = b.shape()[axis];
  Array other = b;
  if (m < n) other = concatenate_arrays({b, base::slice_axis(a, axis, n - 1, n)}, axis);
  const Array both = concatenate_arrays(
      {base::insert_axis(a, axis + 1, 1), base::insert_axis(other, axis + 1, 1)}, axis + 1);
  const Array flat = reshape_to(both, a.shape().with(axis, 2 * n));
  return m < n ? base::slice_axis(flat, axis, 0, n + m) : flat;
}

}  // namespace

Arrays ir::associative_scan_along(FunctionRef<Arrays(const Arrays&, const Arrays&)> f,
                                  const Arrays& x, int64_t axis, bool reverse) {
  const int a = canonical_axis(axis, x[0].ndim(), "associative_scan");
  if (reverse) {
    Arrays flipped;
    for (const Array& e : x) flipped.push_back(base::flip(e, a));
    Arrays r = associative_scan_along(f, flipped, axis, false);
    for (Array& e : r) e = base::flip(e, a);
    return r;
  }
  const int64_t n = x[0].shape()[a];
  if (n < 2) return x;
  const auto part = [a](const Arrays& v, int64_t lo, int64_t hi, int64_t step) {
    Arrays r;
    for (const Array& e : v) r.push_back(base::slice_axis(e, a, lo, hi, step));
    return r;
  };
  const Arrays odd =
      associative_scan_along(f, f(part(x, 0, n - 1, 2), part(x, 1, n, 2)), axis, false);
  Arrays even = part(x, 0, 1, 1);
  if (n > 2) {
    const Arrays before = n % 2 == 0 ? part(odd, 0, n / 2 - 1, 1) : odd;
    const Arrays later = f(before, part(x, 2, n, 2));
    for (size_t i = 0; i < x.size(); ++i) even[i] = concatenate_arrays({even[i], later[i]}, a);
  }
  Arrays r;
  for (size_t i = 0; i < x.size(); ++i) r.push_back(interleave(even[i], odd[i], a));
  return r;
}

namespace lax {
Array cumsum(const Arg& x, int64_t axis, bool reverse) { return run(sum_op, x, axis, reverse); }
Array cumprod(const Arg& x, int64_t axis, bool reverse) { return run(prod_op, x, axis, reverse); }
Array cummax(const Arg& x, int64_t axis, bool reverse) { return run(max_op, x, axis, reverse); }
Array cummin(const Arg& x, int64_t axis, bool reverse) { return run(min_op, x, axis, reverse); }
Array cumlogsumexp(const Arg& x, int64_t axis, bool reverse) {
  return run(logsumexp_op, x, axis, reverse);
}
}  // namespace lax

}  // namespace weft
