// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// ops/linear/spectral/schur.cpp: schur, hessenberg, tridiagonal: reductions by LAPACK.
#include "weft/lax/linalg/schur.h"

#include <algorithm>

#include "ops/kit/kit.h"
#include "ops/linear/matrix.h"
#include "ops/linear/spectral/library.h"
#include "ops/structure/structure.h"
#include "runtime/native/schur_forms.h"

namespace weft {
namespace {

struct Vectors {
  bool compute_schur_vectors = true;
  WEFT_FIELDS(compute_schur_vectors)
};
struct Triangle {
  bool lower = true;
  WEFT_FIELDS(lower)
};

// A vector for each matrix, with `fewer` elements less than there are rows.
Type vector_type(DType d, const Type& x, int64_t fewer) {
  const Shape rows = x.shape().erased(x.ndim() - 1);
  const int last = rows.ndim() - 1;
  return {d, rows.with(last, std::max<int64_t>(rows[last] - fewer, 0))};
}

Types schur_types(const Type& x, const Vectors& p) {
  return p.compute_schur_vectors ? Types{x.strong(), x.strong()} : Types{x.strong()};
}
Types hessenberg_types(const Type& x) { return {x.strong(), vector_type(x.dtype(), x, 1)}; }
Types tridiagonal_types(const Type& x) {
  const DType real = real_part(x.dtype());
  return {x.strong(), vector_type(real, x, 0), vector_type(real, x, 1),
          vector_type(x.dtype(), x, 1)};
}

template <class P>
std::vector<Sample<P>> samples_of(const P& p, const P& other) {
  std::vector<Sample<P>> s;
  const auto add_sample = [&](const Type& t, const P& params) {
    s.push_back({.in = {t}, .params = params, .values = [t](uint64_t seed) {
                   return Arrays{matrix::random(t, seed)};
                 }});
  };
  for (DType d : {F32, F64, C64, C128}) add_sample(Type(d, {4, 4}), p);
  for (const Shape& shape :
       {Shape{1, 1}, Shape{0, 0}, Shape{2, 3, 3}, Shape{0, 2, 2}, Shape{12, 12}})
    add_sample(Type(F64, shape), p);
  add_sample(Type(F64, {3, 3}), other);
  add_sample(Type(C128, {3, 3}), other);
  return s;
}
template <class P>
std::vector<Reject<P>> rejects_of() {
  return {{{Type(F32, {3, 2})}, {}, "square matrices"},
          {{Type(F32, {3})}, {}, "square matrices"},
          {{Type(I32, {3, 3})}, {}, "takes f32, f64"}};
}

void require_one_square(const char* op, const Types& in) {
  require_operands(op, in, 1);
  matrix::require_square(op, in);
}

const Primitive<Vectors>& schur_op = define<Vectors>({
    .name = "schur",
    .doc = "Computes the Schur forms of square matrices and, if requested, the unitary matrices of "
           "the transformations.",
    .type =
        [](const Types& in, const Vectors& p) {
          require_one_square("schur", in);
          return schur_types(in[0], p);
        },
    .reference =
        [](const Arrays& x, const Vectors& p) {
          const Type& t = x[0].type();
          return by_library(x[0], schur_types(t, p), [&](const NativeArgs& args) {
            native::schur(squares_of(t), p.compute_schur_vectors, args);
          });
        },
    .batch = batch_in_front<Vectors>,
    .implementations =
        [] {
          return library_alone<Vectors>(
              20,
              [](const Use<Vectors>& u) {
                return [a = squares_of(u.in[0]), vectors = u.params.compute_schur_vectors](
                           const NativeArgs& args) { native::schur(a, vectors, args); };
              },
              native::schur_workspace);
        },
    .tolerance = 1024,
    .samples = [] { return samples_of<Vectors>({true}, {false}); },
    .rejects = rejects_of<Vectors>,
});

const Primitive<None>& hessenberg_op = define<None>({
    .name = "hessenberg",
    .doc = "Reduces square matrices to Hessenberg form. Returns the form and the Householder "
           "vectors packed into one matrix, and the scalar factors of the reflections.",
    .type =
        [](const Types& in, const None&) {
          require_one_square("hessenberg", in);
          return hessenberg_types(in[0]);
        },
    .reference =
        [](const Arrays& x, const None&) {
          const Type& t = x[0].type();
          return by_library(x[0], hessenberg_types(t), [&](const NativeArgs& args) {
            native::hessenberg(squares_of(t), args);
          });
        },
    .batch = batch_in_front<None>,
    .implementations =
        [] {
          return library_alone<None>(
              4,
              [](const Use<None>& u) {
                return [a = squares_of(u.in[0])](const NativeArgs& args) {
                  native::hessenberg(a, args);
                };
              },
              native::reduction_workspace);
        },
    .tolerance = 1024,
    .samples = [] { return samples_of<None>({}, {}); },
    .rejects = rejects_of<None>,
});

const Primitive<Triangle>& tridiagonal_op = define<Triangle>({
    .name = "tridiagonal",
    .doc = "Reduces Hermitian matrices, of which one triangle is read, to real tridiagonal form. "
           "Returns the form and the Householder vectors packed into one matrix, the diagonal, the "
           "off-diagonal, and the scalar factors of the reflections.",
    .type =
        [](const Types& in, const Triangle&) {
          require_one_square("tridiagonal", in);
          return tridiagonal_types(in[0]);
        },
    .reference =
        [](const Arrays& x, const Triangle& p) {
          const Type& t = x[0].type();
          return by_library(x[0], tridiagonal_types(t), [&](const NativeArgs& args) {
            native::tridiagonal(squares_of(t), p.lower, args);
          });
        },
    .batch = batch_in_front<Triangle>,
    .implementations =
        [] {
          return library_alone<Triangle>(
              2,
              [](const Use<Triangle>& u) {
                return [a = squares_of(u.in[0]), lower = u.params.lower](const NativeArgs& args) {
                  native::tridiagonal(a, lower, args);
                };
              },
              native::reduction_workspace);
        },
    .tolerance = 1024,
    .samples = [] { return samples_of<Triangle>({true}, {false}); },
    .rejects = rejects_of<Triangle>,
});

}  // namespace

namespace lax {

Schur schur(const Arg& x, const SchurOptions& o) {
  const SourceScope s(x.at());
  Arrays r = schur_op.bind({x}, {o.compute_schur_vectors});
  return {std::move(r[0]), o.compute_schur_vectors ? std::move(r[1]) : Array()};
}

Hessenberg hessenberg(const Arg& x) {
  const SourceScope s(x.at());
  Arrays r = hessenberg_op.bind({x});
  return {std::move(r[0]), std::move(r[1])};
}

Tridiagonal tridiagonal(const Arg& x, const TridiagonalOptions& o) {
  const SourceScope s(x.at());
  Arrays r = tridiagonal_op.bind({x}, {o.lower});
  return {std::move(r[0]), std::move(r[1]), std::move(r[2]), std::move(r[3])};
}

}  // namespace lax

}  // namespace weft
