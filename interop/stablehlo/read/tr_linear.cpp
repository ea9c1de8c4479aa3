// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/read/tr_linear.cpp: products and convolutions of arrays, factorisations and
// triangular systems, and the calls of LAPACK that JAX writes for these on CPUs.
#include <algorithm>

#include "weft/interop/stablehlo/read/translate.h"
#include "weft/ops/elementwise/compare.h"
#include "weft/ops/elementwise/convert.h"
#include "weft/ops/linear/cholesky.h"
#include "weft/ops/linear/conv.h"
#include "weft/ops/linear/dot.h"
#include "weft/ops/linear/matrix.h"
#include "weft/ops/linear/triangular_solve.h"
#include "weft/ops/structure/structure.h"
#include "weft/tracer/base_ops.h"

namespace weft::hlo {
namespace {

using Sizes = std::vector<int64_t>;

Array product(Translator& t, const Op& op, const Arrays& x, const lax::DotDims& dims) {
  if (x.size() != 2) t.fail(op, "a product needs two operands");
  return lax::dot_general(x[0], x[1], dims, t.result(op).dtype());
}
Arrays dot_general(Translator& t, const Op& op, const Arrays& x) {
  const Attr& a = t.attr(op, "dot_dimension_numbers");
  return {product(
      t, op, x,
      {t.field(op, a, "lhs_contracting_dimensions"), t.field(op, a, "rhs_contracting_dimensions"),
       t.field(op, a, "lhs_batching_dimensions"), t.field(op, a, "rhs_batching_dimensions")})};
}
// Of vectors and matrices.
Arrays dot(Translator& t, const Op& op, const Arrays& x) {
  if (x.size() != 2 || x[0].ndim() < 1 || x[1].ndim() < 1)
    t.fail(op, "a product needs two operands");
  return {product(t, op, x, {{x[0].ndim() - 1}, {0}})};
}

// ---- convolutions

// The words of "[b, 0, 1, f]", which are as many as the operand has axes.
std::vector<std::string> words_of(std::string_view list) {
  std::vector<std::string> words(1);
  for (char c : list)
    if (c == ',')
      words.emplace_back();
    else if (std::isalnum(static_cast<unsigned char>(c)))
      words.back() += c;
  return words;
}
// The axes of two letters and of the spatial numbers 0, 1, …
Sizes axes_of(Translator& t, const Op& op, std::string_view list, const char* first,
              const char* second, int64_t rank) {
  const std::vector<std::string> words = words_of(list);
  Sizes axes;
  const auto put = [&](const std::string& word) {
    const auto at = std::find(words.begin(), words.end(), word);
    if (at == words.end()) t.fail(op, "dimension_numbers lack '" + word + "'");
    axes.push_back(at - words.begin());
  };
  if (static_cast<int64_t>(words.size()) != rank || rank < 2)
    t.fail(op, "dimension_numbers need an entry an axis");
  put(first);
  put(second);
  for (int64_t d = 0; d < rank - 2; ++d) put(std::to_string(d));
  return axes;
}

// "#stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>"
ConvAxes axes_of(Translator& t, const Op& op, const Arrays& x) {
  const std::string& text = t.attr(op, "dimension_numbers").text;
  std::vector<std::string_view> lists;
  for (size_t at = 0; (at = text.find('[', at)) != std::string::npos; ++at) {
    const size_t end = text.find(']', at);
    if (end == std::string::npos) break;
    lists.push_back(std::string_view(text).substr(at + 1, end - at - 1));
  }
  if (lists.size() != 3) t.fail(op, "dimension_numbers need three lists");
  const int64_t rank = x[0].ndim();
  if (x[1].ndim() != rank) t.fail(op, "the operands need equal ranks");
  return {axes_of(t, op, lists[0], "b", "f", rank), axes_of(t, op, lists[1], "o", "i", rank),
          axes_of(t, op, lists[2], "b", "f", rank)};
}

Arrays convolution(Translator& t, const Op& op, const Arrays& x) {
  if (x.size() != 2) t.fail(op, "a convolution needs two operands");
  const ConvAxes axes = axes_of(t, op, x);
  const size_t n = axes.lhs.size() - 2;
  const Sizes padding = t.ints(op, "padding", 2 * n, 0);
  ConvWindow w{t.ints(op, "window_strides", n, 1),
               {},
               {},
               t.ints(op, "lhs_dilation", n, 1),
               t.ints(op, "rhs_dilation", n, 1)};
  Sizes turned;
  const Sizes reversal = t.ints(op, "window_reversal", n, 0);
  for (size_t d = 0; d < n; ++d) {
    w.low.push_back(padding[2 * d]);
    w.high.push_back(padding[2 * d + 1]);
    if (reversal[d]) turned.push_back(axes.rhs[d + 2]);
  }
  return {weft::convolution(
      x[0], turned.empty() ? x[1] : reverse(x[1], turned), w, axes,
      {t.integer(op, "feature_group_count", 1), t.integer(op, "batch_group_count", 1)},
      t.result(op).dtype())};
}

// ---- factors and systems

void require(Translator& t, const Op& op, const Arrays& x, size_t n) {
  if (x.size() != n || x[0].ndim() < 2) t.fail(op, "takes matrices");
}

// The factor of which the lower triangle is asked for, or of the upper one. StableHLO leaves the
// other triangle open.
Array factor(const Array& x, bool lower) {
  if (lower) return lax::cholesky(x, false);
  return matrix::transposed(lax::cholesky(matrix::transposed(x, true), false), true);
}

Arrays cholesky(Translator& t, const Op& op, const Arrays& x) {
  require(t, op, x, 1);
  const Attr* lower = op.attr("lower");
  return {factor(x[0], lower && lower->integer != 0)};
}

// Half precision is that of the result alone.
Array solved(const Array& a, const Array& b, const lax::TriangularSolve& o) {
  const DType d = b.dtype();
  if (d != F16 && d != BF16) return lax::triangular_solve(a, b, o);
  return base::convert(lax::triangular_solve(base::convert(a, F32), base::convert(b, F32), o), d);
}

Arrays triangular_solve(Translator& t, const Op& op, const Arrays& x) {
  require(t, op, x, 2);
  const auto flag = [&](std::string_view name) { return t.integer(op, name) != 0; };
  const std::string how = t.word(op, "transpose_a");
  if (how != "NO_TRANSPOSE" && how != "TRANSPOSE" && how != "ADJOINT")
    t.fail(op, "transpose_a is NO_TRANSPOSE, TRANSPOSE or ADJOINT");
  return {solved(x[0], x[1],
                 {.left_side = flag("left_side"),
                  .lower = flag("lower"),
                  .transpose_a = how != "NO_TRANSPOSE",
                  .conjugate_a = how == "ADJOINT",
                  .unit_diagonal = flag("unit_diagonal")})};
}

// ---- LAPACK: its letters are numbers in a dictionary.

char letter(Translator& t, const Op& op, std::string_view name) {
  for (const NamedAttr& e : t.attr(op, "mhlo.backend_config").entries)
    if (e.name == name && e.value.kind == Attr::Kind::integer)
      return static_cast<char>(e.value.integer);
  t.fail(op, "no letter for " + std::string(name));
}

// The factor, and 0 where there is one.
Arrays potrf(Translator& t, const Op& op, const Arrays& x) {
  require(t, op, x, 1);
  const Array l = factor(x[0], letter(t, op, "uplo") == 'L');
  const Array zero = base::zeros(Type(I32, {}));
  const Array first = matrix::number(l, zero, zero);
  return {l, base::convert(lax::ne(first, first), I32)};
}

Arrays trsm(Translator& t, const Op& op, const Arrays& x) {
  require(t, op, x, 2);
  const char how = letter(t, op, "trans_x");
  return {lax::triangular_solve(x[0], x[1],
                                {.left_side = letter(t, op, "side") == 'L',
                                 .lower = letter(t, op, "uplo") == 'L',
                                 .transpose_a = how != 'N',
                                 .conjugate_a = how == 'C',
                                 .unit_diagonal = letter(t, op, "diag") == 'U'})};
}

}  // namespace

Rule lapack_rule(std::string_view target) {
  constexpr std::string_view front = "lapack_", back = "_ffi";
  if (!target.starts_with(front) || !target.ends_with(back)) return nullptr;
  target = target.substr(front.size() + 1, target.size() - front.size() - 1 - back.size());
  return target == "potrf" ? potrf : target == "trsm" ? trsm : nullptr;
}

void add_linear(Rules& r) {
  const Rules mine = {{"stablehlo.cholesky", cholesky},
                      {"stablehlo.convolution", convolution},
                      {"stablehlo.dot", dot},
                      {"stablehlo.dot_general", dot_general},
                      {"stablehlo.triangular_solve", triangular_solve}};
  r.insert(mine.begin(), mine.end());
}

}  // namespace weft::hlo
