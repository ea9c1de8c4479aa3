// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/index/sort.cpp: sort, top_k. On the host both are native code on rows
// (runtime/native/sort_rows.h), shared by the reference and compiled programs. On a GPU they are
// steps that its threads share (ops/index/order/).
#include "ops/index/sort.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "ops/index/index.h"
#include "ops/index/order_words.h"
#include "ops/index/stable_order.h"
#include "ops/kit/kit.h"
#include "ops/kit/native.h"
#include "ops/structure/structure.h"
#include "runtime/native/sort_rows.h"
#include "tracer/types_of.h"
#include "weft/lax/compare.h"
#include "weft/lax/elementwise.h"

namespace weft {
namespace {

using namespace lax;

struct Sort {
  int64_t dimension = 0, num_keys = 1;
  bool is_stable = true;  // Weft's sort is always stable; this is what XLA may assume
  WEFT_FIELDS(dimension, num_keys, is_stable)
};

// The cost of steps that threads share. On a GPU, waiting for a call on the host never pays.
double steps_ns(const Target& t) { return t.gpu ? 0 : order::never_ns; }

// Measured for 1 to 128 rows of 2 to 65,536 random numbers, of 4 or 8 bytes. Short rows are sorted
// side by side: few of them take longer each.
double sort_ns(const Use<Sort>& u) {
  constexpr double level_ns = 0.4;  // an element of an operand, by the logarithm of their number
  constexpr int64_t short_row = 1024, rows_beside = 16;
  constexpr double alone = 0.3;  // the part of the time that does not depend on the rows
  const int64_t length = u.in[0].shape()[u.params.dimension];
  const double n = static_cast<double>(length),
               rows = static_cast<double>(u.in[0].elements()) / std::max(n, 1.);
  const double beside =
      length > short_row ? 1 : 1 - alone + alone * std::max(rows_beside / std::max(rows, 1.), 1.);
  return level_ns * static_cast<double>(u.in.size()) * n * std::log2(n + 1) * beside;
}

// ---- sort

Types sort_type(const Types& in, const Sort& p) {
  if (in.empty()) reject_shape("sort", "takes at least one operand", in);
  for (const Type& t : in)
    if (!(t.shape() == in[0].shape())) reject_shape("sort", "operands must have one shape", in);
  if (p.dimension < 0 || p.dimension >= in[0].ndim())
    reject_shape("sort", fmt::format("axis {} is out of range", p.dimension), in);
  if (p.num_keys < 1 || p.num_keys > static_cast<int64_t>(in.size()))
    reject_shape("sort", fmt::format("{} keys are not among the operands", p.num_keys), in);
  for (int64_t i = 0; i < p.num_keys; ++i)
    if (is_key(in[i].dtype())) reject_dtype("sort", "random keys have no order", in);
  return in;
}

NativeCall sort_call(const Use<Sort>& u) {
  NativeCall call;
  call.run = [in = u.in, p = u.params](const NativeArgs& a) {
    sorting::sort_rows(in, p.dimension, p.num_keys, a);
  };
  call.workspace = [in = u.in, p = u.params] {
    return sorting::sort_workspace(in, p.dimension, p.num_keys);
  };
  call.axis_map = axis_map_without(u.in.size(), u.in[0].ndim(), {u.params.dimension}, false);
  return call;
}

// The steps count positions in I32.
bool places_fit(const Use<Sort>& u) {
  return u.in[0].shape()[u.params.dimension] <= std::numeric_limits<int32_t>::max();
}

Arrays sort_expand(const ExpandArgs<Sort>& e) {
  if (e.x[0].size() == 0) return e.x;
  const int axis = static_cast<int>(e.params.dimension), last = e.x[0].ndim() - 1;
  Arrays words;
  for (int64_t k = 0; k < e.params.num_keys; ++k)
    for (const Array& w : order::value_words(move_axis(e.x[k], axis, last))) words.push_back(w);
  const Array places = move_axis(order::stable_order(words, e.x[0].shape()[axis]), last, axis);
  Arrays out;
  for (const Array& x : e.x) out.push_back(gather_along(x, places, axis));
  return out;
}

const Primitive<Sort>& sort_op = define<Sort>({
    .name = "sort",
    .doc = "Sorts the operands along the axis `dimension` by the first `num_keys` of them. The "
           "order is stable, and NaN comes last.",
    .type = sort_type,
    .reference =
        [](const Arrays& x, const Sort& p) {
          const Types t = types_of(x);
          return run_native(
              [&](const NativeArgs& a) { sorting::sort_rows(t, p.dimension, p.num_keys, a); }, x,
              t);
        },
    .dual =
        [](const DualArgs<Sort>& j) {
          // The positions are sorted, too; they give the order of the tangents.
          Arrays x = j.x;
          const Shape& s = x[0].shape();
          x.push_back(iota(I32, s, j.params.dimension));
          Dual d;
          d.out = sort_op.bind(x, j.params);
          const Array order = d.out.back();
          d.out.pop_back();
          for (const Array& t : j.dx)
            d.tangent.push_back(t.empty_handle()
                                    ? Array()
                                    : gather_along(t, order, static_cast<int>(j.params.dimension)));
          return d;
        },
    .batch =
        [](const BatchArgs<Sort>& b) {
          int at = 0;
          for (const MaybeAxis& a : b.axis)
            if (a) at = *a;
          Arrays x;
          for (size_t i = 0; i < b.x.size(); ++i)
            x.push_back(move_mapped(b.x[i], b.axis[i], at, b.size));
          Sort p = b.params;
          if (p.dimension >= at) ++p.dimension;
          Arrays out = sort_op.bind(x, p);
          const MaybeAxes axes(out.size(), at);
          return Batched{std::move(out), axes};
        },
    .expand = sort_expand,
    .implementations =
        [] {
          return std::vector<Implementation<Sort>>{
              {.name = "native", .cost = sort_ns, .make = sort_call},
              {.name = std::string(expanded),
               .applies = places_fit,
               .cost = [](const Use<Sort>& u) { return steps_ns(u.target); }}};
        },
    .simplify =
        [](const SimplifyArgs<Sort>& s) {
          return s.x[0].shape()[s.params.dimension] <= 1 ? s.x : Arrays{};
        },
    .samples =
        [] {
          return std::vector<Sample<Sort>>{
              {{Type(F32, {7})}, {0, 1}},
              {{Type(F32, {3, 5})}, {1, 1}},
              {{Type(F32, {5, 3})}, {0, 1}},
              {{Type(I32, {9}), Type(F32, {9})}, {0, 1}},
              {{Type(Bool, {6}), Type(F32, {6}), Type(I32, {6})}, {0, 2}},
              {{Type(BF16, {4})}, {0, 1}},
              {{Type(C64, {4})}, {0, 1}},
              {{Type(I8, {520}), Type(F32, {520})}, {0, 1}},
              {{Type(F32, {0})}, {0, 1}}};
        },
    .rejects =
        [] {
          return std::vector<Reject<Sort>>{{{Type(F32, {3})}, {1, 1}, "out of range"},
                                           {{Type(F32, {3}), Type(F32, {4})}, {0, 1}, "one shape"},
                                           {{Type(F32, {3})}, {0, 2}, "not among the operands"},
                                           {{Type(Key, {3})}, {0, 1}, "no order"}};
        },
});

// ---- top_k

struct TopK {
  int64_t k = 0, axis = 0;
  bool total_order = false;
  WEFT_FIELDS(k, axis, total_order)
};

Types top_k_type(const Types& in, const TopK& p) {
  require_operands("top_k", in, 1);
  if (!dtype_in(in[0].dtype(), DTypes::bools | DTypes::real_numbers))
    reject_dtype("top_k",
                 "takes " + class_names(DTypes::bools | DTypes::real_numbers) + " operands", in);
  if (p.axis < 0 || p.axis >= in[0].ndim())
    reject_shape("top_k", fmt::format("axis {} is out of range", p.axis), in);
  if (p.k < 0 || p.k > in[0].shape()[p.axis])
    reject_shape("top_k", fmt::format("k = {} is more than the axis has", p.k), in);
  const Shape s = in[0].shape().with(static_cast<int>(p.axis), p.k);
  return {in[0].with_shape(s), Type(I32, s)};
}

// Measured for rows of 8 to 65,536 random numbers, and 1 to half of them.
double top_k_ns(const Use<TopK>& u) {
  constexpr double row_ns = 100, term_ns = 0.3, found_ns = 25;
  return row_ns + term_ns * static_cast<double>(u.in[0].shape()[u.params.axis]) +
         found_ns * static_cast<double>(u.params.k);
}

NativeCall top_k_call(const Use<TopK>& u) {
  NativeCall call;
  call.run = [t = u.in[0], p = u.params](const NativeArgs& a) {
    sorting::top_rows(t, p.axis, p.k, p.total_order, a);
  };
  call.workspace = [t = u.in[0], p = u.params] { return sorting::top_workspace(t, p.axis, p.k); };
  call.axis_map = axis_map_without(1, u.in[0].ndim(), {u.params.axis}, false);
  return call;
}

// Only the k largest elements of each block are compared again. Equal elements keep their order.
constexpr int64_t block_terms = 256, block_most = 32;

// The k largest words, largest first.
Arrays largest(const Primitive<TopK>& op, const Array& words, int64_t k) {
  const int axis = words.ndim() - 1;
  const Shape& s = words.shape();
  const int64_t n = s[axis], blocks = (n + block_terms - 1) / block_terms;
  Ints none(s.size(), 0), high = none;
  high.back() = blocks * block_terms - n;
  const Array by_block = reshape_to(pad_with(words, like(words, 0), none, high, none),
                                    s.with(axis, blocks).inserted(axis + 1, block_terms));
  const Arrays best = op.bind({by_block}, {k, axis + 1});
  const Shape left = s.with(axis, blocks * k);
  const Array first = mul(iota(I32, best[1].shape(), axis), scalar_of_int(I32, block_terms));
  const Array from = reshape_to(add(best[1], first), left);
  const Arrays r = op.bind({reshape_to(best[0], left)}, {k, axis});
  return {r[0], gather_along(from, r[1], axis)};
}

Arrays top_k_expand(const ExpandArgs<TopK>& e) {
  const int axis = static_cast<int>(e.params.axis), last = e.x[0].ndim() - 1;
  const int64_t k = e.params.k, n = e.x[0].shape()[axis];
  const Types out = top_k_type({e.x[0].type()}, e.params);
  if (out[0].elements() == 0) return {base::zeros(out[0]), base::zeros(out[1])};
  const Array words = order::top_word(move_axis(e.x[0], axis, last), e.params.total_order);
  const Array found = n > order::ranked_terms && k <= block_most
                          ? largest(e.op, words, k)[1]
                          : order::stable_order({bitwise_not(words)}, k);
  const Array places = move_axis(found, last, axis);
  return {gather_along(e.x[0], places, axis), places};
}

const Primitive<TopK>& top_k_op = define<TopK>({
    .name = "top_k",
    .doc = "Returns the `k` largest elements along `axis`, in descending order, and their indices. "
           "NaN comes first. With `total_order`, elements have the order of their bits, as in XLA: "
           "NaNs with the sign bit come last.",
    .type = top_k_type,
    .reference =
        [](const Arrays& x, const TopK& p) {
          const Type t = x[0].type();
          return run_native(
              [&](const NativeArgs& a) { sorting::top_rows(t, p.axis, p.k, p.total_order, a); }, x,
              top_k_type({t}, p));
        },
    .jvp =
        [](const JvpArgs<TopK>& j) {
          if (j.dx[0].empty_handle()) return Arrays(2);
          return Arrays{gather_along(j.dx[0], j.out[1], static_cast<int>(j.params.axis)), Array()};
        },
    .batch =
        [](const BatchArgs<TopK>& b) {
          const int at = *b.axis[0];
          TopK p = b.params;
          if (p.axis >= at) ++p.axis;
          return Batched{top_k_op.bind({b.x[0]}, p), {at, at}};
        },
    .expand = top_k_expand,
    .implementations =
        [] {
          return std::vector<Implementation<TopK>>{
              {.name = "native", .cost = top_k_ns, .make = top_k_call},
              {.name = std::string(expanded),
               .cost = [](const Use<TopK>& u) { return steps_ns(u.target); }}};
        },
    .simplify =
        [](const SimplifyArgs<TopK>& s) {
          const Types out = top_k_type({s.x[0].type()}, s.params);
          const bool nothing = out[0].elements() == 0;
          if (!nothing && s.x[0].shape()[s.params.axis] > 1) return Arrays{};
          return Arrays{nothing ? base::zeros(out[0]) : s.x[0], base::zeros(out[1])};
        },
    .samples =
        [] {
          return std::vector<Sample<TopK>>{
              {{Type(F32, {7})}, {3, 0}},          {{Type(F32, {3, 5})}, {5, 1}},
              {{Type(I32, {4, 3})}, {2, 0}},       {{Type(I32, {520})}, {3, 0}},
              {{Type(I8, {520})}, {40, 0}},        {{Type(F16, {4})}, {0, 0}},
              {{Type(F32, {3, 40})}, {4, 1, true}}};
        },
    .rejects =
        [] {
          return std::vector<Reject<TopK>>{{{Type(F32, {3})}, {4, 0}, "more than the axis has"},
                                           {{Type(C64, {3})}, {1, 0}, "takes bool or"},
                                           {{Type(F32, {3})}, {1, 1}, "out of range"}};
        },
});

}  // namespace

Arrays sort_arrays(const Arrays& x, int64_t axis, int64_t num_keys, bool is_stable) {
  return sort_op.bind(x, {axis, num_keys, is_stable});
}
std::pair<Array, Array> top_k_along(const Array& x, int64_t k, int64_t axis, bool total_order) {
  Arrays out = top_k_op.bind({x}, {k, axis, total_order});
  return {out[0], out[1]};
}

}  // namespace weft
