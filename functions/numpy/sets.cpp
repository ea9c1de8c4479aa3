// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/sets.cpp: set functions. They sort values and keep the first of equal ones.
#include "weft/numpy/sets.h"

#include <fmt/format.h>

#include "functions/kit.h"
#include "ops/index/sort.h"
#include "ops/structure/structure.h"
#include "tracer/concrete.h"
#include "weft/lax/compare.h"
#include "weft/lax/cumulative.h"
#include "weft/numpy/create.h"
#include "weft/numpy/index.h"
#include "weft/numpy/math.h"
#include "weft/numpy/reduce.h"
#include "weft/numpy/shape.h"
#include "weft/numpy/sort.h"

namespace weft {
namespace {

using Size = std::optional<int64_t>;

void need_size(const char* name, const Array& x, Size size) {
  if (size && *size < 0) fn::fail_shape(fmt::format("{}: .size is {}", name, *size));
  if (!size && !concrete_or_null(x))
    throw ConcretizationError(fmt::format(
        "{}: how many values there are depends on those of a traced array, {}; say how many are "
        "given: {{.size = n}}",
        name, to_string(x.type())));
}
Array truth(bool b) { return fn::as_dtype(b, Bool); }

// Elements, or rows of the first axis, in ascending order.
struct Ordered {
  Array rows;   // (n, …)
  Array from;   // original position of each row
  Array fresh;  // true if a row differs from the previous one
};
Ordered ordered(const Array& x, bool equal_nan) {
  const int64_t n = x.shape()[0];
  const Array places = iota(fn::index_dtype(n), {n}, 0);
  Ordered r;
  Array changed;
  const auto differ = [&](const Array& v) {
    const Array a = fn::sliced(v, 0, 1, n), b = fn::sliced(v, 0, 0, n - 1), ne = lax::ne(a, b);
    if (!equal_nan || !is_inexact(v.dtype())) return ne;
    return logical_and(ne, logical_not(logical_and(isnan(a), isnan(b))));
  };
  if (x.ndim() == 1) {
    const Arrays s = sort_arrays({x, places}, 0);
    r.rows = s[0], r.from = s[1];
    changed = differ(r.rows);
  } else {
    const int64_t columns = x.size() / n;
    if (columns == 0) {  // all rows are equal
      r.rows = x, r.from = places;
      changed = fn::broadcast(truth(false), {n - 1});
    } else {
      const Array flat = reshape_to(x, {n, columns});
      Arrays keys;
      for (int64_t c = 0; c < columns; ++c)
        keys.push_back(squeeze_axes(fn::sliced(flat, 1, c, c + 1), {1}));
      keys.push_back(places);
      r.from = sort_arrays(keys, 0, columns).back();
      r.rows = take(x, r.from, 0);
      changed = any(differ(reshape_to(r.rows, {n, columns})), 1);
    }
  }
  r.fresh = fn::joined({fn::broadcast(truth(true), {1}), changed}, 0);
  return r;
}

// The rows where `keep` is true: all of them, or exactly `size` rows of which some may be missing.
struct Kept {
  Array at;       // positions among the rows; 0 for missing rows
  Array missing;  // an empty handle if no row can be missing
};
Kept kept(const Array& keep, Size size) {
  if (!size) return {flatnonzero(keep), {}};
  const Array at = flatnonzero(keep, {.size = size, .fill_value = 0});
  return {at, greater_equal(iota(at.dtype(), {*size}, 0), count_nonzero(keep))};
}
Array filled(const Array& values, const Kept& k, const Array& fill) {
  if (k.missing.empty_handle()) return values;
  Array missing = k.missing;
  for (int64_t i = 1; i < values.ndim(); ++i) missing = expand_dims(missing, -1);
  return where(missing, fn::as_dtype(fill, values.dtype()), values);
}
// The value that fills missing rows: the given fill, or else the least value that is kept. It is 0
// if no value is kept.
Array fill_of(const Array& values, const Kept& k, const std::optional<Array>& fill) {
  if (fill) return *fill;
  const Array zero = fn::number_like(values, 0);
  if (k.missing.empty_handle() || values.size() == 0) return zero;
  const auto first = [](const Array& v) { return squeeze_axes(fn::sliced(v, 0, 0, 1), {0}); };
  return where(first(k.missing), zero, first(values));
}
Array nothing(const Array& like, Size size, const std::optional<Array>& fill) {
  return full({size.value_or(0)}, fill ? *fill : fn::number_like(like, 0), like.dtype());
}

// ---- unique

struct Wanted {
  bool indices = false, inverse = false, counts = false;
};
Array own_inverse(const Ordered& r) {
  const Array rank = subtract(lax::cumsum(fn::as_dtype(r.fresh, r.from.dtype()), 0), 1);
  return sort_arrays({r.from, rank}, 0)[1];
}
UniqueAll unique_of_nothing(const Array& v, Size size, const std::optional<Array>& fill, int axis) {
  if (size.value_or(0) > 0 && !fill)
    fn::fail_shape("unique: an array without elements has no smallest value; give .fill_value");
  const Array none = zeros({size.value_or(0)}, I32);
  return {moveaxis(full(v.shape().with(0, size.value_or(0)), fill ? *fill : 0, v.dtype()), 0, axis),
          none, zeros({0}, I32), none};
}
UniqueAll parts_of(const char* name, const Arg& x, const UniquePartsOptions& o, Wanted want) {
  const ApiNameScope s(name, x.at());
  need_size(name, x, o.size);
  const int axis = o.axis ? fn::axis_of(name, *o.axis, x->type().ndim()) : 0;
  const Array v = o.axis ? moveaxis(x, axis, 0) : ravel(x);
  const int64_t n = v.shape()[0];
  if (n == 0) return unique_of_nothing(v, o.size, o.fill_value, axis);
  const Ordered r = ordered(v, o.equal_nan);
  const Kept k = kept(r.fresh, o.size);
  UniqueAll out;
  out.values = take(r.rows, k.at, 0, {.mode = "clip"});
  if (o.fill_value) out.values = filled(out.values, k, *o.fill_value);
  out.values = moveaxis(out.values, 0, axis);
  if (want.indices) out.indices = take(r.from, k.at, 0, {.mode = "clip"});
  if (want.inverse) {
    out.inverse_indices = own_inverse(r);
    if (!o.axis) out.inverse_indices = reshape_to(out.inverse_indices, x->shape());
  }
  if (want.counts) {
    const Array ends = fn::broadcast(fn::as_dtype(scalar_of_int(I64, n), k.at.dtype()), {1});
    out.counts = o.size ? diff(flatnonzero(r.fresh, {.size = *o.size + 1, .fill_value = n}))
                        : diff(fn::joined({k.at, ends}, 0));
  }
  return out;
}
}  // namespace

Array unique(const Arg& x, const UniqueOptions& o) {
  return parts_of("unique", x, {o.size, o.fill_value, o.axis, o.equal_nan}, {}).values;
}
UniqueAll unique_all(const Arg& x, const UniquePartsOptions& o) {
  return parts_of("unique_all", x, o, {true, true, true});
}
UniqueCounts unique_counts(const Arg& x, const UniquePartsOptions& o) {
  const UniqueAll r = parts_of("unique_counts", x, o, {.counts = true});
  return {r.values, r.counts};
}
UniqueInverse unique_inverse(const Arg& x, const UniquePartsOptions& o) {
  const UniqueAll r = parts_of("unique_inverse", x, o, {.inverse = true});
  return {r.values, r.inverse_indices};
}
Array unique_values(const Arg& x, const UniquePartsOptions& o) {
  return parts_of("unique_values", x, o, {}).values;
}

Array isin(const Arg& x, const Arg& values, const IsinOptions& o) {
  const ApiNameScope s("isin", x.at());
  const Array v = sort(values, none);
  if (v.size() == 0) return fn::broadcast(truth(o.invert), x->shape());
  const Array found = take(v, searchsorted(v, x), 0, {.mode = "clip"});
  return o.invert ? not_equal(found, x) : equal(found, x);
}

// ---- two sets

namespace {
// Both as vectors of one dtype.
fn::Pair vectors(const char* name, const Arg& x, const Arg& y, const SetOfOptions& o) {
  need_size(name, x, o.size);
  need_size(name, y, o.size);
  const Arrays same = fn::same_dtype({ravel(x), ravel(y)});
  return {same[0], same[1]};
}
// The elements of x in order, and a mask of the kept ones. They are the elements that y contains
// (`inside`) or does not contain. Unless `all_of_a_kind`, only the first of equal elements is kept.
std::pair<Ordered, Array> chosen(const Array& x, const Array& y, bool inside, bool all_of_a_kind) {
  const Ordered r = ordered(x, true);
  const Array in = isin(r.rows, y, {.invert = !inside});
  return {r, all_of_a_kind ? in : logical_and(r.fresh, in)};
}
Array set_of(const Array& rows, const Array& keep, const SetOfOptions& o, Kept* k) {
  *k = kept(keep, o.size);
  const Array values = take(rows, k->at, 0, {.mode = "clip"});
  return filled(values, *k, fill_of(values, *k, o.fill_value));
}
}  // namespace

Intersection intersect1d_indices(const Arg& x, const Arg& y, const SetOfOptions& o) {
  const ApiNameScope s("intersect1d_indices", x.at());
  const auto [a, b] = vectors("intersect1d", x, y, o);
  if (a.size() == 0 || b.size() == 0) {
    const auto end = [&](const Array& v) { return full({o.size.value_or(0)}, v.size(), I32); };
    return {nothing(a, o.size, o.fill_value), end(a), end(b)};
  }
  const auto [r, keep] = chosen(a, b, true, o.assume_unique);
  const Ordered other = ordered(b, true);
  Kept k;
  Intersection out;
  out.values = set_of(r.rows, keep, o, &k);
  const auto places = [&](const Ordered& p, const Array& at, int64_t n) {
    return filled(take(p.from, at, 0, {.mode = "clip"}), k,
                  fn::as_dtype(scalar_of_int(I64, n), p.from.dtype()));
  };
  out.x_indices = places(r, k.at, a.size());
  out.y_indices = places(other, searchsorted(other.rows, out.values), b.size());
  return out;
}
Array intersect1d(const Arg& x, const Arg& y, const SetOfOptions& o) {
  const ApiNameScope s("intersect1d", x.at());
  const auto [a, b] = vectors("intersect1d", x, y, o);
  if (a.size() == 0 || b.size() == 0) return nothing(a, o.size, o.fill_value);
  const auto [r, keep] = chosen(a, b, true, o.assume_unique);
  Kept k;
  return set_of(r.rows, keep, o, &k);
}
Array setdiff1d(const Arg& x, const Arg& y, const SetOfOptions& o) {
  const ApiNameScope s("setdiff1d", x.at());
  vectors("setdiff1d", x, y, o);
  const Array a = ravel(x);
  SetOfOptions p = o;
  if (!p.fill_value) p.fill_value = fn::number_like(a, 0);
  if (a.size() == 0) return nothing(a, p.size, p.fill_value);
  Kept k;
  if (o.assume_unique) return set_of(a, isin(a, y, {.invert = true}), p, &k);
  const auto [r, keep] = chosen(a, y, false, false);
  return set_of(r.rows, keep, p, &k);
}
Array setxor1d(const Arg& x, const Arg& y, const SetOfOptions& o) {
  const ApiNameScope s("setxor1d", x.at());
  const auto [a, b] = vectors("setxor1d", x, y, o);
  Arrays rows, keep;
  for (const auto& [v, other] : {std::pair{a, b}, std::pair{b, a}}) {
    if (v.size() == 0) continue;
    const auto [r, in] = chosen(v, other, false, o.assume_unique);
    rows.push_back(r.rows);
    keep.push_back(in);
  }
  if (rows.empty()) return nothing(a, o.size, o.fill_value);
  const Arrays both = sort_arrays({fn::joined(rows, 0), fn::joined(keep, 0)}, 0);
  Kept k;
  return set_of(both[0], both[1], o, &k);
}
Array union1d(const Arg& x, const Arg& y, const UnionOptions& o) {
  const ApiNameScope s("union1d", x.at());
  vectors("union1d", x, y, {.size = o.size});
  return unique(append(x, y), {.size = o.size, .fill_value = o.fill_value});
}

}  // namespace weft
