// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/sort.cpp: sort, top_k. Both are native code on rows, shared by reference and compiled
// programs.
#include "weft/ops/sort.h"

#include <fmt/format.h>

#include <compare>
#include <numeric>

#include "weft/ops/index.h"
#include "weft/ops/kit.h"
#include "weft/ops/structure.h"
#include "weft/tracer/types_of.h"

namespace weft {
namespace {

// ---- the order. NaN behind everything, all NaNs equal.

template <class T>
bool before(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, float16_t> || std::is_same_v<T, bfloat16_t>) {
    return before(static_cast<float>(a), static_cast<float>(b));
  } else if constexpr (std::is_same_v<T, complex64_t> || std::is_same_v<T, complex128_t>) {
    if (before(a.re, b.re)) return true;
    return !before(b.re, a.re) && before(a.im, b.im);
  } else if constexpr (std::is_floating_point_v<T>) {
    return a < b || (b != b && a == a);
  } else {
    return a < b;
  }
}

// The total order: -NaN < -inf < … < -0 < 0 < … < inf < NaN.
template <class T>
bool before_in_total(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, float16_t> || std::is_same_v<T, bfloat16_t>) {
    return before_in_total(static_cast<float>(a), static_cast<float>(b));
  } else if constexpr (std::is_floating_point_v<T>) {
    return std::strong_order(a, b) < 0;
  } else {
    return a < b;
  }
}

// Rows of an array along an axis: element i of row r lies at start(r) + i * step.
struct Rows {
  int64_t count = 0, length = 0, step = 1;
  int64_t start(int64_t r) const { return r / step * step * length + r % step; }
};
Rows rows_of(const Shape& s, int64_t axis) {
  Rows r;
  r.length = s[axis];
  for (int64_t a = axis + 1; a < s.ndim(); ++a) r.step *= s[a];
  r.count = r.length == 0 ? 0 : s.elements() / r.length;
  return r;
}

template <class T>
struct Keyed {
  T key;
  int64_t at;
};

// The order of a row by one key; stable, as the place decides between equals.
template <class T>
void order_by(const T* row, const Rows& r, std::vector<int64_t>* order) {
  std::vector<Keyed<T>> v(static_cast<size_t>(r.length));
  for (int64_t i = 0; i < r.length; ++i) v[static_cast<size_t>(i)] = {row[i * r.step], i};
  std::sort(v.begin(), v.end(), [](const Keyed<T>& a, const Keyed<T>& b) {
    if (before(a.key, b.key)) return true;
    return !before(b.key, a.key) && a.at < b.at;
  });
  for (size_t i = 0; i < v.size(); ++i) (*order)[i] = v[i].at;
}

// Three-way comparison of two places of a row of any dtype.
int compare_at(DType d, const void* data, int64_t i, int64_t j) {
  int c = 0;
  with_dtype(d, [&](auto* p) {
    const auto* x = static_cast<const std::remove_pointer_t<decltype(p)>*>(data);
    c = before(x[i], x[j]) ? -1 : before(x[j], x[i]) ? 1 : 0;
  });
  return c;
}

struct Sort {
  int64_t dimension = 0, num_keys = 1;
  WEFT_FIELDS(dimension, num_keys)
};

void sort_native(const Types& types, const Sort& p, const NativeArgs& args) {
  const Rows r = rows_of(types[0].shape(), p.dimension);
  std::vector<int64_t> order(static_cast<size_t>(r.length));
  for (int64_t row = 0; row < r.count; ++row) {
    const int64_t start = r.start(row);
    if (p.num_keys == 1) {
      with_dtype(types[0].dtype(), [&](auto* q) {
        order_by(static_cast<const std::remove_pointer_t<decltype(q)>*>(args.in[0]) + start, r,
                 &order);
      });
    } else {
      std::iota(order.begin(), order.end(), 0);
      std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
        for (int64_t k = 0; k < p.num_keys; ++k) {
          const auto i = static_cast<size_t>(k);
          if (const int c =
                  compare_at(types[i].dtype(), args.in[i], start + a * r.step, start + b * r.step))
            return c < 0;
        }
        return a < b;
      });
    }
    for (size_t k = 0; k < types.size(); ++k) {
      const auto bytes = static_cast<size_t>(itemsize(types[k].dtype()));
      const auto* from = static_cast<const std::byte*>(args.in[k]);
      auto* to = static_cast<std::byte*>(args.out[k]);
      for (size_t i = 0; i < order.size(); ++i)
        std::memcpy(to + static_cast<size_t>(start + static_cast<int64_t>(i) * r.step) * bytes,
                    from + static_cast<size_t>(start + order[i] * r.step) * bytes, bytes);
    }
  }
}

