// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/elementwise/compare.cpp: comparisons, is_finite, and, or, xor, not, select_n.
#include "weft/lax/compare.h"

#include <fmt/format.h>

#include <cstring>

#include "autodiff/autodiff.h"
#include "ops/elementwise/seed.h"
#include "ops/index/masked_update.h"
#include "ops/kit/kit.h"
#include "ops/structure/structure.h"
#include "tracer/derivative_zeros.h"
#include "tracer/types_of.h"

namespace weft {
namespace {

using namespace lax;
constexpr unsigned ordered = DTypes::bools | DTypes::ints | DTypes::floats;
constexpr unsigned bits = DTypes::bools | DTypes::ints;

template <unsigned classes, class F>
Def<None> comparison(const char* name, const char* doc, F f) {
  auto d = elementwise<classes, 2, bool>(name, doc, f);
  d.jvp = zero_jvp;
  return d;
}

// Equality ops also take random keys. On the host a key is one word of 64 bits, and in a loop nest
// two of 32 bits.
template <class F>
Def<None> equality(const char* name, const char* doc, F f, nest::Opcode join) {
  auto d = comparison<DTypes::any>(name, doc, f);
  const auto words = [](Types in) {
    for (Type& t : in)
      if (is_key(t.dtype())) t = t.with_dtype(U64);
    return in;
  };
  d.type = [type = d.type, words](const Types& in, const None& p) {
    for (const Type& t : in)
      if (t.dtype() != in[0].dtype() && (is_key(t.dtype()) || is_key(in[0].dtype())))
        return type(in, p);
    return type(words(in), p);
  };
  d.reference = [f, type = d.type](const Arrays& x, const None& p) {
    const Type t = type(types_of(x), p)[0];
    Array r;
    with_dtype(x[0].dtype(), [&](auto* q) {
      using T = std::remove_pointer_t<decltype(q)>;
      r = detail::map_elements<T, bool>(x, t, f, std::make_index_sequence<2>{});
    });
    return Arrays{r};
  };
  d.lower = [f, join, plain = d.lower](const LowerArgs<None>& l) {
    if (!is_key(l.in[0].dtype())) return plain(l);
    Lowering r;
    r.element = [f, join, in = l.in](Reader& x, int, const Coords& at) {
      const Coords none;
      const Elem a = x.read(0, in[0].ndim() ? at : none), b = x.read(1, in[1].ndim() ? at : none);
      using Word = num::Ir<uint32_t>;
      const nest::Id lo = f(Word::at(a.re), Word::at(b.re)).id,
                     hi = f(Word::at(a.im), Word::at(b.im)).id;
      return Elem{num::builder().pure(join, nest::Kind::Mask, {lo, hi}), nest::no_id};
    };
    return r;
  };
  d.samples = [plain = d.samples] {
    auto s = plain();
    for (DType k : {Key, RbgKey}) s.push_back({{Type(k, {3}), Type(k, {3})}, {}});
    return s;
  };
  return d;
}

const Primitive<None>& eq_op = define_elementwise(equality(
    "eq", "Returns whether `x == y`, element by element. The result is false if an operand is NaN.",
    [](auto x, auto y) { return x == y; }, nest::Opcode::And));
const Primitive<None>& ne_op = define_elementwise(equality(
    "ne", "Returns whether `x != y`, element by element. The result is true if an operand is NaN.",
    [](auto x, auto y) { return x != y; }, nest::Opcode::Or));
const Primitive<None>& seed_eq_op = define_elementwise(comparison<DTypes::ints>(
    "seed_eq",
    "Returns whether `x == y`, element by element, as `eq` does. Converted to a float, it is an "
    "element of a unit vector of derivatives: where it is false, the 0 is the zero of a "
    "derivative.",
    [](auto x, auto y) { return x == y; }));
const Primitive<None>& lt_op = define_elementwise(comparison<ordered>(
    "lt", "Returns whether `x < y`, element by element. The result is false if an operand is NaN.",
    [](auto x, auto y) { return x < y; }));
const Primitive<None>& le_op = define_elementwise(comparison<ordered>(
    "le", "Returns whether `x <= y`, element by element. The result is false if an operand is NaN.",
    [](auto x, auto y) { return x <= y; }));
const Primitive<None>& gt_op = define_elementwise(comparison<ordered>(
    "gt", "Returns whether `x > y`, element by element. The result is false if an operand is NaN.",
    [](auto x, auto y) { return y < x; }));
const Primitive<None>& ge_op = define_elementwise(comparison<ordered>(
    "ge", "Returns whether `x >= y`, element by element. The result is false if an operand is NaN.",
    [](auto x, auto y) { return y <= x; }));

const Primitive<None>& is_finite_op = define_elementwise([] {
  auto d = elementwise<DTypes::floats, 1, bool>(
      "is_finite", "Returns whether each element is neither infinite nor NaN.",
      [](auto x) { return num::is_finite(x); });
  d.stablehlo = "stablehlo.is_finite";
  d.jvp = zero_jvp;
  return d;
}());

template <int n, class F>
Def<None> bitwise(const char* name, const char* stablehlo, const char* doc, F f) {
  auto d = elementwise<bits, n>(name, doc, f);
  d.stablehlo = stablehlo;
  d.jvp = zero_jvp;
  d.rejects = [] {
    return std::vector<Reject<None>>{{Types(n, Type(F32, {2})), {}, "takes bool or integer"}};
  };
  return d;
}
const Primitive<None>& and_op = define_elementwise(bitwise<2>(
    "and", "stablehlo.and", "Computes the bitwise AND of integers or the logical AND of booleans.",
    [](auto x, auto y) { return num::bit_and(x, y); }));
const Primitive<None>& or_op = define_elementwise(bitwise<2>(
    "or", "stablehlo.or", "Computes the bitwise OR of integers or the logical OR of booleans.",
    [](auto x, auto y) { return num::bit_or(x, y); }));
const Primitive<None>& xor_op = define_elementwise(bitwise<2>(
    "xor", "stablehlo.xor", "Computes the bitwise XOR of integers or the logical XOR of booleans.",
    [](auto x, auto y) { return num::bit_xor(x, y); }));
const Primitive<None>& not_op = define_elementwise(bitwise<1>(
    "not", "stablehlo.not", "Computes the bitwise NOT of integers or the logical NOT of booleans.",
    [](auto x) { return num::bit_not(x); }));

// ---- select_n

Types select_type(const Types& in, const None&) {
  const char* op = "select_n";
  if (in.size() < 2) reject_shape(op, "takes a predicate and at least one case", in);
  const Type& which = in[0];
  if (which.dtype() != Bool && which.dtype() != I32)
    reject_dtype(op, "which must be bool or i32", in);
  if (which.dtype() == Bool && in.size() > 3)
    reject_dtype(op, fmt::format("a bool chooses among at most 2 cases, not {}", in.size() - 1),
                 in);
  bool weak = true;
  for (size_t i = 1; i < in.size(); ++i) {
    if (in[i].dtype() != in[1].dtype()) reject_dtype(op, "cases must have the same dtype", in);
    if (!(in[i].shape() == in[1].shape())) reject_shape(op, "cases must have the same shape", in);
    weak = weak && in[i].weak();
  }
  if (which.ndim() != 0 && !(which.shape() == in[1].shape()))
    reject_shape(op, "which must be a scalar or have the same shape as the cases", in);
  return {Type(in[1].dtype(), in[1].shape(), weak)};
}

Arrays select_reference(const Arrays& x, const None& p) {
  const Fresh r = fresh_array(select_type(types_of(x), p)[0]);
  const size_t bytes = itemsize(x[1].dtype());
  const void* which = concrete(x[0]).data();
  std::vector<const std::byte*> cases;
  for (size_t i = 1; i < x.size(); ++i)
    cases.push_back(static_cast<const std::byte*>(concrete(x[i]).data()));
  const int64_t step = x[0].ndim() ? 1 : 0, last = static_cast<int64_t>(cases.size()) - 1;
  for (int64_t i = 0, n = x[1].size(); i < n; ++i) {
    const int64_t k = x[0].dtype() == Bool ? static_cast<const bool*>(which)[i * step]
                                           : static_cast<const int32_t*>(which)[i * step];
    const auto at = static_cast<size_t>(i) * bytes;
    std::memcpy(static_cast<std::byte*>(r.data) + at, cases[std::clamp<int64_t>(k, 0, last)] + at,
                bytes);
  }
  return {r.array};
}

Batched select_batch(const BatchArgs<None>& b) {
  Arrays x = b.x;
  MaybeAxis common;
  bool agree = true;
  for (size_t i = 1; i < x.size(); ++i) {
    if (!b.mapped(i)) continue;
    agree = agree && (!common || *common == *b.axis[i]);
    common = common ? common : b.axis[i];
  }
  const bool scalar = x[0].ndim() == (b.mapped(0) ? 1 : 0);
  if (!scalar && b.mapped(0)) {
    agree = agree && (!common || *common == *b.axis[0]);
    common = common ? common : b.axis[0];
  }
  const int at = agree && common ? *common : 0;
  for (size_t i = 1; i < x.size(); ++i) x[i] = move_mapped(x[i], b.axis[i], at, b.size);
  if (!scalar)
    x[0] = move_mapped(x[0], b.axis[0], at, b.size);
  else if (b.mapped(0) && x[1].ndim() > 1)
    x[0] = broadcast_in_dim(x[0], x[1].shape(), {at});
  return {b.op.bind(x), {at}};
}

const Primitive<None>& select_op = define<None>({
    .name = "select_n",
    .doc = "Selects each element from the case with the index `which`, a bool or an i32. An index "
           "out of range is clamped.",
    .type = select_type,
    .reference = select_reference,
    .jvp =
        [](const JvpArgs<None>& j) {
          Arrays x{j.x[0]};
          bool zero = true;
          for (size_t i = 1; i < j.x.size(); ++i) {
            zero = zero && j.dx[i].empty_handle();
            x.push_back(instantiate(j.dx[i], j.x[i].type()));
          }
          return zero ? Arrays(1) : j.op.bind(x);
        },
    .transpose =
        [](const TransposeArgs<None>& t) {
          Arrays r(t.in.size());
          for (size_t i = 1; i < t.in.size(); ++i) {
            if (!t.linear[i]) continue;
            Arrays x(t.in.size(), base::derivative_zeros(t.ct[0].type()));
            x[0] = t.x[0];
            x[i] = t.ct[0];
            r[i] = t.op(x);
          }
          return r;
        },
    .batch = select_batch,
    .lower =
        [](const LowerArgs<None>& l) {
          Lowering r;
          r.element = [in = l.in](Reader& x, int, const Coords& at) {
            const Elem which = x.read(0, in[0].ndim() ? at : Coords{});
            Elem e = x.read(static_cast<int>(in.size()) - 1, at);
            for (int i = static_cast<int>(in.size()) - 2; i > 0; --i) {
              // True if case i - 1 or an earlier case is selected.
              const num::Ir<bool> before =
                  in[0].dtype() == Bool ? !num::Ir<bool>::at(which.re)
                                        : num::Ir<int32_t>::at(which.re) < num::Ir<int32_t>(i);
              e = select_elem(before.id, x.read(i, at), e);
            }
            return e;
          };
          return r;
        },
    .simplify =
        [](const SimplifyArgs<None>& s) {
          bool same = true;
          for (size_t i = 2; i < s.x.size(); ++i) same = same && &s.x[i].node() == &s.x[1].node();
          if (same) return Arrays{s.x[1]};
          if (!concrete_or_null(s.x[0]) || s.x[0].size() != 1) return Arrays{};
          const auto last = static_cast<int64_t>(s.x.size()) - 2;
          return Arrays{s.x[1 + std::clamp<int64_t>(s.x[0].item<int32_t>(), 0, last)]};
        },
    .fuse = masked_update,
    .samples =
        [] {
          std::vector<Sample<None>> s;
          for (DType d : {F32, F64, I32, Bool, C64, Key, RbgKey, BF16})
            s.push_back({{Type(Bool, {5}), Type(d, {5}), Type(d, {5})}, {}});
          s.push_back({{Type(Bool, {}), Type(F64, {2, 3}), Type(F64, {2, 3})}, {}});
          s.push_back({{Type(I32, {4}), Type(F64, {4}), Type(F64, {4}), Type(F64, {4})}, {}});
          s.push_back(
              {{Type(I32, {}), Type(F32, {2}), Type(F32, {2}), Type(F32, {2}), Type(F32, {2})},
               {}});
          s.push_back({{Type(Bool, {}), Type(F32, {}), Type(F32, {})}, {}});
          return s;
        },
    .rejects =
        [] {
          return std::vector<Reject<None>>{
              {{Type(F32, {}), Type(F32, {2}), Type(F32, {2})}, {}, "which must be bool or i32"},
              {{Type(Bool, {}), Type(F32, {2}), Type(F32, {3})}, {}, "same shape"},
              {{Type(Bool, {}), Type(F32, {2}), Type(F64, {2})}, {}, "same dtype"},
              {{Type(Bool, {3}), Type(F32, {2}), Type(F32, {2})},
               {},
               "scalar or have the same shape"},
              {{Type(Bool, {}), Type(F32, {}), Type(F32, {}), Type(F32, {})},
               {},
               "at most 2 cases"}};
        },
});

}  // namespace

Array seed_eq(const Array& x, const Array& y) { return seed_eq_op({x, y}); }

namespace lax {
Array eq(const Arg& x, const Arg& y) { return bind_at(eq_op, x, y); }
Array ne(const Arg& x, const Arg& y) { return bind_at(ne_op, x, y); }
Array lt(const Arg& x, const Arg& y) { return bind_at(lt_op, x, y); }
Array le(const Arg& x, const Arg& y) { return bind_at(le_op, x, y); }
Array gt(const Arg& x, const Arg& y) { return bind_at(gt_op, x, y); }
Array ge(const Arg& x, const Arg& y) { return bind_at(ge_op, x, y); }
Array is_finite(const Arg& x) { return bind_at(is_finite_op, x); }
Array bitwise_and(const Arg& x, const Arg& y) { return bind_at(and_op, x, y); }
Array bitwise_or(const Arg& x, const Arg& y) { return bind_at(or_op, x, y); }
Array bitwise_xor(const Arg& x, const Arg& y) { return bind_at(xor_op, x, y); }
Array bitwise_not(const Arg& x) { return bind_at(not_op, x); }
Array select_n(const Arg& which, const Arrays& cases) {
  const SourceScope s(which.at());
  Arrays x{which};
  x.insert(x.end(), cases.begin(), cases.end());
  return select_op(x);
}
Array select(const Arg& pred, const Array& on_true, const Array& on_false) {
  return select_n(pred, {on_false, on_true});
}
}  // namespace lax

}  // namespace weft
