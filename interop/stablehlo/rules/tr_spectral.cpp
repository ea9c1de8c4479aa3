// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/rules/tr_spectral.cpp: rules of the calls that JAX writes for eigenvalues,
// singular values and simpler forms of matrices, and functions for all LAPACK calls. LAPACK
// overwrites its operands. The results that represent overwritten operands, and vectors that were
// not requested, have unspecified values.
#include <fmt/format.h>

#include <unordered_map>

#include "interop/stablehlo/rules/lapack.h"
#include "ops/linear/matrix.h"
#include "ops/structure/structure.h"
#include "tracer/base_ops.h"
#include "weft/lax/compare.h"
#include "weft/lax/convert.h"
#include "weft/lax/elementary.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/linalg/eig.h"
#include "weft/lax/linalg/eigh.h"
#include "weft/lax/linalg/schur.h"
#include "weft/lax/linalg/svd.h"
#include "weft/lax/reduce.h"

namespace weft::hlo {

void lapack::require(Translator& t, const Op& op, const Arrays& x, size_t n) {
  if (x.size() != n || x[0].ndim() < 2) t.fail(op, "takes matrices");
}
int64_t lapack::number(Translator& t, const Op& op, std::string_view name) {
  // JAX writes the first of these attributes. The second is that of the op itself.
  const Attr* options = op.attr("mhlo.backend_config");
  if (!options) options = &t.attr(op, "backend_config");
  for (const NamedAttr& e : options->entries)
    if (e.name == name && e.value.kind == Attr::Kind::integer) return e.value.integer;
  t.fail(op, fmt::format("backend_config holds no number {}", name));
}
char lapack::letter(Translator& t, const Op& op, std::string_view name, std::string_view of) {
  const int64_t n = number(t, op, name);
  for (char c : of)
    if (c == n) return c;
  t.fail(op, fmt::format("is read with one of the letters {} as {}, not with the number {}", of,
                         name, n));
}
Array lapack::broken(const Array& found, int axes) {
  std::vector<int64_t> last;
  for (int a = found.ndim() - axes; a < found.ndim(); ++a) last.push_back(a);
  return base::convert(lax::reduce_or(lax::ne(found, found), last), I32);
}

namespace {

using lapack::letter;

// Returns eigenvectors, eigenvalues and the state.
Arrays syevd(Translator& t, const Op& op, const Arrays& x) {
  lapack::require(t, op, x, 1);
  letter(t, op, "mode", "V");
  const auto [v, w] =
      lax::eigh(x[0], {.lower = letter(t, op, "uplo", "LU") == 'L', .symmetrize_input = false});
  return {v, w, lapack::broken(w, 1)};
}
// The call for TPUs. Its options start with "1," if the lower triangle is read.
Arrays eigh(Translator& t, const Op& op, const Arrays& x) {
  lapack::require(t, op, x, 1);
  const std::string& how = t.attr(op, "backend_config").text;
  if (how.empty() || (how[0] != '0' && how[0] != '1'))
    t.fail(op, "backend_config says first whether the lower triangle is read");
  const auto [v, w] = lax::eigh(x[0], {.lower = how[0] == '1', .symmetrize_input = false});
  return {v, w};
}

// Returns the matrix, the singular values, the vectors and the state.
Arrays gesdd(Translator& t, const Op& op, const Arrays& x) {
  lapack::require(t, op, x, 1);
  const char mode = letter(t, op, "mode", "ASN");
  const bool none = mode == 'N';
  if (op.out.size() != 5) t.fail(op, "gives five results");
  const auto [u, s, vh] = none ? lax::SVD{base::zeros(t.result(op, 2)), lax::svdvals(x[0]),
                                          base::zeros(t.result(op, 3))}
                               : lax::svd(x[0], {.full_matrices = mode == 'A'});
  return {x[0], s, u, vh, lapack::broken(s, 1)};
}

// Returns the eigenvalues, left and right eigenvectors and the state. The eigenvalues of real
// matrices are two results, real and imaginary parts.
Arrays geev(Translator& t, const Op& op, const Arrays& x) {
  lapack::require(t, op, x, 1);
  const bool split = !is_complex(x[0].dtype());
  if (op.out.size() != (split ? 5 : 4)) t.fail(op, "is read with values, vectors and a state");
  const bool left = letter(t, op, "compute_left", "VN") == 'V',
             right = letter(t, op, "compute_right", "VN") == 'V';
  const auto [w, vl, vr] =
      lax::eig(x[0], {.compute_left_eigenvectors = left, .compute_right_eigenvectors = right});
  const size_t first = split ? 2 : 1;
  Arrays out = split ? Arrays{lax::real(w), lax::imag(w)} : Arrays{w};
  out.push_back(left ? vl : base::zeros(t.result(op, first)));
  out.push_back(right ? vr : base::zeros(t.result(op, first + 1)));
  out.push_back(lapack::broken(w, 1));
  return out;
}

// The real and imaginary parts of the eigenvalues of a real Schur form. A complex pair has a block
// with equal numbers on the diagonal. The other two, b and c, have different signs. The imaginary
// part is sqrt|b| sqrt|c|, positive for the first of the pair.
Arrays values_of_blocks(const Array& form) {
  const int last = form.ndim() - 1;
  const int64_t n = form.shape()[last];
  const Array values = matrix::diagonal(form), none = base::zeros(values.type());
  if (n < 2) return {values, none};
  const auto part = [&](int64_t row, int64_t column) {
    const Array rows = base::slice_axis(form, last - 1, row, row + n - 1);
    return matrix::diagonal(base::slice_axis(rows, last, column, column + n - 1));
  };
  const auto root = [](const Array& x) { return lax::sqrt(lax::abs(x)); };
  const Array below = part(1, 0);
  const Array size = lax::mul(root(below), root(part(0, 1)));
  const Array one = base::slice_axis(none, last - 1, 0, 1);
  return {values, lax::sub(base::concatenate({size, one}, last - 1),
                           base::concatenate({one, size}, last - 1))};
}
// Returns the Schur form, its vectors, the eigenvalues, how many of them were sorted to the front,
// and the state. The eigenvalues of real matrices are two results, real and imaginary parts.
Arrays gees(Translator& t, const Op& op, const Arrays& x) {
  lapack::require(t, op, x, 1);
  const bool split = !is_complex(x[0].dtype());
  if (op.out.size() != (split ? 6 : 5))
    t.fail(op, "is read with a form, vectors, values, a number and a state");
  const bool vectors = letter(t, op, "mode", "VN") == 'V';
  letter(t, op, "sort", "N");
  const auto [form, z] = lax::schur(x[0], {.compute_schur_vectors = vectors});
  Arrays out = {form, vectors ? z : base::zeros(t.result(op, 1))};
  const Arrays values = split ? values_of_blocks(form) : Arrays{matrix::diagonal(form)};
  out.insert(out.end(), values.begin(), values.end());
  out.push_back(base::zeros(t.result(op, out.size())));
  out.push_back(lapack::broken(form, 2));
  return out;
}

// Returns the form together with the reflections, the factors of the reflections, and the state.
Arrays gehrd(Translator& t, const Op& op, const Arrays& x) {
  lapack::require(t, op, x, 1);
  if (lapack::number(t, op, "low") != 1 ||
      lapack::number(t, op, "high") != x[0].shape()[x[0].ndim() - 1])
    t.fail(op, "is read with all rows: low = 1, high = their number");
  const auto [a, taus] = lax::hessenberg(x[0]);
  return {a, taus, lapack::broken(a, 2)};
}

// Returns the form together with the reflections, its diagonals, the factors of the reflections,
// and the state.
Arrays sytrd(Translator& t, const Op& op, const Arrays& x) {
  lapack::require(t, op, x, 1);
  const auto [a, d, e, taus] =
      lax::tridiagonal(x[0], {.lower = letter(t, op, "uplo", "LU") == 'L'});
  return {a, d, e, taus, lapack::broken(d, 1)};
}

}  // namespace

Rule spectral_rule(std::string_view routine) {
  static const std::unordered_map<std::string_view, Rule> rules = {
      {"Eigh", eigh},   {"gees", gees},   {"geev", geev},   {"gehrd", gehrd}, {"gesdd", gesdd},
      {"gesvd", gesdd}, {"heevd", syevd}, {"hetrd", sytrd}, {"syevd", syevd}, {"sytrd", sytrd}};
  const auto found = rules.find(routine);
  return found == rules.end() ? nullptr : found->second;
}

}  // namespace weft::hlo
