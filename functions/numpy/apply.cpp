// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// functions/numpy/apply.cpp: maps functions over all positions of leading axes.
#include "weft/numpy/apply.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "batching/batch_trace.h"
#include "functions/kit.h"
#include "ops/kit/axes.h"
#include "ops/structure/each_element.h"
#include "ops/structure/structure.h"
#include "tracer/base_ops.h"
#include "tracer/record_trace.h"
#include "weft/numpy/create.h"
#include "weft/numpy/grid.h"
#include "weft/numpy/math.h"
#include "weft/numpy/shape.h"

namespace weft {
namespace {

using Sizes = std::vector<int64_t>;
using Flat = FunctionRef<Arrays(const Arrays&)>;

Shape joined_shape(const Shape& a, const Shape& b) {
  Sizes s = a.sizes();
  s.insert(s.end(), b.begin(), b.end());
  return Shape(s);
}
// Applies f at each position of the axes `loop`. These are the leading axes of the operands for
// which `mapped` is true, and of all results.
Arrays at_each(Flat f, const Arrays& x, const std::vector<bool>& mapped, const Shape& loop) {
  const int64_t n = loop.elements();
  const int axes = loop.ndim();
  if (axes == 0) return f(x);
  Arrays rows;
  Types one;
  MaybeAxes in;
  for (size_t i = 0; i < x.size(); ++i) {
    const Shape& s = x[i].shape();
    const Shape own = mapped[i] ? Shape(Sizes(s.begin() + axes, s.end())) : s;
    one.push_back(x[i].type().with_shape(own));
    rows.push_back(mapped[i] ? reshape_to(x[i], joined_shape({n}, own)) : x[i]);
    in.push_back(mapped[i] ? MaybeAxis(0) : MaybeAxis());
  }
  Arrays out;
  if (n == 0) {  // a map over no lanes does not run f, but its results still need types
    for (const Type& t : record(one, [&](const Arrays& a) { return f(a); }).jaxpr->out_types())
      out.push_back(base::zeros(t.with_shape(joined_shape(loop, t.shape()))));
    return out;
  }
  const Batched r = vmap_flat(f, rows, in, n);
  for (size_t i = 0; i < r.out.size(); ++i) {
    const Array v = move_mapped(r.out[i], r.axis[i], 0, n);
    out.push_back(reshape_to(v, joined_shape(loop, v.shape().erased(0))));
  }
  return out;
}
}  // namespace

Array apply_along_axis(FunctionRef<Array(Array)> f, int64_t axis, const Arg& x) {
  const SourceScope s(x.at());
  const int n = x->type().ndim(), a = fn::axis_of("apply_along_axis", axis, n);
  const Array rows = moveaxis(x, a, -1);
  const Array out = at_each([&](const Arrays& v) { return Arrays{f(v[0])}; }, {rows}, {true},
                            rows.shape().erased(n - 1))[0];
  // Moves the axes of f's result to the position of the mapped axis.
  Sizes from, to;
  for (int64_t i = n - 1; i < out.ndim(); ++i) {
    from.push_back(i);
    to.push_back(a + i - (n - 1));
  }
  return from.empty() ? out : moveaxis(out, from, to);
}
Array apply_over_axes(FunctionRef<Array(Array, int64_t)> f, const Arg& x, const AxisList& axes) {
  const SourceScope s(x.at());
  Array out = x;
  const Sizes all = axes.all ? axis_range(x->ndim()) : axes.axes;
  for (int64_t given : all) {
    const int a = fn::axis_of("apply_over_axes", given, x->type().ndim());
    const Array next = f(out, a);
    if (next.ndim() != out.ndim() && next.ndim() + 1 != out.ndim())
      fn::fail_shape(
          fmt::format("apply_over_axes: the function made {} of {}; it must keep the axis "
                      "or take it away",
                      to_string(next.type()), to_string(out.type())));
    out = next.ndim() == out.ndim() ? next : expand_dims(next, a);
  }
  return out;
}

Array piecewise(const Arg& x, const Arrays& conditions, const std::vector<Piece>& pieces) {
  const SourceScope s(x.at());
  const size_t n = conditions.size();
  if (pieces.size() != n && pieces.size() != n + 1)
    fn::fail_shape(
        fmt::format("piecewise: {} pieces for {} conditions; give as many, or one more "
                    "for elements where no condition holds",
                    pieces.size(), n));
  Shape full = x->shape();
  for (const Array& c : conditions) full = fn::common_shape("piecewise", full, c.shape());
  const Array v = fn::broadcast(fn::as_dtype(x, x->dtype()), full);
  const auto value = [&](const Piece& p) {
    if (!p.f) return fn::broadcast(fn::as_dtype(p.value, v.dtype()), full);
    return fn::as_dtype(each_element([&](const Arrays& e) { return Arrays{p.f(e[0])}; }, {v})[0],
                        v.dtype());
  };
  Array out = value(pieces.size() > n ? pieces[n] : Piece(Array(0)));
  for (size_t i = 0; i < n; ++i) out = where(conditions[i], value(pieces[i]), out);
  return out;
}

// ---- vectorize

namespace detail {
namespace {
// Parses "(n),(m,n)" into names of axes.
std::vector<std::vector<std::string>> parse_side(const std::string& all, const std::string& text) {
  const auto bad = [&] {
    fn::fail_shape("vectorize: \"" + all + "\" is not a signature; one is \"(m,n),(n)->(m)\"");
  };
  std::vector<std::vector<std::string>> out;
  size_t i = 0;
  const auto skip = [&] {
    while (i < text.size() && text[i] == ' ') ++i;
  };
  while (true) {
    skip();
    if (i >= text.size() || text[i] != '(') bad();
    ++i;
    out.emplace_back();
    while (true) {
      skip();
      std::string name;
      while (i < text.size() &&
             (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_'))
        name += text[i++];
      skip();
      if (i >= text.size() || (name.empty() && text[i] == ',')) bad();
      if (!name.empty()) out.back().push_back(name);
      if (text[i] == ')') break;
      if (text[i++] != ',') bad();
    }
    ++i;
    skip();
    if (i == text.size()) return out;
    if (text[i++] != ',') bad();
  }
}
// Checks that the last axes of x match these names. New names store their sizes, and known names
// compare them.
void note_sizes(const std::string& what, const Array& x, const std::vector<std::string>& names,
                std::map<std::string, int64_t>* sizes, bool exact) {
  const int64_t extra = x.ndim() - static_cast<int64_t>(names.size());
  if (extra < 0 || (exact && extra != 0))
    fn::fail_shape(fmt::format("vectorize: {} is {}; the signature says ({})", what,
                               to_string(x.type()), fmt::join(names, ",")));
  for (size_t i = 0; i < names.size(); ++i) {
    const int64_t n = x.shape()[extra + static_cast<int64_t>(i)];
    const auto [at, fresh] = sizes->emplace(names[i], n);
    if (!fresh && at->second != n)
      fn::fail_shape(
          fmt::format("vectorize: {} is {}; its axis {} has size {}, that name had {} "
                      "before",
                      what, to_string(x.type()), names[i], n, at->second));
  }
}
}  // namespace

CoreAxes parse_core_axes(const VectorizeOptions& o) {
  CoreAxes s;
  if (o.signature.empty()) return s;
  s.given = true;
  const size_t arrow = o.signature.find("->");
  s.in = parse_side(o.signature, o.signature.substr(0, arrow));
  s.out = parse_side(o.signature, arrow == std::string::npos ? "" : o.signature.substr(arrow + 2));
  return s;
}

Arrays run_vectorized(const CoreAxes& s, const std::vector<int64_t>& excluded, const Arrays& x,
                      FunctionRef<Arrays(const Arrays&)> f) {
  for (int64_t i : excluded)
    if (i < 0 || i >= static_cast<int64_t>(x.size()))
      fn::fail_index(fmt::format("vectorize: operand {} is excluded, of {}", i, x.size()));
  std::vector<size_t> own;  // operands to which the signature applies
  for (size_t i = 0; i < x.size(); ++i)
    if (std::find(excluded.begin(), excluded.end(), static_cast<int64_t>(i)) == excluded.end())
      own.push_back(i);
  if (s.given && s.in.size() != own.size())
    fn::fail_shape(
        fmt::format("vectorize: a signature of {} operands for {}", s.in.size(), own.size()));
  const auto core = [&](size_t k) { return s.given ? s.in[k] : std::vector<std::string>(); };
  std::map<std::string, int64_t> sizes;
  Shape loop;
  std::vector<Shape> front(own.size());
  for (size_t k = 0; k < own.size(); ++k) {
    const Array& a = x[own[k]];
    note_sizes(fmt::format("operand {}", own[k]), a, core(k), &sizes, false);
    front[k] = Shape(
        Sizes(a.shape().begin(), a.shape().end() - static_cast<std::ptrdiff_t>(core(k).size())));
    loop = fn::common_shape("vectorize", loop, front[k]);
  }
  Arrays operands = x;
  std::vector<bool> mapped(x.size());
  for (size_t k = 0; k < own.size(); ++k) {
    const Array& a = x[own[k]];
    const Shape inner(Sizes(a.shape().begin() + front[k].ndim(), a.shape().end()));
    mapped[own[k]] = front[k].elements() != 1;
    operands[own[k]] =
        mapped[own[k]] ? fn::broadcast(a, joined_shape(loop, inner)) : reshape_to(a, inner);
  }
  // If the loop has exactly one position, no operand is mapped so far. The first operand gets the
  // loop axes.
  if (loop.elements() == 1 && loop.ndim() > 0 && !own.empty()) {
    Array& first = operands[own[0]];
    first = reshape_to(first, joined_shape(loop, first.shape()));
    mapped[own[0]] = true;
  }
  const auto checked = [&](const Arrays& a) {
    Arrays out = f(a);
    if (s.given && out.size() != s.out.size())
      fn::fail_shape(fmt::format("vectorize: the function returns {} Arrays; the signature says {}",
                                 out.size(), s.out.size()));
    for (size_t i = 0; s.given && i < out.size(); ++i)
      note_sizes(fmt::format("result {}", i), out[i], s.out[i], &sizes, true);
    return out;
  };
  return at_each(checked, operands, mapped, loop);
}

void check_indices(int takes, const Shape& shape) {
  if (shape.ndim() != takes)
    fn::fail_shape(fmt::format("fromfunction: the function takes {} indices, shape {} has {} axes",
                               takes, to_string(shape), shape.ndim()));
}
Arrays run_from_function(FunctionRef<Arrays(const Arrays&)> f, const Shape& shape, DType dtype) {
  Arrays x;
  for (int i = 0; i < shape.ndim(); ++i) x.push_back(iota(dtype, shape, i));
  return at_each(f, x, std::vector<bool>(x.size(), true), shape);
}

}  // namespace detail
}  // namespace weft
