// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/masked_dot.cpp: products of matrices of which some elements are known to be zero. The
// compiler writes them (jit/rewrite/structural_zeros.cpp).
#include "ops/linear/masked_dot.h"

#include "ops/kit/axes.h"
#include "ops/kit/fold.h"
#include "ops/kit/lists.h"
#include "ops/linear/product.h"
#include "ops/structure/mask.h"
#include "ops/structure/structure.h"
#include "weft/lax/compare.h"

namespace weft {
namespace {

// The axes of dot_general, and a mask of either operand (ops/structure/mask.h).
struct MaskedDot {
  Ints lhs_contract, rhs_contract, lhs_batch, rhs_batch;
  Ints lhs_shape, lhs_bits, rhs_shape, rhs_bits;
  WEFT_FIELDS(lhs_contract, rhs_contract, lhs_batch, rhs_batch, lhs_shape, lhs_bits, rhs_shape,
              rhs_bits)
};

const Op& dot_op() {
  static const Op& op = *find_op("dot_general");
  return op;
}
// The same product without masks.
AnyParams plain(const MaskedDot& p, DType d) {
  return dot_op().parse_params({{"lhs_contract", p.lhs_contract},
                                {"rhs_contract", p.rhs_contract},
                                {"lhs_batch", p.lhs_batch},
                                {"rhs_batch", p.rhs_batch},
                                {"preferred_element_type", d}});
}

// One operand: its mask, and for each axis the axis of the space of terms, which has the axes of
// the result and then the contracted ones.
struct Side {
  Ints shape, bits, place;
};
std::array<Side, 2> sides(const MaskedDot& p, const Types& in) {
  std::array<Side, 2> r{{{p.lhs_shape, p.lhs_bits, {}}, {p.rhs_shape, p.rhs_bits, {}}}};
  const auto axes = axes_in_product({in[0].ndim(), in[1].ndim()},
                                    {p.lhs_contract, p.rhs_contract, p.lhs_batch, p.rhs_batch});
  const int64_t rank =
      in[0].ndim() + in[1].ndim() - std::ssize(p.lhs_batch) - 2 * std::ssize(p.lhs_contract);
  for (size_t k = 0; k < 2; ++k)
    for (int64_t a : axes[k]) r[k].place.push_back(a >= 0 ? a : rank - 1 - a);
  return r;
}

Types masked_type(const Types& in, const MaskedDot& p) {
  const char* op = "masked_dot";
  require_operands(op, in, 2);
  const DType d = in[0].dtype();
  if ((d != F32 && d != F64) || in[1].dtype() != d)
    reject_dtype(op, "takes f32 or f64 operands", in);
  const Ints* shapes[] = {&p.lhs_shape, &p.rhs_shape};
  const Ints* bits[] = {&p.lhs_bits, &p.rhs_bits};
  for (size_t k = 0; k < 2; ++k) {
    bool fits = std::ssize(*shapes[k]) == in[k].ndim();
    for (int a = 0; fits && a < in[k].ndim(); ++a)
      fits = (*shapes[k])[a] == 1 || (*shapes[k])[a] == in[k].shape()[a];
    if (!fits || !is_mask(*shapes[k], *bits[k]))
      reject_shape(op, "a mask has an extent of 1 or of its operand for each axis, and its bits",
                   in);
  }
  return dot_op().type(in, plain(p, d));
}

// By element of an operand: the bit of its mask.
std::vector<bool> kept(const Ints& shape, const Ints& bits, const Shape& value) {
  std::vector<bool> r;
  for (int64_t i = 0; i < value.elements(); ++i) {
    int64_t rest = i, element = 0, stride = 1;
    for (int a = value.ndim(); a-- > 0; rest /= value[a]) {
      if (shape[a] == 1) continue;
      element += rest % value[a] * stride;
      stride *= shape[a];
    }
    r.push_back(bit_of(bits, element));
  }
  return r;
}

// A term that is left out is 0 times -0: adding -0 changes no sum.
template <class T>
void masked_dense(const Array& x, const Array& y, const MaskedDot& p, T* out) {
  const T *a = data_of<T>(x), *b = data_of<T>(y);
  const std::vector<bool> keep_a = kept(p.lhs_shape, p.lhs_bits, x.shape()),
                          keep_b = kept(p.rhs_shape, p.rhs_bits, y.shape());
  const auto free = [](const Array& z, const Ints& contract, const Ints& batch) {
    return offsets_along(z.shape(), other_axes(z.ndim(), concat_lists(contract, batch)));
  };
  const auto batch_a = offsets_along(x.shape(), p.lhs_batch),
             batch_b = offsets_along(y.shape(), p.rhs_batch),
             free_a = free(x, p.lhs_contract, p.lhs_batch),
             free_b = free(y, p.rhs_contract, p.rhs_batch),
             term_a = offsets_along(x.shape(), p.lhs_contract),
             term_b = offsets_along(y.shape(), p.rhs_contract);
  const auto extents = extents_of(x.shape(), p.lhs_contract);
  for (size_t k = 0; k < batch_a.size(); ++k)
    for (int64_t i : free_a)
      for (int64_t j : free_b)
        *out++ = fold_order::fold(
            extents, T(0),
            [&](int64_t t) {
              const int64_t at_a = batch_a[k] + i + term_a[t], at_b = batch_b[k] + j + term_b[t];
              return keep_a[at_a] && keep_b[at_b] ? product_term(a[at_a], b[at_b])
                                                  : product_term(T(0), -T(0));
            },
            SumOfProducts());
}

Arrays masked_reference(const Arrays& x, const MaskedDot& p) {
  const Fresh r = fresh_array(masked_type({x[0].type(), x[1].type()}, p)[0]);
  with_class<DTypes::wide_floats>(x[0].dtype(), [&](auto* o) {
    masked_dense(x[0], x[1], p, static_cast<std::remove_pointer_t<decltype(o)>*>(r.data));
  });
  return {r.array};
}

Lowering masked_lower(const LowerArgs<MaskedDot>& l) {
  const DType d = l.out[0].dtype();
  Lowering r = dot_op().lower(l.in, l.out, plain(l.params, d));
  r.element = [term = r.element, both = sides(l.params, l.in), d](Reader& x, int accumulator,
                                                                  const Coords& at) {
    num::Ir<bool> keep(true);
    for (const Side& s : both) {
      Coords c;
      for (int64_t a : s.place) c.push_back(at[a]);
      keep = keep & bit_at(s.shape, s.bits, c);
    }
    const Elem left_out{constant_elem(d, 0).re, constant_elem(d, -0.).re};
    bool known = false;
    if (keep.known(&known) && !known) return left_out;
    return select_elem(keep.id, term(x, accumulator, at), left_out);
  };
  return r;
}

// The operand with zeros where the mask says so. The rules of transforms use products of these,
// which differ where infinities and NaNs meet these zeros.
Array masked(const Array& x, const Ints& shape, const Ints& bits) {
  return lax::select(mask_array(shape, bits, x.shape()), x, base::zeros(x.type().strong()));
}

Batched masked_batch(const BatchArgs<MaskedDot>& b) {
  const Ints* shapes[] = {&b.params.lhs_shape, &b.params.rhs_shape};
  const Ints* bits[] = {&b.params.lhs_bits, &b.params.rhs_bits};
  Arrays x;
  for (size_t k = 0; k < 2; ++k) {
    Ints shape = *shapes[k];
    if (b.mapped(k)) shape.insert(shape.begin() + *b.axis[k], 1);
    x.push_back(masked(b.x[k], shape, *bits[k]));
  }
  return dot_op().batch(x, b.axis, b.size, plain(b.params, x[0].dtype()), b.trace);
}

Arrays masked_transpose(const TransposeArgs<MaskedDot>& t) {
  const MaskedDot& p = t.params;
  const Ints* shapes[] = {&p.lhs_shape, &p.rhs_shape};
  const Ints* bits[] = {&p.lhs_bits, &p.rhs_bits};
  Arrays x = t.x;
  for (size_t k = 0; k < 2; ++k)
    if (!t.linear[k]) x[k] = masked(x[k], *shapes[k], *bits[k]);
  Arrays r = dot_op().transpose(t.ct, x, t.linear, t.in, t.out, plain(p, t.in[0].dtype()));
  for (size_t k = 0; k < 2; ++k)
    if (!r[k].empty_handle()) r[k] = masked(r[k], *shapes[k], *bits[k]);
  return r;
}

const Primitive<MaskedDot>& masked_dot_op = define<MaskedDot>({
    .name = "masked_dot",
    .doc = "Multiplies two arrays as `dot_general` does, without the terms of elements whose bit "
           "in the mask of their operand is 0. The compiler writes it for matrices with elements "
           "that the program fixes as zero.",
    .type = masked_type,
    .reference = masked_reference,
    .jvp = product_jvp<MaskedDot>,
    .transpose = masked_transpose,
    .batch = masked_batch,
    .lower = masked_lower,
    .samples =
        [] {
          return std::vector<Sample<MaskedDot>>{
              {{Type(F64, {3, 4}), Type(F64, {4, 2})},
               {{1}, {0}, {}, {}, {3, 4}, {0b101101110010}, {4, 1}, {0b1011}}},
              {{Type(F32, {2, 3, 3}), Type(F32, {2, 3})},
               {{2}, {1}, {0}, {0}, {1, 3, 3}, {0b100011001}, {1, 1}, {1}}},
              {{Type(F64, {5}), Type(F64, {20, 5})},
               {{0}, {1}, {}, {}, {1}, {0}, {20, 1}, {0x5a5a5}}}};
        },
    .rejects =
        [] {
          return std::vector<Reject<MaskedDot>>{{{Type(I32, {3}), Type(I32, {3})},
                                                 {{0}, {0}, {}, {}, {3}, {1}, {3}, {1}},
                                                 "takes f32 or f64"},
                                                {{Type(F32, {3}), Type(F32, {3})},
                                                 {{0}, {0}, {}, {}, {2}, {1}, {3}, {1}},
                                                 "an extent of 1 or of its operand"}};
        },
});

}  // namespace

// Every operand is repeated to the space of terms, so that each term has a mask of its own.
Array dot_of_masked(const Arrays& x, const AnyParams& masked_dot) {
  const MaskedDot& p = params_as<MaskedDot>(masked_dot);
  const Types in = types_of(x);
  const auto both = sides(p, in);
  const Shape out = masked_type(in, p)[0].shape();
  const Shape space = concat_lists(out.sizes(), extents_of(in[0].shape(), p.lhs_contract));
  const auto in_terms = [&](const Array& y, Ints place) {
    Ints order = axis_range(y.ndim());
    std::ranges::sort(order, {}, [&](int64_t a) { return place[a]; });
    std::ranges::sort(place);
    return broadcast_in_dim(transpose_axes(y, order), space, place);
  };
  Array terms[2], kept[2];
  for (size_t k = 0; k < 2; ++k) {
    const Side& s = both[k];
    terms[k] = in_terms(x[k], s.place);
    kept[k] = in_terms(mask_array(s.shape, s.bits, x[k].shape()), s.place);
  }
  const Array keep = lax::bitwise_and(kept[0], kept[1]);
  const auto factor = [&](size_t k, double otherwise) {
    return lax::select(keep, terms[k], broadcast_like(like(x[k], otherwise), terms[k].type()));
  };
  const Ints batch = axis_range(out.ndim()), contracted = axis_range(out.ndim(), space.ndim());
  const MaskedDot by_element{contracted, contracted, batch, batch, {}, {}, {}, {}};
  return bind_op(dot_op(), {factor(0, 0), factor(1, -0.)}, plain(by_element, x[0].dtype()))[0];
}

}  // namespace weft
