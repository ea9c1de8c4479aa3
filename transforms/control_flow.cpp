// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// transforms/control_flow.cpp: records the bodies of branches and loops, and checks their types.
#include "weft/control_flow.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "ops/control/calls.h"
#include "ops/control/control_flow.h"
#include "tracer/base_ops.h"
#include "tracer/concrete.h"
#include "tracer/initialized.h"
#include "tracer/types_of.h"
#include "tracer/weak_numbers.h"
#include "weft/lax/compare.h"
#include "weft/lax/control_flow.h"
#include "weft/lax/rounding.h"

namespace weft::detail {
namespace {

ClosedJaxpr pruned(ClosedJaxpr c) {
  c.jaxpr = dce(c.jaxpr);
  return c;
}

// Returns true if a value of type `from` is implicitly converted to `to`: a weak number is
// converted to any type to which it promotes.
bool gives_way(const Type& from, const Type& to) {
  if (from.shape() != to.shape()) return false;
  if (from.dtype() == to.dtype()) return true;
  if (!from.weak() || is_key(from.dtype()) || is_key(to.dtype())) return false;
  return promote(from.dtype(), true, to.dtype(), to.weak()).dtype == to.dtype();
}

// ---- carries

[[noreturn]] void carries_differ(const Carry& c, const Types& in, const Types& out) {
  const std::vector<std::string> path = tree::detail::paths(c.before(), "carry");
  std::string s = fmt::format(
      "{} body function carry input and carry output must have equal types, but they differ:",
      c.who);
  for (size_t i = 0; i < in.size(); ++i) {
    if (gives_way(out[i], in[i])) continue;
    const char* why =
        in[i].shape() != out[i].shape() ? "the shapes do not match" : "the dtypes do not match";
    s += fmt::format(
        "\n  * the input carry component {} has type {} but the corresponding output carry "
        "component has type {}, so {}",
        path[i], to_string(in[i]), to_string(out[i]), why);
  }
  throw ShapeError(s +
                   "\nRevise the function so that all output types match the corresponding input "
                   "types, or convert init with astype.");
}

// Records the body such that its carry-out has the types of its carry-in. A weak init takes the
// dtype of the body's result. The body is then traced a second time for that dtype, so that all
// iterations have the same types.
//
// A number of the carry that the body returns unchanged stays a constant in the trace. Each number
// is first assumed to be unchanged; if the body changes it and has read its value, the body is
// traced again. *untouched has an empty handle for each changed number. Inputs of the body: before,
// carry, rows.
ClosedJaxpr record_body(Carry& c, const Types& before, const Types& rows, FlatFunction body,
                        Arrays* untouched = nullptr) {
  const size_t n = c.init.size();
  std::vector<bool> changed(n, false);
  for (int attempt = 0;; ++attempt) {
    const Types carry = types_of(c.init);
    Types in = before, out;
    in.insert(in.end(), carry.begin(), carry.end());
    in.insert(in.end(), rows.begin(), rows.end());
    Arrays stand_for(before.size());
    for (size_t i = 0; i < n; ++i) stand_for.push_back(changed[i] ? Array() : c.init[i]);
    std::vector<bool> init_yields(n, false);
    bool differ = false, again = false;
    ClosedJaxpr closed = record(
        in, stand_for,
        [&](const Arrays& x) {
          Arrays y = body(x);
          if (const std::string d = tree::detail::difference(c.before(), c.after(), "carry");
              !d.empty())
            throw ShapeError(fmt::format(
                "{} body function carry input and carry output must have the same pytree "
                "structure (the same "
                "structure of tuples, lists and structs), but they differ: {}",
                c.who, d));
          for (size_t i = 0; i < n; ++i) {
            out.push_back(y[i].type());
            const Array& given = x[before.size() + i];
            if (&y[i].node() != &given.node() && !changed[i]) {
              changed[i] = true;
              again = again || double_was_read(given);
            }
            if (y[i].type() == carry[i]) continue;
            init_yields[i] = attempt == 0 && carry[i].weak() && gives_way(carry[i], y[i].type());
            if (init_yields[i]) continue;
            if (gives_way(y[i].type(), carry[i]))
              y[i] = base::convert(y[i], carry[i].dtype(), carry[i].weak());
            else
              differ = true;
          }
          return y;
        },
        c.who);
    if (differ) carries_differ(c, carry, out);
    for (size_t i = 0; i < n; ++i) {
      if (!init_yields[i]) continue;
      c.init[i] = base::convert(c.init[i], out[i].dtype(), out[i].weak());
      again = true;
    }
    if (again) continue;
    for (size_t i = 0; untouched && i < n; ++i)
      untouched->push_back(changed[i] ? Array() : c.init[i]);
    return pruned(std::move(closed));
  }
}

}  // namespace

// ---- cond

namespace {
// Checks a scalar argument that is not a leaf of a tree.
void need_given(const char* who, const Array& x, const char* what) {
  require_initialized(who, {x}, [] { return tree::detail::Skeleton{}; }, what);
}
}  // namespace

Array branch_of(const Array& pred) {
  need_given("cond", pred, "pred");
  if (pred.ndim() != 0)
    throw ShapeError(
        fmt::format("cond: Pred must be a scalar, got {}. Under vmap each lane has its own; for "
                    "arrays use where.",
                    to_string(pred.type())));
  if (pred.dtype() == Bool) return base::convert(pred, I32);
  if (is_key(pred.dtype()))
    throw DTypeError("cond: Pred must be a bool or a number, got a random key");
  return base::convert(pred != Array(0), I32);
}

Array first_true(const char* who, const Arrays& preds) {
  Array r = scalar_of_int(I32, static_cast<int64_t>(preds.size()));
  for (size_t i = preds.size(); i-- > 0;) {
    if (preds[i].shape() != Shape{} || preds[i].dtype() != Bool)
      throw ShapeError(
          fmt::format("{}: pred of case {} must be a bool scalar, got {}. Write a "
                      "comparison; for arrays use where.",
                      who, i, to_string(preds[i].type())));
    r = lax::select_n(preds[i], {r, scalar_of_int(I32, static_cast<int64_t>(i))});
  }
  return r;
}

namespace {

// Returns the name of a branch in errors; the branches of cond do not have numbers.
std::string branch_name(std::string_view who, size_t b) {
  if (who == "cond") return b ? "the true branch" : "the false branch";
  return fmt::format("branch {}", b);
}
// Returns the common type of result k of all branches. Weak numbers take the dtype of the others.
Type common_type(const char* who, const std::vector<ClosedJaxpr>& branches, size_t k, TreeOf tree) {
  Type t = branches[0].jaxpr->type(branches[0].jaxpr->out[k]);
  for (size_t b = 1; b < branches.size(); ++b) {
    const Type u = branches[b].jaxpr->type(branches[b].jaxpr->out[k]);
    if (gives_way(u, t))
      t = u.weak() ? t : t.strong();
    else if (gives_way(t, u))
      t = u;
    else
      throw ShapeError(fmt::format(
          "{} branch outputs must have equal types, but they differ: {} is {} in {} and {} in {}",
          who, tree::detail::paths(tree(), "result")[k],
          to_string(branches[0].jaxpr->type(branches[0].jaxpr->out[k])), branch_name(who, 0),
          to_string(u), branch_name(who, b)));
  }
  return t;
}

void unify(const char* who, std::vector<ClosedJaxpr>& branches, const Types& in, TreeOf tree) {
  Types want;
  for (size_t k = 0; k < branches[0].jaxpr->out.size(); ++k)
    want.push_back(common_type(who, branches, k, tree));
  for (ClosedJaxpr& c : branches) {
    if (c.jaxpr->out_types() == want) continue;
    const ClosedJaxpr old = c;
    c = pruned(record(in, [&](const Arrays& x) {
      Arrays all = old.consts;
      all.insert(all.end(), x.begin(), x.end());
      Arrays y = eval_jaxpr(old.jaxpr, all);
      for (size_t k = 0; k < y.size(); ++k)
        if (y[k].type() != want[k]) y[k] = base::convert(y[k], want[k].dtype(), want[k].weak());
      return y;
    }));
  }
}

// Records the branches for operands of these types, and converts their results to common types.
std::vector<ClosedJaxpr> record_branches(const char* who, const std::vector<FlatFunction>& branches,
                                         const std::vector<TreeOf>& results,
                                         const Arrays& operands) {
  if (branches.empty()) throw ShapeError(fmt::format("{}: there must be at least one branch", who));
  const Types in = types_of(operands);
  std::vector<ClosedJaxpr> closed;
  for (size_t b = 0; b < branches.size(); ++b) {
    closed.push_back(pruned(record(in, operands, branches[b], who)));
    if (b == 0) continue;
    if (const std::string d = tree::detail::difference(results[0](), results[b](), "result");
        !d.empty())
      throw ShapeError(
          fmt::format("{} branch outputs must have the same pytree structure (the same structure "
                      "of tuples, lists and structs), but they differ between {} and {}: {}",
                      who, branch_name(who, 0), branch_name(who, b), d));
  }
  unify(who, closed, in, results[0]);
  return closed;
}

// Converts the index to I32. A wider index is clamped first, because its I32 value could name a
// wrong branch.
Array branch_number(const Array& index, size_t branches) {
  const DType d = index.dtype();
  if (d == I32) return index;
  if (itemsize(d) < itemsize(I32)) return base::convert(index, I32);
  const Array last = scalar_of_int(d, static_cast<int64_t>(branches) - 1);
  return base::convert(lax::clamp(scalar_of_int(d, 0), index, last), I32);
}

}  // namespace

Arrays run_cond(const char* who, const Array& index, const std::vector<FlatFunction>& branches,
                const std::vector<TreeOf>& results, const Arrays& operands, TreeOf operands_tree) {
  need_given(who, index, "index");
  require_initialized(who, operands, operands_tree, "operands");
  if (!branches.empty() && (index.ndim() != 0 || !is_integer(index.dtype())))
    throw DTypeError(fmt::format("{}: the index must be an integer scalar, got {}", who,
                                 to_string(index.type())));
  const std::vector<ClosedJaxpr> closed = record_branches(who, branches, results, operands);
  if (closed.size() == 1) {
    Arrays all = closed[0].consts;
    all.insert(all.end(), operands.begin(), operands.end());
    return eval_jaxpr(closed[0].jaxpr, all);
  }
  return cond_flat(branch_number(index, closed.size()), closed, operands);
}

Arrays run_platform_dependent(const std::vector<std::string>& platforms,
                              const std::vector<FlatFunction>& branches,
                              const std::vector<TreeOf>& results, const Arrays& operands) {
  constexpr auto who = "platform_dependent";
  Strings names = platforms;
  if (branches.size() > platforms.size()) names.emplace_back("default");
  // The call is compiled for the device of its operands, also outside of a trace.
  const ClosedJaxpr c = record(types_of(operands), operands, [&](const Arrays& x) {
    return platform_cond_flat(names, record_branches(who, branches, results, x), x);
  });
  Arrays x = c.consts;
  x.insert(x.end(), operands.begin(), operands.end());
  return base::call(c.jaxpr, x, who);
}

Arrays run_composite(FlatFunction f, const Arrays& x, const std::string& name, int64_t version) {
  const ClosedJaxpr c = pruned(record(types_of(x), x, f, "composite"));
  return composite_flat(c, x, name, version);
}

// ---- loops

Arrays run_while(const Carry& given, FlatFunction cond, FlatFunction body,
                 std::optional<int64_t> max_trips) {
  Carry c = given;
  require_initialized(c.who, c.init, c.before, "init");
  if (max_trips && *max_trips < 0)
    throw ShapeError(fmt::format("{}: max_trips must not be negative, got {}", c.who, *max_trips));
  Arrays untouched;
  const ClosedJaxpr b = record_body(c, {}, {}, body, &untouched);
  const ClosedJaxpr p = pruned(record(types_of(c.init), untouched, cond, c.who));
  const Type t = p.jaxpr->type(p.jaxpr->out[0]);
  if (t.dtype() != Bool || t.ndim() != 0)
    throw DTypeError(
        fmt::format("{}: cond_fun must return a boolean scalar, but got output type(s) {}. Compare "
                    "with <, == or !=, and "
                    "reduce arrays with any() or all().",
                    c.who, to_string(t)));
  return while_flat(p, b, c.init, max_trips);
}

namespace {

// Returns the number of trips from lo to hi, counted in dtype d; nothing if it exceeds I64.
std::optional<int64_t> known_trips(const Array& lo, const Array& hi, DType d) {
  uint64_t from = 0, to = 0;
  const DType wide = d == U64 ? U64 : I64;
  convert_elements(lo, &from, wide);
  convert_elements(hi, &to, wide);
  const bool ahead = d == U64 ? to > from : static_cast<int64_t>(to) > static_cast<int64_t>(from);
  const uint64_t trips = ahead ? to - from : 0;
  if (trips > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return std::nullopt;
  return static_cast<int64_t>(trips);
}

Array bound(const Array& x, const char* which) {
  if (x.ndim() != 0 || !is_integer(x.dtype()))
    throw DTypeError(fmt::format("fori_loop: the {} bound must be an integer scalar, got {}", which,
                                 to_string(x.type())));
  return x;
}

// Returns the dtype of the counter: a C++ number takes the type of the other bound.
DType counter_type(const Array& lo, const Array& hi) {
  const Type& a = lo.type();
  const Type& b = hi.type();
  if (!gives_way(a, b) && !gives_way(b, a))
    throw DTypeError(
        fmt::format("lower and upper arguments to fori_loop must have equal types, got {} and {}",
                    to_string(a), to_string(b)));
  return gives_way(a, b) ? b.dtype() : a.dtype();
}

}  // namespace

Arrays run_fori(const Carry& given, const Array& lower, const Array& upper, FlatFunction body) {
  Carry c = given;
  require_initialized(c.who, c.init, c.before, "init");
  const DType d = counter_type(bound(lower, "lower"), bound(upper, "upper"));
  const Array lo = base::convert(lower, d), hi = base::convert(upper, d);
  const Type counter(d, Shape{});
  const ClosedJaxpr b = record_body(c, {counter}, {}, body);
  const auto step = [&](const Arrays& x, size_t skip) {
    Arrays args = b.consts;
    args.push_back(x[0]);
    args.insert(args.end(), x.begin() + static_cast<std::ptrdiff_t>(skip), x.end());
    Arrays out = eval_jaxpr(b.jaxpr, args);
    out.insert(out.begin(), base::add(x[0], scalar_of_int(d, 1)));
    return out;
  };
  Types carry = {counter};
  for (const Array& a : c.init) carry.push_back(a.type());
  Arrays init = c.init;
  init.insert(init.begin(), lo);
  Arrays out;
  std::optional<int64_t> trips;
  if (concrete_or_null(lower) && concrete_or_null(upper)) trips = known_trips(lower, upper, d);
  if (trips) {
    out = scan_flat(pruned(record(carry, [&](const Arrays& x) { return step(x, 1); })), init, {},
                    *trips);
    out.erase(out.begin());
    return out;
  }
  carry.insert(carry.begin() + 1, counter);
  init.insert(init.begin() + 1, hi);
  const ClosedJaxpr test =
      pruned(record(carry, [](const Arrays& x) { return Arrays{x[0] < x[1]}; }));
  const ClosedJaxpr next = pruned(record(carry, [&](const Arrays& x) {
    Arrays y = step(x, 2);
    y.insert(y.begin() + 1, x[1]);
    return y;
  }));
  out = while_flat(test, next, init);
  out.erase(out.begin(), out.begin() + 2);
  return out;
}

namespace {

int64_t scan_length(const char* who, const Arrays& xs, TreeOf tree, const ScanOptions& o) {
  std::string sizes;
  std::vector<int64_t> seen;
  for (size_t i = 0; i < xs.size(); ++i) {
    if (xs[i].ndim() == 0)
      throw ShapeError(fmt::format("{} got value with no leading axis to scan over: {} is {}", who,
                                   tree::detail::paths(tree(), "xs")[i], to_string(xs[i].type())));
    const int64_t n = xs[i].shape()[0];
    if (std::find(seen.begin(), seen.end(), n) == seen.end()) {
      seen.push_back(n);
      sizes += fmt::format("{}{}", sizes.empty() ? "" : ", ", n);
    }
  }
  if (o.length && *o.length < 0)
    throw ShapeError(fmt::format("{}: `length` must not be negative, got {}", who, *o.length));
  if (seen.empty() && !o.length)
    throw ShapeError(fmt::format("{} got no values to scan over and `length` not provided.", who));
  if (o.length && std::any_of(seen.begin(), seen.end(), [&](int64_t n) { return n != *o.length; }))
    throw ShapeError(
        fmt::format("{} got `length` argument of {} which disagrees with leading axis sizes [{}].",
                    who, *o.length, sizes));
  if (seen.size() > 1)
    throw ShapeError(
        fmt::format("{} got values with different leading axis sizes: {}.", who, sizes));
  return o.length ? *o.length : seen[0];
}

}  // namespace

Arrays run_scan(const Carry& given, const Arrays& xs, TreeOf xs_tree, const ScanOptions& o,
                FlatFunction body) {
  Carry c = given;
  require_initialized(c.who, c.init, c.before, "init");
  require_initialized(c.who, xs, xs_tree, "xs");
  const int64_t length = scan_length(c.who, xs, xs_tree, o);
  if (o.unroll < 0)
    throw ShapeError(fmt::format("{}: unroll must not be negative, got {}", c.who, o.unroll));
  Types rows;
  for (const Array& x : xs) rows.push_back(x.type().with_shape(x.shape().erased(0)));
  const ClosedJaxpr b = record_body(c, {}, rows, body);
  return scan_flat(b, c.init, xs, length, o.reverse,
                   o.unroll ? o.unroll : std::max<int64_t>(1, length));
}

void check_batch_size(int64_t n, Location at) {
  const SourceScope source(at);
  if (n < 0)
    throw ShapeError(
        fmt::format("map: batch_size must not be negative, got {} (0: one row at a time)", n));
}

// ---- associative_scan

namespace {

struct Associative {
  FlatFunction f;
  int axis;