// Runs native code on the host, as compiled programs do.
Arrays run_native(const NativeFn& f, const Arrays& x, const Types& out) {
  std::vector<const void*> in;
  std::vector<void*> to;
  Arrays results;
  for (const Array& a : x) in.push_back(concrete(a).data());
  for (const Type& t : out) {
    Fresh r = fresh_array(t);
    results.push_back(r.array);
    to.push_back(r.data);
  }
  f({in, to});
  return results;
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
    if (in[static_cast<size_t>(i)].dtype() == Key)
      reject_dtype("sort", "random keys have no order", in);
  return in;
}

const Primitive<Sort>& sort_op = define<Sort>({
    .name = "sort",
    .doc = "Sorts the operands along an axis by the first of them; stable, NaN last.",
    .type = sort_type,
    .reference =
        [](const Arrays& x, const Sort& p) {
          const Types t = types_of(x);
          return run_native([&](const NativeArgs& a) { sort_native(t, p, a); }, x, t);
        },
    .dual =
        [](const DualArgs<Sort>& j) {
          // The places are sorted along; they say where the tangents go.
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
    .lower =
        [](const LowerArgs<Sort>& l) {
          Lowering r;
          r.form = Lowering::Form::opaque;
          r.name = "sort";
          r.follows = follows_but(l.in.size(), l.in[0].ndim(), {l.params.dimension}, false);
          r.native = [in = l.in, p = l.params](const NativeArgs& a) { sort_native(in, p, a); };
          return r;
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
  WEFT_FIELDS(k, axis)
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

void top_k_native(const Type& t, const TopK& p, const NativeArgs& args) {
  const Rows in = rows_of(t.shape(), p.axis),
             out = rows_of(t.shape().with(static_cast<int>(p.axis), p.k), p.axis);
  with_class<DTypes::bools | DTypes::real_numbers>(t.dtype(), [&](auto* q) {
    using T = std::remove_pointer_t<decltype(q)>;
    std::vector<Keyed<T>> v(static_cast<size_t>(in.length));
    for (int64_t row = 0; row < out.count; ++row) {
      const T* from = static_cast<const T*>(args.in[0]) + in.start(row);
      for (int64_t i = 0; i < in.length; ++i) v[static_cast<size_t>(i)] = {from[i * in.step], i};
      std::partial_sort(v.begin(), v.begin() + p.k, v.end(),
                        [](const Keyed<T>& a, const Keyed<T>& b) {
                          if (before_in_total(b.key, a.key)) return true;
                          return !before_in_total(a.key, b.key) && a.at < b.at;
                        });
      for (int64_t i = 0; i < p.k; ++i) {
        const int64_t to = out.start(row) + i * out.step;
        static_cast<T*>(args.out[0])[to] = v[static_cast<size_t>(i)].key;
        static_cast<int32_t*>(args.out[1])[to] = static_cast<int32_t>(v[static_cast<size_t>(i)].at);
      }
    }
  });
}

const Primitive<TopK>& top_k_op = define<TopK>({
    .name = "top_k",
    .doc = "The k largest along an axis in the total order, largest first, and their indices.",
    .type = top_k_type,
    .reference =
        [](const Arrays& x, const TopK& p) {
          const Type t = x[0].type();
          return run_native([&](const NativeArgs& a) { top_k_native(t, p, a); }, x,
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
    .lower =
        [](const LowerArgs<TopK>& l) {
          Lowering r;
          r.form = Lowering::Form::opaque;
          r.name = "top_k";
          r.follows = follows_but(1, l.in[0].ndim(), {l.params.axis}, false);
          r.native = [t = l.in[0], p = l.params](const NativeArgs& a) { top_k_native(t, p, a); };
          return r;
        },
    .samples =
        [] {
          return std::vector<Sample<TopK>>{{{Type(F32, {7})}, {3, 0}},
                                           {{Type(F32, {3, 5})}, {5, 1}},
                                           {{Type(I32, {4, 3})}, {2, 0}},
                                           {{Type(F16, {4})}, {0, 0}}};
        },
    .rejects =
        [] {
          return std::vector<Reject<TopK>>{{{Type(F32, {3})}, {4, 0}, "more than the axis has"},
                                           {{Type(C64, {3})}, {1, 0}, "takes bool or"},
                                           {{Type(F32, {3})}, {1, 1}, "out of range"}};
        },
});

}  // namespace

Arrays sort_arrays(const Arrays& x, int64_t axis, int64_t num_keys) {
  return sort_op.bind(x, {axis, num_keys});
}
std::pair<Array, Array> top_k_along(const Array& x, int64_t k, int64_t axis) {
  Arrays out = top_k_op.bind({x}, {k, axis});
  return {out[0], out[1]};
}

}  // namespace weft
