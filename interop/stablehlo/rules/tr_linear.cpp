// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/rules/tr_linear.cpp: rules of products, convolutions, factorizations, systems
// and Fourier transforms, and of the LAPACK calls that JAX writes for these on CPUs.
#include <algorithm>
#include <unordered_map>

#include "interop/stablehlo/read/translate.h"
#include "interop/stablehlo/rules/lapack.h"
#include "ops/linear/conv.h"
#include "ops/linear/matrix.h"
#include "ops/structure/structure.h"
#include "tracer/base_ops.h"
#include "weft/lax/compare.h"
#include "weft/lax/convert.h"
#include "weft/lax/dot.h"
#include "weft/lax/elementwise.h"
#include "weft/lax/fft.h"
#include "weft/lax/linalg/cholesky.h"
#include "weft/lax/linalg/lu.h"
#include "weft/lax/linalg/qr.h"
#include "weft/lax/linalg/triangular_solve.h"
#include "weft/lax/linalg/tridiagonal_solve.h"
#include "weft/lax/ragged_dot.h"
#include "weft/lax/reduce.h"

namespace weft::hlo {
namespace {

using Sizes = std::vector<int64_t>;

// A sum of products of bools is true if any product is true, that is, if their count is nonzero.
Array whether(const Array& count) { return lax::ne(count, base::zeros(count.type())); }

// The higher of the two precisions that are given for the factors.
lax::Precision precision_of(const Op& op) {
  lax::Precision r = lax::Precision::DEFAULT;
  const Attr* asked = op.attr("precision_config");
  if (!asked) return r;
  for (const Attr& a : asked->items)
    for (const auto& [word, p] :
         {std::pair{"HIGH>", lax::Precision::HIGH}, std::pair{"HIGHEST>", lax::Precision::HIGHEST}})
      if (a.text.ends_with(word)) r = std::max(r, p);
  return r;
}

Array product(Translator& t, const Op& op, const Arrays& x, const lax::DotDims& dims) {
  if (x.size() != 2) t.fail(op, "a product needs two operands");
  const DType d = t.result(op).dtype();
  if (is_bool(x[0].dtype()) && is_bool(x[1].dtype()) && is_bool(d))
    return whether(lax::dot_general(base::convert(x[0], I32), base::convert(x[1], I32), dims, I32));
  // Factors of different dtypes are converted to the dtype of the result.
  if (x[0].dtype() != x[1].dtype())
    return lax::dot_general(base::convert(x[0], d), base::convert(x[1], d), dims, d,
                            precision_of(op));
  return lax::dot_general(x[0], x[1], dims, d, precision_of(op));
}
Arrays dot_general(Translator& t, const Op& op, const Arrays& x) {
  const Attr& a = t.attr(op, "dot_dimension_numbers");
  return {product(
      t, op, x,
      {t.field(op, a, "lhs_contracting_dimensions"), t.field(op, a, "rhs_contracting_dimensions"),
       t.field(op, a, "lhs_batching_dimensions"), t.field(op, a, "rhs_batching_dimensions")})};
}
// A product of vectors and matrices.
Arrays dot(Translator& t, const Op& op, const Arrays& x) {
  if (x.size() != 2 || x[0].ndim() < 1 || x[1].ndim() < 1)
    t.fail(op, "a product needs two operands");
  return {product(t, op, x, {{x[0].ndim() - 1}, {0}})};
}

Arrays ragged_dot(Translator& t, const Op& op, const Arrays& x) {
  if (x.size() != 3) t.fail(op, "takes two factors and the sizes of groups");
  const Attr& a = t.attr(op, "ragged_dot_dimension_numbers");
  const auto axes = [&](std::string_view name) { return t.field(op, a, name); };
  const DType d = t.result(op).dtype();
  const bool differ = x[0].dtype() != x[1].dtype();
  return {lax::ragged_dot_general(
      differ ? base::convert(x[0], d) : x[0], differ ? base::convert(x[1], d) : x[1], x[2],
      {{axes("lhs_contracting_dimensions"), axes("rhs_contracting_dimensions"),
        axes("lhs_batching_dimensions"), axes("rhs_batching_dimensions")},
       axes("lhs_ragged_dimensions"),
       axes("rhs_group_dimensions")},
      d)};
}

// ---- convolutions

// Splits a list such as "[b, 0, 1, f]" into its words. There is one word for each axis of the
// operand.
std::vector<std::string> words_of(std::string_view list) {
  std::vector<std::string> words(1);
  for (char c : list)
    if (c == ',')
      words.emplace_back();
    else if (std::isalnum(static_cast<unsigned char>(c)))
      words.back() += c;
  return words;
}
// Returns the axes of the two letters and of the spatial numbers 0, 1, ….
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

// Parses "#stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>".
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
  const bool dynamic = op.name == "stablehlo.dynamic_conv";
  if (x.size() != (dynamic ? 3 : 2)) t.fail(op, "a convolution needs two operands");
  const ConvAxes axes = axes_of(t, op, x);
  const size_t n = axes.lhs.size() - 2;
  const Sizes padding = dynamic ? t.known_integers(op, 2) : t.ints(op, "padding", 2 * n, 0);
  if (padding.size() != 2 * n) t.fail(op, "padding needs two entries an axis");
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
  const DType d = t.result(op).dtype();
  const bool bools = is_bool(x[0].dtype()) && is_bool(x[1].dtype()) && is_bool(d);
  const auto factor = [&](const Array& a) { return bools ? base::convert(a, I32) : a; };
  const Array out = weft::convolution(
      factor(x[0]), factor(turned.empty() ? x[1] : reverse(x[1], turned)), w, axes,
      {t.integer(op, "feature_group_count", 1), t.integer(op, "batch_group_count", 1)},
      bools ? I32 : d, precision_of(op));
  return {bools ? whether(out) : out};
}

// ---- factors and systems

// The lower or upper triangular factor. StableHLO does not specify the other triangle.
Array factor(const Array& x, bool lower) {
  if (lower) return lax::cholesky(x, false);
  return matrix::transposed(lax::cholesky(matrix::transposed(x, true), false), true);
}

Arrays cholesky(Translator& t, const Op& op, const Arrays& x) {
  lapack::require(t, op, x, 1);
  return {factor(x[0], t.flag(op, "lower"))};
}

// For F16 and BF16 only the result is rounded; the solution is computed in F32.
Array solved(const Array& a, const Array& b, const lax::TriangularSolve& o) {
  const DType d = b.dtype();
  if (d != F16 && d != BF16) return lax::triangular_solve(a, b, o);
  return base::convert(lax::triangular_solve(base::convert(a, F32), base::convert(b, F32), o), d);
}

Arrays triangular_solve(Translator& t, const Op& op, const Arrays& x) {
  lapack::require(t, op, x, 2);
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

// ---- Fourier transforms

Arrays fft(Translator& t, const Op& op, const Arrays& x) {
  if (x.size() != 1) t.fail(op, "a transform needs one operand");
  const std::string kind = t.word(op, "fft_type");
  const auto type = kind == "FFT"     ? lax::FftType::fft
                    : kind == "IFFT"  ? lax::FftType::ifft
                    : kind == "RFFT"  ? lax::FftType::rfft
                    : kind == "IRFFT" ? lax::FftType::irfft
                                      : static_cast<lax::FftType>(-1);
  const std::vector<int64_t> lengths = t.ints(op, "fft_length");
  if (lengths.empty()) t.fail(op, "a transform needs a length");
  const bool to_or_from_real = type == lax::FftType::rfft || type == lax::FftType::irfft;
  if (is_complex(x[0].dtype()) == (type == lax::FftType::rfft))
    t.fail(op, "the operand of " + kind + " has another type");
  // For a real operand that was converted to complex, only half of the spectrum is computed.
  const Op* made = t.defining_op(op.operands[0], "stablehlo.convert", 1);
  if (!to_or_from_real && made) {
    const Array& before = t.value(made->operands[0]);
    const DType part = real_part(x[0].dtype());
    if (before.dtype() == part) return {lax::fft(before, type, lengths)};
  }
  return {lax::fft(x[0], type, lengths)};
}

// ---- LAPACK

// The factor together with the other triangle of the operand, and a state of 0 for each factor that
// exists.
Arrays potrf(Translator& t, const Op& op, const Arrays& x) {
  lapack::require(t, op, x, 1);
  const bool lower = lapack::letter(t, op, "uplo", "LU") == 'L';
  const Array l = factor(x[0], lower);
  const int last = l.ndim() - 1;
  const Array row = iota(I32, l.shape(), last - 1), column = iota(I32, l.shape(), last);
  const Array mine = lower ? lax::le(column, row) : lax::le(row, column);
  // All elements of a factor that does not exist are NaN, so the first one is enough.
  const int64_t first = std::min<int64_t>(1, l.shape()[last]);
  const Array corner = base::slice_axis(base::slice_axis(l, last - 1, 0, first), last, 0, first);
  return {lax::select(mine, l, x[0]), lapack::broken(corner, 2)};
}

// The factors, the rows of the pivots counted from 1, and the position of the first zero on the
// diagonal of U. That position is counted from 1, and is 0 if the diagonal has no zero.
Arrays getrf(Translator& t, const Op& op, const Arrays& x) {
  lapack::require(t, op, x, 1);
  const auto [packed, pivots, permutation] = lax::lu(x[0]);
  const matrix::Sizes s(packed.type());
  const int last = pivots.ndim() - 1;
  const Array square =
      base::slice_axis(base::slice_axis(packed, last, 0, s.smaller()), last + 1, 0, s.smaller());
  const Array diagonal = matrix::diagonal(square), one = base::ones(pivots.type());
  const Array place = base::add(iota(I32, diagonal.shape(), last), one);
  const Array zero = lax::eq(diagonal, base::zeros(diagonal.type()));
  const Array singular = lax::reduce_or(zero, {last});
  const Array past = matrix::all(Array(static_cast<int32_t>(s.smaller() + 1)), place.shape());
  const Array first = lax::reduce_min(lax::select(zero, place, past), {last});
  return {packed, base::add(pivots, one), lax::select(singular, first, base::zeros(first.type()))};
}

// The LU decomposition of TPUs: the factors, the rows of the pivots counted from 0, and the order
// of the rows.
Arrays lu_decomposition(Translator& t, const Op& op, const Arrays& x) {
  lapack::require(t, op, x, 1);
  const auto [packed, pivots, permutation] = lax::lu(x[0]);
  return {packed, pivots, permutation};
}

Arrays geqrf(Translator& t, const Op& op, const Arrays& x) {
  lapack::require(t, op, x, 1);
  const auto [a, taus] = lax::geqrf(x[0]);
  return {a, taus};
}
// LAPACK counts from 1. Operand 1 marks the columns that must remain at the front.
Arrays geqp3(Translator& t, const Op& op, const Arrays& x) {
  lapack::require(t, op, x, 2);
  const Op* filled = t.defining_op(op.operands[1], "stablehlo.broadcast_in_dim", 1);
  const bool none = t.known_integer(filled ? filled->operands[0] : op.operands[1]) == 0;
  const auto [a, permutation, taus] = none ? lax::geqp3(x[0]) : lax::geqp3(x[0], x[1]);
  return {a, base::add(permutation, base::ones(permutation.type())), taus};
}
Arrays orgqr(Translator& t, const Op& op, const Arrays& x) {
  lapack::require(t, op, x, 2);
  return {lax::householder_product(x[0], x[1])};
}
Arrays ormqr(Translator& t, const Op& op, const Arrays& x) {
  lapack::require(t, op, x, 3);
  return {lax::ormqr(x[0], x[1], x[2],
                     {.left = lapack::number(t, op, "left") != 0,
                      .transpose = lapack::number(t, op, "transpose") != 0})};
}

Arrays trsm(Translator& t, const Op& op, const Arrays& x) {
  lapack::require(t, op, x, 2);
  const char how = lapack::letter(t, op, "trans_x", "NTC");
  return {lax::triangular_solve(x[0], x[1],
                                {.left_side = lapack::letter(t, op, "side", "LR") == 'L',
                                 .lower = lapack::letter(t, op, "uplo", "LU") == 'L',
                                 .transpose_a = how != 'N',
                                 .conjugate_a = how == 'C',
                                 .unit_diagonal = lapack::letter(t, op, "diag", "NU") == 'U'})};
}

// The diagonals and right-hand sides, which LAPACK overwrites. The last of them becomes the
// solution x. The state is 0 for each solution that exists.
Arrays gtsv(Translator& t, const Op& op, const Arrays& x) {
  if (x.size() != 4) t.fail(op, "takes three diagonals and right sides");
  const Array y = lax::tridiagonal_solve(x[0], x[1], x[2], x[3]);
  return {x[0], x[1], x[2], y, lapack::broken(y, 2)};
}
Arrays perturbed_solve(Translator& t, const Op& op, const Arrays& x) {
  if (x.size() != 4) t.fail(op, "takes three diagonals and right sides");
  return {lax::tridiagonal_solve(x[0], x[1], x[2], x[3], {.perturb_singular = true})};
}

}  // namespace

Rule lapack_rule(std::string_view target) {
  static const std::unordered_map<std::string_view, Rule> by_name = {
      {"Eigh", spectral_rule("Eigh")},
      {"LuDecomposition", lu_decomposition},
      {"ProductOfElementaryHouseholderReflectors", orgqr},
      {"Qr", geqrf},
      {"tridiagonal_solve_perturbed_ffi", perturbed_solve}};
  if (const auto found = by_name.find(target); found != by_name.end()) return found->second;
  constexpr std::string_view front = "lapack_", back = "_ffi";
  if (!target.starts_with(front) || !target.ends_with(back)) return nullptr;
  target.remove_prefix(front.size());
  target.remove_suffix(back.size());
  if (target.empty() || std::string_view("sdcz").find(target[0]) == std::string_view::npos)
    return nullptr;
  target.remove_prefix(1);  // the operands determine the dtype
  static const std::unordered_map<std::string_view, Rule> rules = {
      {"geqp3", geqp3}, {"geqrf", geqrf}, {"getrf", getrf}, {"gtsv", gtsv},   {"orgqr", orgqr},
      {"ormqr", ormqr}, {"potrf", potrf}, {"trsm", trsm},   {"ungqr", orgqr}, {"unmqr", ormqr}};
  const auto found = rules.find(target);
  return found == rules.end() ? spectral_rule(target) : found->second;
}

void add_linear(Rules& r) {
  const Rules mine = {{"chlo.ragged_dot", ragged_dot},
                      {"stablehlo.cholesky", cholesky},
                      {"stablehlo.convolution", convolution},
                      {"stablehlo.dynamic_conv", convolution},
                      {"stablehlo.dot", dot},
                      {"stablehlo.dot_general", dot_general},
                      {"stablehlo.fft", fft},
                      {"stablehlo.triangular_solve", triangular_solve}};
  r.insert(mine.begin(), mine.end());
}

}  // namespace weft::hlo
