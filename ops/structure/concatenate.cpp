// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/structure/concatenate.cpp: concatenate and pad, and the structural functions for lower
// layers.
#include <fmt/format.h>

#include <utility>

#include "autodiff/autodiff.h"
#include "ops/kit/coords.h"
#include "ops/kit/kit.h"
#include "ops/kit/strided.h"
#include "ops/structure/structure.h"
#include "tracer/derivative_zeros.h"
#include "tracer/types_of.h"
#include "weft/lax/compare.h"
#include "weft/lax/elementwise.h"

namespace weft {
namespace {

// ---- concatenate

struct Concatenate {
  int64_t dimension = 0;
  WEFT_FIELDS(dimension)
};

Types concatenate_type(const Types& in, const Concatenate& p) {
  const char* op = "concatenate";
  if (in.empty()) reject_shape(op, "takes at least one operand", in);
  if (p.dimension < 0 || p.dimension >= in[0].ndim())
    reject_shape(op, fmt::format("dimension {} is out of range", p.dimension), in);
  int64_t n = 0;
  bool weak = true;
  for (const Type& t : in) {
    if (t.dtype() != in[0].dtype())
      reject_dtype(op, "requires arguments to have the same dtypes", in);
    if (t.ndim() != in[0].ndim()) reject_shape(op, "operands must have equal ranks", in);
    for (int i = 0; i < t.ndim(); ++i)
      if (i != p.dimension && t.shape()[i] != in[0].shape()[i])
        reject_shape(
            op,
            fmt::format("operands must have equal shapes except along dimension {}", p.dimension),
            in);
    n += t.shape()[p.dimension];
    weak = weak && t.weak();
  }
  return {Type(in[0].dtype(), in[0].shape().with(static_cast<int>(p.dimension), n), weak)};
}

Arrays concatenate_reference(const Arrays& x, const Concatenate& p) {
  const Type t = concatenate_type(types_of(x), p)[0];
  const Fresh r = fresh_array(t);
  const auto step = row_major(t.shape());
  const int bytes = itemsize(t.dtype());
  std::byte* to = static_cast<std::byte*>(r.data);
  for (const Array& a : x) {
    strided_move(to, step, concrete(a).data(), row_major(a.shape()), a.shape(), bytes);
    to += step[p.dimension] * a.shape()[p.dimension] * bytes;
  }
  return {r.array};
}

Elem concatenate_elem(Reader& x, const Coords& at, const Types& in, const Types& out,
                      int64_t dimension) {
  const size_t d = dimension;
  Elem e = constant_elem(out[0].dtype(), 0);  // the result if all operands are empty
  int64_t end = out[0].shape()[dimension];
  bool first = true;
  for (size_t k = in.size(); k-- > 0;) {
    const int64_t n = in[k].shape()[dimension], begin = end - n;
    if (n == 0) continue;
    Coords c = at;
    if (n != out[0].shape()[dimension]) c[d] = in_range(index_at(at[d]) - Index64(begin), n).id;
    const Elem here = x.read(static_cast<int>(k), c);
    e = first ? here : select_elem((index_at(at[d]) < Index64(end)).id, here, e);
    first = false;
    end = begin;
  }
  return e;
}

const Primitive<Concatenate>& concatenate_op = define<Concatenate>({
    .name = "concatenate",
    .doc = "Joins the operands along the axis `dimension`.",
    .type = concatenate_type,
    .reference = concatenate_reference,
    .jvp =
        [](const JvpArgs<Concatenate>& j) {
          Arrays dx;
          bool zero = true;
          for (size_t i = 0; i < j.x.size(); ++i) {
            zero = zero && j.dx[i].empty_handle();
            dx.push_back(instantiate(j.dx[i], j.x[i].type()));
          }
          return zero ? Arrays(1) : concatenate_op.bind(dx, j.params);
        },
    .transpose =
        [](const TransposeArgs<Concatenate>& t) {
          Arrays r(t.in.size());
          int64_t begin = 0;
          for (size_t i = 0; i < t.in.size(); ++i) {
            const int64_t end = begin + t.in[i].shape()[t.params.dimension];
            if (t.linear[i])
              r[i] = base::slice_axis(t.ct[0], static_cast<int>(t.params.dimension), begin, end);
            begin = end;
          }
          return r;
        },
    .batch =
        [](const BatchArgs<Concatenate>& b) {
          MaybeAxis common;
          bool agree = true;
          for (const MaybeAxis& a : b.axis) {
            if (!a) continue;
            agree = agree && (!common || *common == *a);
            common = a;
          }
          const int at = agree ? *common : 0;
          Arrays x;
          for (size_t i = 0; i < b.x.size(); ++i)
            x.push_back(move_mapped(b.x[i], b.axis[i], at, b.size));
          return Batched{concatenate_op.bind(x, {b.params.dimension + (b.params.dimension >= at)}),
                         {at}};
        },
    .lower =
        [](const LowerArgs<Concatenate>& l) {
          Lowering r;
          r.element = [in = l.in, out = l.out, d = l.params.dimension](Reader& x, int,
                                                                       const Coords& at) {
            return concatenate_elem(x, at, in, out, d);
          };
          return r;
        },
    .simplify =
        [](const SimplifyArgs<Concatenate>& s) {
          return s.x.size() == 1 ? Arrays{s.x[0]} : Arrays{};
        },
    .samples =
        [] {
          return std::vector<Sample<Concatenate>>{
              {{Type(F64, {2}), Type(F64, {3})}, {0}},
              {{Type(F32, {2, 3}), Type(F32, {2, 1}), Type(F32, {2, 0}), Type(F32, {2, 2})}, {1}},
              {{Type(C64, {1, 2}), Type(C64, {3, 2})}, {0}},
              {{Type(Key, {2}), Type(Key, {1})}, {0}},
              {{Type(Bool, {2})}, {0}},
              {{Type(I32, {0}), Type(I32, {0})}, {0}},
              {{Type(BF16, {3}), Type(BF16, {4})}, {0}}};
        },
    .rejects =
        [] {
          return std::vector<Reject<Concatenate>>{
              {{}, {0}, "at least one"},
              {{Type(F32, {2})}, {1}, "out of range"},
              {{Type(F32, {2}), Type(F64, {2})}, {0}, "same dtypes"},
              {{Type(F32, {2}), Type(F32, {2, 2})}, {0}, "equal ranks"},
              {{Type(F32, {2, 3}), Type(F32, {2, 2})}, {0}, "except along dimension 0"}};
        },
});

// ---- pad

struct Pad {
  Ints low, high, interior;
  WEFT_FIELDS(low, high, interior)
};

Types pad_type(const Types& in, const Pad& p) {
  const char* op = "pad";
  require_operands(op, in, 2);
  if (in[0].dtype() != in[1].dtype())
    reject_dtype(op, "the padding value must have the operand's dtype", in);
  if (in[1].ndim() != 0) reject_shape(op, "the padding value must be a scalar", in);
  const size_t n = in[0].ndim();
  if (p.low.size() != n || p.high.size() != n || p.interior.size() != n)
    reject_shape(op, "low, high and interior need one entry an axis", in);
  std::vector<int64_t> out;
  for (size_t i = 0; i < n; ++i) {
    const int64_t size = in[0].shape()[static_cast<int64_t>(i)];
    constexpr int64_t most = int64_t{1} << 60;  // sums of these do not overflow
    if (p.interior[i] < 0)
      reject_shape(op, fmt::format("axis {}: interior padding must not be negative", i), in);
    if (std::min(p.low[i], p.high[i]) < -most ||
        std::max({p.low[i], p.high[i], p.interior[i]}) > most)
      reject_shape(op, fmt::format("axis {}: the padding is too big", i), in);
    const int64_t between = checked_mul(std::max<int64_t>(size - 1, 0), p.interior[i]);
    const int64_t padded = std::min(between, most) + p.low[i] + p.high[i] + size;
    if (padded < 0)
      reject_shape(op, fmt::format("axis {}: the padded size {} is negative", i, padded), in);
    if (between > most || padded > most)
      reject_shape(op, fmt::format("axis {}: the padded axis is too big", i), in);
    out.push_back(padded);
  }
  return {Type(in[0].dtype(), Shape(out), in[0].weak() && in[1].weak())};
}

// The first and the last element along an axis that are not cropped. Otherwise first > last.
std::pair<int64_t, int64_t> kept_along(int64_t size, int64_t padded, int64_t low,
                                       int64_t interior) {
  const int64_t step = interior + 1, end = padded - 1 - low;
  return {low < 0 ? (-low + step - 1) / step : 0, end < 0 ? -1 : std::min(end / step, size - 1)};
}
// Returns true if the result has no element of the operand.
bool only_padding(const Shape& in, const Shape& out, const Pad& p) {
  for (size_t i = 0; i < p.low.size(); ++i) {
    const auto a = static_cast<int64_t>(i);
    const auto [first, last] = kept_along(in[a], out[a], p.low[i], p.interior[i]);
    if (last < first) return true;
  }
  return false;
}

Arrays pad_reference(const Arrays& x, const Pad& p) {
  const Type t = pad_type({x[0].type(), x[1].type()}, p)[0];
  const Fresh r = fresh_array(t);
  const int bytes = itemsize(t.dtype());
  std::byte* to = static_cast<std::byte*>(r.data);
  const Ints still(t.ndim(), 0);
  auto to_step = row_major(t.shape());
  strided_move(to, to_step, concrete(x[1]).data(), still, t.shape(), bytes);
  if (only_padding(x[0].shape(), t.shape(), p)) return {r.array};
  // The block of the operand that is not cropped.
  const std::byte* from = static_cast<const std::byte*>(concrete(x[0]).data());
  const auto from_step = row_major(x[0].shape());
  std::vector<int64_t> block;
  for (size_t i = 0; i < still.size(); ++i) {
    const auto a = static_cast<int64_t>(i);
    const int64_t step = p.interior[i] + 1;
    const auto [first, last] = kept_along(x[0].shape()[a], t.shape()[a], p.low[i], p.interior[i]);
    block.push_back(last - first + 1);
    from += first * from_step[i] * bytes;
    to += (p.low[i] + first * step) * to_step[i] * bytes;
    to_step[i] *= step;
  }
  strided_move(to, to_step, from, from_step, Shape(block), bytes);
  return {r.array};
}

Elem pad_elem(Reader& x, const Coords& at, const Shape& in, const Shape& out, const Pad& p) {
  const Elem value = x.read(1, {});
  if (in.elements() == 0) return value;
  Coords c = at;
  num::Ir<bool> inside(true);
  for (size_t i = 0; i < at.size(); ++i) {
    const int64_t n = in[static_cast<int64_t>(i)], step = p.interior[i] + 1,
                  extent = out[static_cast<int64_t>(i)];
    if (p.low[i] == 0 && step == 1 && extent <= n) continue;
    const Index64 shifted = index_at(at[i]) - Index64(p.low[i]);
    Index64 k = shifted;
    if (p.low[i] > 0) inside = inside & (Index64(0) <= shifted);
    if (step > 1) {
      k = num::div(shifted, Index64(step));
      inside = inside & (num::rem(shifted, Index64(step)) == Index64(0));
    }
    if (extent - 1 - p.low[i] > (n - 1) * step) inside = inside & (k <= Index64(n - 1));
    c[i] = in_range(k, n).id;
  }
  return select_elem(inside.id, x.read(0, c), value);
}

Arrays pad_transpose(const TransposeArgs<Pad>& t) {
  const Pad& p = t.params;
  Arrays r(2);
  Pad back = p;
  Ints stride, start(p.low.size(), 0);
  for (size_t i = 0; i < p.low.size(); ++i) {
    back.low[i] = -p.low[i];
    back.high[i] = -p.high[i];
    back.interior[i] = 0;
    stride.push_back(p.interior[i] + 1);
  }
  const Array ct =
      pad_with(t.ct[0], base::derivative_zero_like(t.ct[0]), back.low, back.high, back.interior);
  const Array of_operand = slice_static(ct, start, ct.shape().sizes(), stride);
  if (t.linear[0]) r[0] = of_operand;
  if (t.linear[1]) {
    const auto total = [](const Array& a) { return unbroadcast(a, Type(a.dtype(), {})); };
    r[1] = lax::sub(total(t.ct[0]), total(of_operand));
  }
  return r;
}

Batched pad_batch(const BatchArgs<Pad>& b) {
  const int at = b.mapped(0) ? *b.axis[0] : 0;
  const Array x = move_mapped(b.x[0], b.axis[0], at, b.size);
  Pad p = b.params;
  for (Ints* v : {&p.low, &p.high, &p.interior}) v->insert(v->begin() + at, 0);
  if (!b.mapped(1)) return {Arrays{pad_with(x, b.x[1], p.low, p.high, p.interior)}, {at}};
  // If each lane has its own padding value, select it where the padded operand has no element.
  const Array none = base::zeros(Type(x.dtype(), {}));
  const Array padded = pad_with(x, none, p.low, p.high, p.interior);
  const Array here = pad_with(base::ones(Type(Bool, x.shape())), base::zeros(Type(Bool, {})), p.low,
                              p.high, p.interior);
  return {Arrays{lax::select(here, padded, broadcast_in_dim(b.x[1], padded.shape(), {at}))}, {at}};
}

const Primitive<Pad>& pad_op = define<Pad>({
    .name = "pad",
    .doc = "Inserts a padding value before (`low`), after (`high`) and between (`interior`) the "
           "elements along each axis. Negative `low` and `high` remove elements.",
    .type = pad_type,
    .reference = pad_reference,
    .jvp =
        [](const JvpArgs<Pad>& j) {
          return pad_op.bind(
              {instantiate(j.dx[0], j.x[0].type()), instantiate(j.dx[1], j.x[1].type())}, j.params);
        },
    .transpose = pad_transpose,
    .batch = pad_batch,
    .lower =
        [](const LowerArgs<Pad>& l) {
          Lowering r;
          r.element = [in = l.in[0].shape(), out = l.out[0].shape(), p = l.params](
                          Reader& x, int, const Coords& at) { return pad_elem(x, at, in, out, p); };
          return r;
        },
    .simplify =
        [](const SimplifyArgs<Pad>& s) {
          const Type out = pad_type({s.x[0].type(), s.x[1].type()}, s.params)[0];
          if (only_padding(s.x[0].shape(), out.shape(), s.params) &&
              s.x[1].type() == out.with_shape({}))
            return Arrays{broadcast_in_dim(s.x[1], out.shape(), {})};
          const auto zero = [](const Ints& v) {
            return std::all_of(v.begin(), v.end(), [](int64_t i) { return i == 0; });
          };
          return zero(s.params.low) && zero(s.params.high) && zero(s.params.interior)
                     ? Arrays{s.x[0]}
                     : Arrays{};
        },
    .samples =
        [] {
          std::vector<Sample<Pad>> s;
          for (DType d : {F64, I8, Bool, C64, F16, Key, RbgKey})
            s.push_back({{Type(d, {3}), Type(d, {})}, {{2}, {1}, {0}}});
          for (int64_t low : {-2, 0, 1})
            for (int64_t high : {-1, 0, 2})
              for (int64_t interior : {0, 2})
                s.push_back(
                    {{Type(F64, {4, 2}), Type(F64, {})}, {{low, 1}, {high, 0}, {interior, 1}}});
          s.push_back({{Type(F32, {0, 2}), Type(F32, {})}, {{1, 0}, {2, 0}, {1, 0}}});
          s.push_back({{Type(F32, {3}), Type(F32, {})}, {{-3}, {2}, {0}}});
          s.push_back({{Type(F32, {}), Type(F32, {})}, {{}, {}, {}}});
          return s;
        },
    .rejects =
        [] {
          return std::vector<Reject<Pad>>{
              {{Type(F32, {3}), Type(F64, {})}, {{0}, {0}, {0}}, "operand's dtype"},
              {{Type(F32, {3}), Type(F32, {1})}, {{0}, {0}, {0}}, "must be a scalar"},
              {{Type(F32, {3}), Type(F32, {})}, {{}, {}, {}}, "one entry an axis"},
              {{Type(F32, {3}), Type(F32, {})}, {{-2}, {-2}, {0}}, "size -1 is negative"},
              {{Type(F32, {3}), Type(F32, {})}, {{0}, {0}, {-1}}, "must not be negative"},
              {{Type(F32, {3}), Type(F32, {})}, {{INT64_MAX}, {INT64_MAX}, {0}}, "too big"},
              {{Type(F32, {3}), Type(F32, {})}, {{0}, {0}, {INT64_MAX}}, "too big"}};
        },
});

}  // namespace

Array concatenate_arrays(const Arrays& x, int64_t axis) { return concatenate_op(x, {axis}); }
Array pad_with(const Array& x, const Array& value, const Ints& low, const Ints& high,
               const Ints& interior) {
  return pad_op({x, value}, {low, high, interior});
}

namespace base {
Array iota(const Type& t, int axis) { return weft::iota(t.dtype(), t.shape(), axis); }
}  // namespace base

}  // namespace weft
