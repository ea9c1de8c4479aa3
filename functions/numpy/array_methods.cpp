// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/array_methods.cpp: the methods of Array and its indexing.
#include <fmt/format.h>

#include "functions/kit.h"
#include "functions/numpy/basic_indexing.h"
#include "tracer/concrete.h"
#include "weft/numpy/create.h"
#include "weft/numpy/index.h"
#include "weft/numpy/math.h"
#include "weft/numpy/products.h"
#include "weft/numpy/reduce.h"
#include "weft/numpy/shape.h"
#include "weft/numpy/sort.h"

namespace weft {

template <class>
Array Array::sum(AxisList a) const {
  return weft::sum({*this, a.at}, a);
}
template Array Array::sum<void>(AxisList) const;
Array Array::sum(AxisList a, const ReduceOptions& o) const {
  return weft::sum({*this, a.at}, a, o);
}
Array Array::sum(const ReduceOptions& o, Location at) const {
  return weft::sum({*this, at}, {none, at}, o);
}
template <class>
Array Array::mean(AxisList a) const {
  return weft::mean({*this, a.at}, a);
}
template Array Array::mean<void>(AxisList) const;
Array Array::mean(AxisList a, const ReduceOptions& o) const {
  return weft::mean({*this, a.at}, a, o);
}
Array Array::mean(const ReduceOptions& o, Location at) const {
  return weft::mean({*this, at}, {none, at}, o);
}
template <class>
Array Array::prod(AxisList a) const {
  return weft::prod({*this, a.at}, a);
}
template Array Array::prod<void>(AxisList) const;
Array Array::prod(AxisList a, const ReduceOptions& o) const {
  return weft::prod({*this, a.at}, a, o);
}
Array Array::prod(const ReduceOptions& o, Location at) const {
  return weft::prod({*this, at}, {none, at}, o);
}
template <class>
Array Array::max(AxisList a) const {
  return weft::max({*this, a.at}, a);
}
template Array Array::max<void>(AxisList) const;
Array Array::max(AxisList a, const ReduceOptions& o) const {
  return weft::max({*this, a.at}, a, o);
}
Array Array::max(const ReduceOptions& o, Location at) const {
  return weft::max({*this, at}, {none, at}, o);
}
template <class>
Array Array::min(AxisList a) const {
  return weft::min({*this, a.at}, a);
}
template Array Array::min<void>(AxisList) const;
Array Array::min(AxisList a, const ReduceOptions& o) const {
  return weft::min({*this, a.at}, a, o);
}
Array Array::min(const ReduceOptions& o, Location at) const {
  return weft::min({*this, at}, {none, at}, o);
}
template <class>
Array Array::any(AxisList a) const {
  return weft::any({*this, a.at}, a);
}
template Array Array::any<void>(AxisList) const;
Array Array::any(AxisList a, const ReduceOptions& o) const {
  return weft::any({*this, a.at}, a, o);
}
Array Array::any(const ReduceOptions& o, Location at) const {
  return weft::any({*this, at}, {none, at}, o);
}
template <class>
Array Array::all(AxisList a) const {
  return weft::all({*this, a.at}, a);
}
template Array Array::all<void>(AxisList) const;
Array Array::all(AxisList a, const ReduceOptions& o) const {
  return weft::all({*this, a.at}, a, o);
}
Array Array::all(const ReduceOptions& o, Location at) const {
  return weft::all({*this, at}, {none, at}, o);
}
Array Array::argmax(AxisList a) const { return weft::argmax({*this, a.at}, a); }
Array Array::argmin(AxisList a) const { return weft::argmin({*this, a.at}, a); }
Array Array::argmax(AxisList a, const ArgOptions& o) const {
  return weft::argmax({*this, a.at}, a, o);
}
Array Array::argmin(AxisList a, const ArgOptions& o) const {
  return weft::argmin({*this, a.at}, a, o);
}
template <class>
Array Array::std(AxisList a) const {
  return weft::std({*this, a.at}, a);
}
template Array Array::std<void>(AxisList) const;
Array Array::std(AxisList a, const VarOptions& o) const { return weft::std({*this, a.at}, a, o); }
template <class>
Array Array::var(AxisList a) const {
  return weft::var({*this, a.at}, a);
}
template Array Array::var<void>(AxisList) const;
Array Array::var(AxisList a, const VarOptions& o) const { return weft::var({*this, a.at}, a, o); }
Array Array::ptp(AxisList a) const { return weft::ptp({*this, a.at}, a); }
Array Array::ptp(AxisList a, const ReduceOptions& o) const {
  return weft::ptp({*this, a.at}, a, o);
}
namespace {
OneAxis one_axis(const char* name, const AxisList& a) {
  if (a.all) return none;
  const SourceScope s(a.at);
  if (a.axes.size() != 1)
    fn::fail_shape(fmt::format("{}: takes one axis, got {}", name, a.axes.size()));
  return a.axes[0];
}
}  // namespace
Array Array::cumsum(AxisList a) const { return cumsum(a, {}); }
Array Array::cumsum(AxisList a, const CumulativeOptions& o) const {
  return weft::cumsum({*this, a.at}, one_axis("cumsum", a), o);
}
Array Array::cumprod(AxisList a) const { return cumprod(a, {}); }
Array Array::cumprod(AxisList a, const CumulativeOptions& o) const {
  return weft::cumprod({*this, a.at}, one_axis("cumprod", a), o);
}
Array Array::sort(AxisList a) const { return weft::sort({*this, a.at}, a); }
Array Array::sort(AxisList a, const SortOptions& o) const {
  return weft::sort({*this, a.at}, a, o);
}
Array Array::argsort(AxisList a) const { return weft::argsort({*this, a.at}, a); }
Array Array::argsort(AxisList a, const ArgsortOptions& o) const {
  return weft::argsort({*this, a.at}, a, o);
}
Array Array::clip(const MaybeArray& lo, const MaybeArray& hi, Location at) const {
  return weft::clip({*this, at}, lo, hi);
}
Array Array::round(int64_t decimals, Location at) const {
  return weft::round({*this, at}, decimals);
}
Array Array::take(const Arg& indices, AxisList a) const { return take(indices, a, {}); }
Array Array::take(const Arg& indices, AxisList a, const TakeOptions& o) const {
  return weft::take({*this, a.at}, indices, one_axis("take", a), o);
}
Array Array::repeat(int64_t times, AxisList a) const {
  return weft::repeat({*this, a.at}, times, one_axis("repeat", a));
}
Array Array::swapaxes(int64_t a, int64_t b, Location at) const {
  return weft::swapaxes({*this, at}, a, b);
}
Array Array::diagonal(int64_t offset, int64_t axis1, int64_t axis2, Location at) const {
  return weft::diagonal({*this, at}, offset, axis1, axis2);
}
Array Array::trace(int64_t offset, int64_t axis1, int64_t axis2, Location at) const {
  return weft::trace({*this, at}, offset, axis1, axis2);
}
Array Array::real(Location at) const { return weft::real({*this, at}); }
Array Array::imag(Location at) const { return weft::imag({*this, at}); }
Array Array::conj(Location at) const { return weft::conj({*this, at}); }
Array Array::mT(Location at) const { return weft::matrix_transpose({*this, at}); }
Array Array::flatten(Location at) const { return weft::ravel({*this, at}); }
int64_t Array::itemsize(Location at) const { return weft::itemsize(dtype(at)); }
Array Array::T(Location at) const { return weft::transpose({*this, at}); }
Array Array::transpose(std::vector<int64_t> axes, Location at) const {
  return weft::transpose({*this, at}, axes);
}
Array Array::reshape(const NewShape& s) const { return weft::reshape({*this, s.at}, s); }
Array Array::ravel(Location at) const { return weft::ravel({*this, at}); }
Array Array::squeeze(AxisList a) const { return weft::squeeze({*this, a.at}, a); }
Array Array::astype(DType d, Location at) const { return weft::astype({*this, at}, d); }
Array Array::dot(const Arg& o) const { return weft::dot({*this, o.at()}, o); }

Array detail::element_at(const Array& x, const std::vector<int64_t>& i, bool flat, Location at) {
  const SourceScope s(at);
  std::vector<Index> index;
  for (int64_t k : i) index.emplace_back(k, at);
  const Array from = flat && x.ndim(at) != 1 ? weft::ravel({x, at}) : x;
  if (static_cast<int64_t>(index.size()) != from.ndim())
    fn::fail_index(fmt::format("item: {} numbers for {}", index.size(), to_string(x.type())));
  return fn::get_items(from, fn::checked_index(from, index), {});
}

// ---- indexing

namespace {
Array indexed(const Array& x, const std::vector<Index>& i) {
  const SourceScope s(i.empty() ? Location{} : i[0].at);
  return fn::get_items(x, fn::checked_index(x, i), {});
}
}  // namespace
const Array Array::operator[](const Index& i) const { return indexed(*this, {i}); }
const Array Array::operator[](std::initializer_list<Index> i) const { return indexed(*this, i); }
At Array::at(const Index& i) const& { return At(*this, {i}, i.at); }
At Array::at(const Index& i) && { return At(std::move(*this), {i}, i.at); }
At Array::at(std::initializer_list<Index> i, Location at) const& { return At(*this, i, at); }
At Array::at(std::initializer_list<Index> i, Location at) && { return At(std::move(*this), i, at); }

namespace {
fn::IndexMode mode_of(const std::string& mode, OutOfBounds usual, const Array& x,
                      const fn::IndexItems& items) {
  if (mode.empty()) return {usual};
  if (mode == "clip") return {OutOfBounds::clip};
  if (mode == "fill" || mode == "drop")
    return {usual == OutOfBounds::clip ? OutOfBounds::fill : OutOfBounds::zero};
  if (mode == "wrap") return {OutOfBounds::clip, true};
  if (mode == "promise_in_bounds") return {OutOfBounds::clip};
  if (mode != "check")
    fn::fail_index(
        "the mode of an index is \"clip\", \"fill\", \"drop\", \"wrap\", \"promise_in_bounds\" or "
        "\"check\", not \"" +
        mode + "\"");
  for (const fn::IndexItem& i : items) {
    if (i.kind != fn::IndexItem::Kind::array) continue;
    const int64_t n = x.shape()[i.axis];
    if (!concrete_or_null(i.array)) {
      fn::check_index(i.array, n, i.axis);
      continue;
    }
    for (int64_t v : i.array.to_vector<int64_t>())
      if (v < -n || v >= n)
        fn::fail_index(
            fmt::format("index {} is out of bounds for axis {} with size {}", v, i.axis, n));
  }
  return {OutOfBounds::clip};
}

// `last` is true if the handle x is not used again.
Array updated(const Array& x, const std::vector<Index>& index, const Arg& v, Update u,
              const SetOptions& o, bool last = false) {
  const SourceScope s(v.at());
  // A mask of the whole shape with a scalar value becomes a select, so the mask may be traced.
  if (index.size() == 1)
    if (const Array* mask = index[0].kind == Index::Kind::array ? &index[0].array : nullptr;
        mask && mask->dtype() == Bool && mask->shape() == x.shape() && v->ndim() == 0) {
      const Array value = fn::as_dtype(v, x.dtype());
      switch (u) {
        case Update::set: return where(*mask, value, x);
        case Update::add: return where(*mask, x + value, x);
        case Update::mul: return where(*mask, x * value, x);
        case Update::min: return where(*mask, minimum(x, value), x);
        case Update::max: return where(*mask, maximum(x, value), x);
      }
    }
  const fn::IndexItems items = fn::checked_index(x, index, !o.mode.empty());
  return fn::update_items(x, items, v, u, mode_of(o.mode, OutOfBounds::zero, x, items),
                          {o.unique_indices, o.indices_are_sorted},
                          last && x.ref()->use_count() == 1);
}
Arg negated(const Arg& v, const Array& x) {
  const SourceScope s(v.at());
  return {negative(fn::as_dtype(v, x.dtype())), v.at()};
}
}  // namespace

Array At::get(const GetOptions& o) const {
  const SourceScope s(at_);
  const fn::IndexItems items = fn::checked_index(x_, i_, !o.mode.empty());
  return fn::get_items(x_, items, mode_of(o.mode, OutOfBounds::clip, x_, items), o.fill_value,
                       {o.unique_indices, o.indices_are_sorted});
}
Array At::set(const Arg& v, const SetOptions& o) const& {
  return updated(x_, i_, v, Update::set, o);
}
Array At::set(const Arg& v, const SetOptions& o) && {
  return updated(x_, i_, v, Update::set, o, true);
}
Array At::add(const Arg& v, const SetOptions& o) const& {
  return updated(x_, i_, v, Update::add, o);
}
Array At::add(const Arg& v, const SetOptions& o) && {
  return updated(x_, i_, v, Update::add, o, true);
}
Array At::subtract(const Arg& v, const SetOptions& o) const& {
  return updated(x_, i_, negated(v, x_), Update::add, o);
}
Array At::subtract(const Arg& v, const SetOptions& o) && {
  return updated(x_, i_, negated(v, x_), Update::add, o, true);
}
Array At::multiply(const Arg& v, const SetOptions& o) const& {
  return updated(x_, i_, v, Update::mul, o);
}
Array At::multiply(const Arg& v, const SetOptions& o) && {
  return updated(x_, i_, v, Update::mul, o, true);
}
Array At::min(const Arg& v, const SetOptions& o) const& {
  return updated(x_, i_, v, Update::min, o);
}
Array At::min(const Arg& v, const SetOptions& o) && {
  return updated(x_, i_, v, Update::min, o, true);
}
Array At::max(const Arg& v, const SetOptions& o) const& {
  return updated(x_, i_, v, Update::max, o);
}
Array At::max(const Arg& v, const SetOptions& o) && {
  return updated(x_, i_, v, Update::max, o, true);
}
Array At::divide(const Arg& v, const SetOptions& o) const {
  const SourceScope s(v.at());
  return x_ / updated(ones_like(x_), i_, v, Update::mul, o);
}
namespace {
// Applies f to the elements at an index and keeps all others.
Array applied(const Array& x, const std::vector<Index>& index, FunctionRef<Array(Array)> f,
              const SetOptions& o) {
  if (index.size() == 1 && index[0].kind == Index::Kind::array && index[0].array.dtype() == Bool &&
      index[0].array.shape() == x.shape())
    return where(index[0].array, fn::as_dtype(f(x), x.dtype()), x);
  const fn::IndexItems items = fn::checked_index(x, index, !o.mode.empty());
  return fn::apply_items(x, items, f, mode_of(o.mode, OutOfBounds::zero, x, items),
                         {o.unique_indices, o.indices_are_sorted});
}
}  // namespace
Array At::power(const Arg& v, const SetOptions& o) const {
  const SourceScope s(v.at());
  // Outside the index, x is selected instead of computed as x^1, which has no derivative in the
  // exponent where x < 0.
  const Array one = ones_like(x_);
  const Array there = updated(zeros_like(x_, Bool), i_, {Array(true), v.at()}, Update::set, o);
  const Array raised = pow(where(there, x_, one), updated(one, i_, v, Update::mul, o));
  return where(there, raised, x_);
}
Array At::apply(FunctionRef<Array(Array)> f, const SetOptions& o) const {
  const SourceScope s(at_);
  return applied(x_, i_, f, o);
}

}  // namespace weft
