// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/random/random.cpp: random_seed, random_split, random_fold_in, random_bits, random_wrap,
// random_unwrap.
//
// A key is two 32-bit words. Element i of the result depends only on the key and i. A map over keys
// therefore gives each lane the numbers that it would draw alone, and the numbers do not depend on
// the schedule.
#include "ops/random/random.h"

#include <fmt/format.h>

#include "core/scalar/math/philox.h"
#include "core/scalar/math/threefry.h"
#include "ops/kit/kit.h"
#include "ops/structure/structure.h"

namespace weft {
namespace {

using Word = num::Ir<uint32_t>;
struct Words {
  uint32_t k0, k1;
};
const Words* words_of(const Array& x) { return static_cast<const Words*>(concrete(x).data()); }
Word word(nest::Id id) { return Word::at(id); }
Elem key_elem(const std::array<Word, 2>& w) { return {w[0].id, w[1].id}; }

// Keys do not have tangents, and neither do the numbers drawn with them.
template <class P>
Arrays no_tangent(const JvpArgs<P>& j) {
  return Arrays(j.out.size());
}
void need_keys(const char* op, const Types& in, size_t i = 0) {
  if (!is_key(in[i].dtype()))
    reject_dtype(op, "takes random keys, as weft::random::key makes them", in);
}
Shape appended(const Shape& a, const Ints& b) {
  std::vector<int64_t> s = a.sizes();
  s.insert(s.end(), b.begin(), b.end());
  return Shape(s);
}

// The index of an element among those drawn with one key, as two words.
std::array<Word, 2> counter(const Coords& at, size_t lead, const Ints& shape) {
  num::Ir<int64_t> flat(0);
  int64_t total = 1;
  for (size_t i = 0; i < shape.size(); ++i) {
    flat = flat * num::Ir<int64_t>(shape[i]) + num::Ir<int64_t>::at(at[lead + i]);
    total *= shape[i];
  }
  const Word lo = num::convert<uint32_t>(flat);
  if (total <= int64_t{1} << 32) return {Word(0u), lo};
  return {num::convert<uint32_t>(num::shift_right_logical(flat, num::Ir<int64_t>(32))), lo};
}
// Calls f(key, hi, lo, flat) for each element of all keys.
template <class F>
void for_each_draw(const Array& keys, const Ints& shape, const F& f) {
  const int64_t n = Shape(shape).elements();
  const Words* k = words_of(keys);
  for (int64_t i = 0; i < keys.size(); ++i)
    for (int64_t e = 0; e < n; ++e)
      f(k[i], static_cast<uint32_t>(static_cast<uint64_t>(e) >> 32), static_cast<uint32_t>(e),
        i * n + e);
}

// The kind of the new keys.
struct Impl {
  DType impl = Key;
  WEFT_FIELDS(impl)
};
void need_kind(const char* op, const Types& in, const Impl& p) {
  if (!is_key(p.impl)) reject_dtype(op, "makes keys", in);
}

// ---- random_seed

const Primitive<Impl>& seed_op = define<Impl>({
    .name = "random_seed",
    .doc = "Computes a random key from each integer. `impl` is the dtype of the keys.",
    .type =
        [](const Types& in, const Impl& p) {
          require_operands("random_seed", in, 1);
          need_kind("random_seed", in, p);
          if (!is_integer(in[0].dtype()))
            reject_dtype("random_seed", "a seed must be an integer", in);
          return Types{Type(p.impl, in[0].shape())};
        },
    .reference =
        [](const Arrays& x, const Impl& p) {
          Fresh r = fresh_array(Type(p.impl, x[0].shape()));
          with_class<DTypes::ints>(x[0].dtype(), [&](auto* q) {
            using T = std::remove_pointer_t<decltype(q)>;
            for (int64_t i = 0; i < x[0].size(); ++i) {
              const T s = static_cast<const T*>(concrete(x[0]).data())[i];
              const uint32_t hi =
                  sizeof(T) == 8 ? static_cast<uint32_t>(static_cast<uint64_t>(s) >> 32) : 0;
              static_cast<Words*>(r.data)[i] = {hi, static_cast<uint32_t>(s)};
            }
          });
          return Arrays{r.array};
        },
    .jvp = no_tangent<Impl>,
    .batch =
        [](const BatchArgs<Impl>& b) {
          return Batched{seed_op.bind({b.x[0]}, b.params), {b.axis[0]}};
        },
    .lower =
        [](const LowerArgs<Impl>& l) {
          Lowering r;
          with_class<DTypes::ints>(l.in[0].dtype(), [&](auto* q) {
            using T = std::remove_pointer_t<decltype(q)>;
            r.element = [](Reader& x, int, const Coords& at) {
              const auto s = num::Ir<T>::at(x.read(0, at).re);
              Word hi(0u);
              if constexpr (sizeof(T) == 8)
                hi = num::convert<uint32_t>(num::shift_right_logical(s, num::Ir<T>(T{32})));
              return Elem{hi.id, num::convert<uint32_t>(s).id};
            };
          });
          return r;
        },
    .samples =
        [] {
          return std::vector<Sample<Impl>>{{{Type(I32, {})}, {}},
                                           {{Type(I32, {3})}, {}},
                                           {{Type(I64, {3})}, {RbgKey}},
                                           {{Type(U8, {2})}, {}}};
        },
    .rejects =
        [] {
          return std::vector<Reject<Impl>>{{{Type(F32, {})}, {}, "must be an integer"},
                                           {{Type(I32, {})}, {F32}, "makes keys"}};
        },
});

// ---- random_split

struct Split {
  Ints shape;
  WEFT_FIELDS(shape)
};
const Primitive<Split>& split_op = define<Split>({
    .name = "random_split",
    .doc = "Computes new keys from each key. The axes of `shape` follow those of the keys.",
    .type =
        [](const Types& in, const Split& p) {
          require_operands("random_split", in, 1);
          need_keys("random_split", in);
          return Types{Type(in[0].dtype(), appended(in[0].shape(), p.shape))};
        },
    .reference =
        [](const Arrays& x, const Split& p) {
          Fresh r = fresh_array(Type(x[0].dtype(), appended(x[0].shape(), p.shape)));
          for_each_draw(x[0], p.shape, [&](Words k, uint32_t hi, uint32_t lo, int64_t at) {
            const auto w = math::threefry2x32(k.k0, k.k1, hi, lo);
            static_cast<Words*>(r.data)[at] = {w[0], w[1]};
          });
          return Arrays{r.array};
        },
    .jvp = no_tangent<Split>,
    .batch =
        [](const BatchArgs<Split>& b) {
          return Batched{split_op.bind({b.x[0]}, b.params), {b.axis[0]}};
        },
    .lower =
        [](const LowerArgs<Split>& l) {
          Lowering r;
          r.element = [lead = l.in[0].shape().size(), shape = l.params.shape](Reader& x, int,
                                                                              const Coords& at) {
            const Elem k =
                x.read(0, Coords(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(lead)));
            const auto n = counter(at, lead, shape);
            return key_elem(math::threefry2x32(word(k.re), word(k.im), n[0], n[1]));
          };
          return r;
        },
    .samples =
        [] {
          return std::vector<Sample<Split>>{
              {{Type(Key, {})}, {{2}}}, {{Type(RbgKey, {3})}, {{2, 2}}}, {{Type(Key, {2})}, {{}}}};
        },
    .rejects =
        [] { return std::vector<Reject<Split>>{{{Type(U32, {2})}, {{2}}, "takes random keys"}}; },
});

// ---- random_fold_in

const Primitive<None>& fold_in_op = define<None>({
    .name = "random_fold_in",
    .doc = "Computes a new key from a key and an integer.",
    .type =
        [](const Types& in, const None&) {
          require_operands("random_fold_in", in, 2);
          need_keys("random_fold_in", in);
          if (in[1].dtype() != U32) reject_dtype("random_fold_in", "the data must be u32", in);
          if (in[0].ndim() && in[1].ndim() && !(in[0].shape() == in[1].shape()))
            reject_shape("random_fold_in", "arguments must have the same shape or be scalars", in);
          return Types{Type(in[0].dtype(), in[0].ndim() ? in[0].shape() : in[1].shape())};
        },
    .reference =
        [](const Arrays& x, const None&) {
          Fresh r = fresh_array(Type(x[0].dtype(), x[0].ndim() ? x[0].shape() : x[1].shape()));
          const Words* k = words_of(x[0]);
          const uint32_t* data = data_of<uint32_t>(x[1]);
          for (int64_t i = 0; i < r.array.size(); ++i) {
            const Words w = k[x[0].ndim() ? i : 0];
            const auto out = math::threefry2x32(w.k0, w.k1, 0u, data[x[1].ndim() ? i : 0]);
            static_cast<Words*>(r.data)[i] = {out[0], out[1]};
          }
          return Arrays{r.array};
        },
    .jvp = no_tangent<None>,
    .batch = [](const BatchArgs<None>& b) { return batch_nary(b); },
    .lower =
        [](const LowerArgs<None>& l) {
          Lowering r;
          r.element = [in = l.in](Reader& x, int, const Coords& at) {
            const Elem k = x.read(0, in[0].ndim() ? at : Coords()),
                       d = x.read(1, in[1].ndim() ? at : Coords());
            return key_elem(math::threefry2x32(word(k.re), word(k.im), Word(0u), word(d.re)));
          };
          return r;
        },
    .samples =
        [] {
          return std::vector<Sample<None>>{{{Type(Key, {}), Type(U32, {})}, {}, 0, 9},
                                           {{Type(Key, {3}), Type(U32, {})}, {}, 0, 9},
                                           {{Type(RbgKey, {3}), Type(U32, {3})}, {}, 0, 9}};
        },
    .rejects =
        [] {
          return std::vector<Reject<None>>{
              {{Type(Key, {}), Type(I32, {})}, {}, "must be u32"},
              {{Type(Key, {2}), Type(U32, {3})}, {}, "the same shape"}};
        },
});

// ---- random_bits

struct Bits {
  int64_t bit_width = 32;
  Ints shape;
  WEFT_FIELDS(bit_width, shape)
};
DType unsigned_of(int64_t bits) {
  return bits == 8 ? U8 : bits == 16 ? U16 : bits == 32 ? U32 : U64;
}

// Narrow dtypes get the low bits.
template <class U>
auto drawn(DType kind, U k0, U k1, U hi, U lo, uint64_t*) {
  return kind == Key ? math::random_bits64(k0, k1, hi, lo) : math::philox_bits64(k0, k1, hi, lo);
}
template <class U, class T>
auto drawn(DType kind, U k0, U k1, U hi, U lo, T*) {
  return num::convert<T>(kind == Key ? math::random_bits32(k0, k1, hi, lo)
                                     : math::philox_bits32(k0, k1, hi, lo));
}
template <class F>
void with_unsigned(int64_t bits, const F& f) {
  switch (bits) {
    case 8: return f(static_cast<uint8_t*>(nullptr));
    case 16: return f(static_cast<uint16_t*>(nullptr));
    case 32: return f(static_cast<uint32_t*>(nullptr));
    default: return f(static_cast<uint64_t*>(nullptr));
  }
}

// For a key that is not mapped, .randomness of the map decides.
Batched unmapped_bits(const BatchArgs<Bits>& b) {
  const BatchTrace& trace = b.trace;
  if (trace.randomness == "error")
    throw BatchingError(
        "vmap: .randomness is \"error\", and a random function draws with a key that is not "
        "mapped; "
        "split the key and map over the keys");
  if (trace.randomness != "different") return {b.op.bind({b.x[0]}, b.params), {std::nullopt}};
  Array lanes = iota(U32, {b.size}, 0);
  if (!trace.first_lane.empty_handle())
    lanes = base::add(lanes, broadcast_in_dim(base::convert(trace.first_lane, U32), {b.size}, {}));
  const Array keys = base::insert_axis(b.x[0], 0, b.size);
  const Array mine = fold_in_op({keys, broadcast_in_dim(lanes, keys.shape(), {0})});
  return {b.op.bind({mine}, b.params), {0}};
}

const Primitive<Bits>& bits_op = define<Bits>({
    .name = "random_bits",
    .doc = "Draws random unsigned integers of `bit_width` bits from each key. The axes of `shape` "
           "follow those of the keys.",
    .type =
        [](const Types& in, const Bits& p) {
          require_operands("random_bits", in, 1);
          need_keys("random_bits", in);
          if (p.bit_width != 8 && p.bit_width != 16 && p.bit_width != 32 && p.bit_width != 64)
            reject_shape("random_bits", "bit_width must be 8, 16, 32 or 64", in);
          return Types{Type(unsigned_of(p.bit_width), appended(in[0].shape(), p.shape))};
        },
    .reference =
        [](const Arrays& x, const Bits& p) {
          Fresh r = fresh_array(Type(unsigned_of(p.bit_width), appended(x[0].shape(), p.shape)));
          with_unsigned(p.bit_width, [&](auto* t) {
            auto* out = static_cast<std::remove_pointer_t<decltype(t)>*>(r.data);
            for_each_draw(x[0], p.shape, [&](Words k, uint32_t hi, uint32_t lo, int64_t at) {
              out[at] = drawn(x[0].dtype(), k.k0, k.k1, hi, lo, t);
            });
          });
          return Arrays{r.array};
        },
    .jvp = no_tangent<Bits>,
    .batch =
        [](const BatchArgs<Bits>& b) {
          if (!b.mapped(0)) return unmapped_bits(b);
          return Batched{b.op.bind({b.x[0]}, b.params), {b.axis[0]}};
        },
    .lower =
        [](const LowerArgs<Bits>& l) {
          Lowering r;
          with_unsigned(l.params.bit_width, [&](auto* t) {
            r.element = [lead = l.in[0].shape().size(), shape = l.params.shape,
                         kind = l.in[0].dtype(), t](Reader& x, int, const Coords& at) {
              const Elem k =
                  x.read(0, Coords(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(lead)));
              const auto n = counter(at, lead, shape);
              return Elem{drawn(kind, word(k.re), word(k.im), n[0], n[1], t).id, nest::no_id};
            };
          });
          return r;
        },
    .samples =
        [] {
          std::vector<Sample<Bits>> s;
          for (DType k : {Key, RbgKey})
            for (int64_t w : {8, 16, 32, 64}) s.push_back({{Type(k, {})}, {w, {5}}});
          s.push_back({{Type(Key, {3})}, {32, {2, 2}}});
          s.push_back({{Type(RbgKey, {2})}, {32, {}}});
          return s;
        },
    .rejects =
        [] {
          return std::vector<Reject<Bits>>{{{Type(U32, {2})}, {32, {}}, "takes random keys"},
                                           {{Type(Key, {})}, {12, {}}, "8, 16, 32 or 64"}};
        },
    .collective = true,
});

// ---- random_wrap, random_unwrap

const Primitive<Impl>& wrap_op = define<Impl>({
    .name = "random_wrap",
    .doc = "Makes keys from pairs of words along the last axis. `impl` is the dtype of the keys.",
    .type =
        [](const Types& in, const Impl& p) {
          require_operands("random_wrap", in, 1);
          need_kind("random_wrap", in, p);
          if (in[0].dtype() != U32 || in[0].ndim() == 0 || in[0].shape()[-1] != 2)
            reject_shape("random_wrap", "takes u32 with a last axis of size 2", in);
          return Types{Type(p.impl, in[0].shape().erased(in[0].ndim() - 1))};
        },
    .reference =
        [](const Arrays& x, const Impl& p) {
          return Arrays{array_of_bytes(Type(p.impl, x[0].shape().erased(x[0].type().ndim() - 1)),
                                       concrete(x[0]).data())};
        },
    .jvp = no_tangent<Impl>,
    .batch =
        [](const BatchArgs<Impl>& b) {
          // The axis of words remains last.
          const int at = *b.axis[0] == b.x[0].ndim() - 1 ? 0 : *b.axis[0];
          return Batched{wrap_op.bind({move_mapped(b.x[0], b.axis[0], at, b.size)}, b.params),
                         {at}};
        },
    .lower =
        [](const LowerArgs<Impl>&) {
          Lowering r;
          r.element = [](Reader& x, int, const Coords& at) {
            const auto part = [&](int64_t i) {
              Coords c = at;
              c.push_back(num::Ir<int64_t>(i).id);
              return x.read(0, c).re;
            };
            return Elem{part(0), part(1)};
          };
          return r;
        },
    .samples =
        [] {
          return std::vector<Sample<Impl>>{{{Type(U32, {2})}, {}, 0, 99},
                                           {{Type(U32, {3, 2})}, {RbgKey}, 0, 99}};
        },
    .rejects =
        [] {
          return std::vector<Reject<Impl>>{{{Type(U32, {3})}, {}, "last axis of size 2"},
                                           {{Type(I32, {2})}, {}, "takes u32"},
                                           {{Type(U32, {2})}, {U64}, "makes keys"}};
        },
});

const Primitive<None>& unwrap_op = define<None>({
    .name = "random_unwrap",
    .doc = "Returns the two words of each key along a new last axis.",
    .type =
        [](const Types& in, const None&) {
          require_operands("random_unwrap", in, 1);
          need_keys("random_unwrap", in);
          return Types{Type(U32, in[0].shape().inserted(in[0].ndim(), 2))};
        },
    .reference =
        [](const Arrays& x, const None&) {
          return Arrays{array_of_bytes(Type(U32, x[0].shape().inserted(x[0].type().ndim(), 2)),
                                       concrete(x[0]).data())};
        },
    .jvp = no_tangent<None>,
    .batch =
        [](const BatchArgs<None>& b) { return Batched{unwrap_op.bind({b.x[0]}), {b.axis[0]}}; },
    .lower =
        [](const LowerArgs<None>&) {
          Lowering r;
          r.element = [](Reader& x, int, const Coords& at) {
            const Elem k = x.read(0, Coords(at.begin(), at.end() - 1));
            const auto first = num::Ir<int64_t>::at(at.back()) == num::Ir<int64_t>(0);
            return Elem{num::select(first, word(k.re), word(k.im)).id, nest::no_id};
          };
          return r;
        },
    .samples =
        [] { return std::vector<Sample<None>>{{{Type(Key, {})}, {}}, {{Type(RbgKey, {3})}, {}}}; },
    .rejects =
        [] { return std::vector<Reject<None>>{{{Type(U32, {3})}, {}, "takes random keys"}}; },
});

}  // namespace

Array random_seed(const Array& seeds, DType kind) { return seed_op({seeds}, {kind}); }
Array random_split(const Array& keys, const Shape& shape) {
  return split_op({keys}, {shape.sizes()});
}
Array random_fold_in(const Array& keys, const Array& data) { return fold_in_op({keys, data}); }
Array random_bits(const Array& keys, int bit_width, const Shape& shape) {
  return bits_op({keys}, {bit_width, shape.sizes()});
}
Array random_unwrap(const Array& keys) { return unwrap_op({keys}); }
Array random_wrap(const Array& words, DType kind) { return wrap_op({words}, {kind}); }

}  // namespace weft