  Arrays part(const Arrays& x, int64_t lo, int64_t hi, int64_t step = 1) const {
    Arrays r;
    for (const Array& a : x) r.push_back(base::slice_axis(a, axis, lo, hi, step));
    return r;
  }
  Arrays combined(const Arrays& left, const Arrays& right) const {
    Arrays both = left;
    both.insert(both.end(), right.begin(), right.end());
    Arrays r = f(both);
    for (size_t i = 0; i < r.size(); ++i) {
      if (!gives_way(r[i].type(), left[i].type()))
        throw ShapeError(
            fmt::format("associative_scan: f must return the types of its arguments, but result {} "
                        "is {} for arguments of {}",
                        i, to_string(r[i].type()), to_string(left[i].type())));
      if (r[i].type() != left[i].type())
        r[i] = base::convert(r[i], left[i].dtype(), left[i].weak_type());
    }
    return r;
  }
  // e[0], o[0], e[1], o[1], …
  Array interleaved(const Array& even, const Array& odd) const {
    const int64_t m = odd.shape()[axis], n = even.shape()[axis];
    const Array first = base::slice_axis(even, axis, 0, m);
    const Array pairs = base::concatenate(
        {base::insert_axis(first, axis + 1, 1), base::insert_axis(odd, axis + 1, 1)}, axis + 1);
    const Array joined = base::reshape(pairs, odd.shape().with(axis, 2 * m));
    return n == m ? joined : base::concatenate({joined, base::slice_axis(even, axis, m, n)}, axis);
  }
  Arrays run(const Arrays& x) const {
    const int64_t n = x[0].shape()[axis];
    if (n < 2) return x;
    const Arrays odd = run(combined(part(x, 0, n - 1, 2), part(x, 1, n, 2)));
    const Arrays left = n % 2 ? odd : part(odd, 0, n / 2 - 1);
    Arrays even = part(x, 0, 1);
    if (n > 2) {
      const Arrays rest = combined(left, part(x, 2, n, 2));
      for (size_t i = 0; i < even.size(); ++i)
        even[i] = base::concatenate({even[i], rest[i]}, axis);
    }
    Arrays out;
    for (size_t i = 0; i < x.size(); ++i) out.push_back(interleaved(even[i], odd[i]));
    return out;
  }
};

}  // namespace

Arrays run_associative_scan(const Arrays& x, TreeOf tree, const AssociativeScanOptions& o,
                            FlatFunction f) {
  require_initialized("associative_scan", x, tree, "xs");
  if (x.empty()) return x;
  for (size_t i = 0; i < x.size(); ++i)
    if (x[i].ndim() == 0)
      throw ShapeError(fmt::format("associative_scan: {} is a scalar; there is no axis to scan",
                                   tree::detail::paths(tree(), "xs")[i]));
  // A negative axis counts from the end of the first array, for all of them.
  const int axis = canonical_axis(o.axis, x[0].ndim(), "associative_scan");
  for (const Array& a : x)
    if (a.ndim() <= axis || a.shape()[axis] != x[0].shape()[axis])
      throw ShapeError(
          fmt::format("associative_scan: array inputs must all have the same size along the axis, "
                      "got {} and {}",
                      to_string(x[0].type()), to_string(a.type())));
  const Associative scan{f, axis};
  Arrays in = x;
  if (o.reverse)
    for (Array& a : in) a = base::flip(a, scan.axis);
  Arrays out = scan.run(in);
  if (o.reverse)
    for (Array& a : out) a = base::flip(a, scan.axis);
  return out;
}

}  // namespace weft::detail
