// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/write/wr_spectral.cpp: writes ops that need LAPACK as the calls that JAX writes
// for CPUs: general eigenproblems and simpler forms of matrices.
#include <fmt/format.h>

#include <cmath>

#include "interop/stablehlo/write/write.h"
#include "ops/linear/matrix.h"
#include "ops/structure/structure.h"
#include "tracer/base_ops.h"
#include "tracer/concrete.h"
#include "weft/lax/compare.h"
#include "weft/lax/convert.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/reduce.h"
#include "weft/lax/rounding.h"

namespace weft::hlo {
namespace {

// Matrices are column-major for LAPACK. All other arrays are row-major.
std::string layouts(const Types& types, int matrix_axes) {
  std::string out;
  for (const Type& t : types) {
    Ints order;
    for (int a = t.ndim() - 1; a >= 0; --a) order.push_back(a);
    if (t.ndim() == matrix_axes) std::swap(order[0], order[1]);
    out += fmt::format("{}dense<{}> : tensor<{}xindex>", out.empty() ? "" : ", ",
                       order.empty() ? "" : list_text(order), order.size());
  }
  return "[" + out + "]";
}

Attr letter(char c) { return text_attr(fmt::format("{} : ui8", static_cast<int>(c))); }

// Writes the call of a routine on matrices. The last result is the state. As in JAX, the options
// are in an attribute of MHLO, which XLA reads only for calls of version 1.
Vals call(Writer& w, const std::string& routine, const Val& x, Types out,
          std::vector<NamedAttr> options) {
  const DType d = x.dtype();
  const char of = d == F32 ? 's' : d == F64 ? 'd' : d == C64 ? 'c' : 'z';
  const int axes = x.shape().ndim();
  out.push_back(Type(I32, x.shape().erased(axes - 1).erased(axes - 2)));
  Attr all;
  all.kind = Attr::Kind::dictionary;
  all.entries = std::move(options);
  return w.op("stablehlo.custom_call", {x}, out,
              {{"api_version", integer_attr(1, I32)},
               {"backend_config", string_attr("")},
               {"call_target_name", string_attr(fmt::format("lapack_{}{}_ffi", of, routine))},
               {"mhlo.backend_config", all},
               {"operand_layouts", text_attr(layouts({x.type}, axes))},
               {"result_layouts", text_attr(layouts(out, axes))}});
}

// True for each matrix whose numbers are all finite.
Array all_finite(const Array& x) {
  const int last = x.ndim() - 1;
  const Array parts = is_complex(x.dtype()) ? lax::bitwise_and(lax::is_finite(lax::real(x)),
                                                               lax::is_finite(lax::imag(x)))
                                            : lax::is_finite(x);
  return lax::reduce_and(parts, {last - 1, last});
}
Array where_good(const Array& good, const Array& x, double otherwise) {
  const Array other = base::convert(scalar_of(F64, otherwise), x.dtype());
  return lax::select(matrix::along_leading(good, x.shape()), x, matrix::all(other, x.shape()));
}

// Calls LAPACK with matrices that have infinities or NaN replaced by 0. The results are NaN for
// these matrices, and where the state is not 0. `counts` selects the numbers of a matrix that the
// routine reads.
Vals found(Writer& w, const std::string& routine, const Val& x, const Types& out,
           std::vector<NamedAttr> options, FunctionRef<Array(const Array&)> counts) {
  const Vals clean = w.computed({x.type},
                                [&](const Arrays& a) {
                                  const Array good = all_finite(counts(a[0]));
                                  return Arrays{where_good(good, a[0], 0), good};
                                },
                                {x});
  Vals r = call(w, routine, clean[0], out, std::move(options));
  Types in = types_of(r);
  in.push_back(clean[1].type);
  r.push_back(clean[1]);
  Vals results = w.computed(
      in,
      [&](const Arrays& a) {
        const Array& state = a[a.size() - 2];
        const Array good = lax::bitwise_and(a.back(), lax::eq(state, base::zeros(state.type())));
        Arrays kept;
        for (size_t k = 0; k + 2 < a.size(); ++k) kept.push_back(where_good(good, a[k], NAN));
        return kept;
      },
      r);
  return results;
}
constexpr auto whole = [](const Array& x) { return x; };

// ---- ops

Vals eig(Writer& w, const Equation& e, const Vals& x) {
  const bool left = e.field<bool>("left"), right = e.field<bool>("right");
  const Type values = e.result();
  const Type part(real_part(values.dtype()), values.shape()), vectors(values.dtype(), x[0].shape());
  const bool split = !is_complex(x[0].dtype());
  Types out = split ? Types{part, part} : Types{values};
  out.insert(out.end(), 2, vectors);
  const auto side = [](bool wanted) { return letter(wanted ? 'V' : 'N'); };
  const Vals r = found(w, "geev", x[0], out,
                       {{"compute_left", side(left)}, {"compute_right", side(right)}}, whole);
  // Eigenvectors are unique up to a factor. In Weft their leading number is real and positive.
  return w.computed(
      types_of(r),
      [&](const Arrays& a) {
        Arrays kept = {split ? lax::complex(a[0], a[1]) : a[0]};
        const size_t first = split ? 2 : 1;
        for (size_t k : {first, first + 1}) {
          if (!(k == first ? left : right)) continue;
          const int rows = a[k].ndim() - 2;
          kept.push_back(matrix::scaled(a[k], matrix::to_positive_leads(a[k], rows), rows));
        }
        return kept;
      },
      r);
}

Vals schur(Writer& w, const Equation& e, const Vals& x) {
  const bool vectors = e.field<bool>("compute_schur_vectors");
  const Type t = x[0].type, values = t.with_shape(t.shape().erased(t.ndim() - 1));
  const bool split = !is_complex(t.dtype());
  Types out = {t, t, values};
  if (split) out.push_back(values);
  // how many values were sorted
  out.push_back(Type(I32, values.shape().erased(values.ndim() - 1)));
  Vals r = found(w, "gees", x[0], out,
                 {{"mode", letter(vectors ? 'V' : 'N')}, {"sort", letter('N')}}, whole);
  r.resize(vectors ? 2 : 1);
  return r;
}

Vals hessenberg(Writer& w, const Equation& e, const Vals& x) {
  const int64_t n = x[0].shape()[x[0].shape().ndim() - 1];
  return found(w, "gehrd", x[0], written(e.out),
               {{"high", integer_attr(n, I32)}, {"low", integer_attr(1, I32)}}, whole);
}

Vals tridiagonal(Writer& w, const Equation& e, const Vals& x) {
  const bool lower = e.field<bool>("lower");
  return found(w, is_complex(x[0].dtype()) ? "hetrd" : "sytrd", x[0], written(e.out),
               {{"uplo", letter(lower ? 'L' : 'U')}},
               [&](const Array& a) { return matrix::triangle(a, lower); });
}

}  // namespace

void write_spectral(WriteRules& r) {
  r["eig"] = eig;
  r["hessenberg"] = hessenberg;
  r["schur"] = schur;
  r["tridiagonal"] = tridiagonal;
}

}  // namespace weft::hlo
