// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/conv_patches.cpp: copies windows row by row. Padding is stored as zeros.
#include "runtime/native/conv_patches.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <vector>

#include "runtime/native/product_tiles.h"

namespace weft::native {
namespace {

using Axis = Convolution::Axis;

int64_t product_of(const Convolution& c, int64_t Axis::* size) {
  int64_t n = 1;
  for (const Axis& a : c.axes) n *= a.*size;
  return n;
}

// Returns true if the positions of a feature of the result are contiguous.
bool has_features_first(const Convolution& c) {
  int64_t step = 1;
  for (size_t a = c.axes.size(); a-- > 0; step *= c.axes[a].out)
    if (c.axes[a].out_step != step) return false;
  return true;
}
// Returns true if the kernel is a matrix of features by terms in the order of copy_windows.
bool is_matrix(const Convolution& c) {
  int64_t step = 1;
  for (size_t a = c.axes.size(); a-- > 0; step *= c.axes[a].kernel)
    if (c.axes[a].kernel > 1 && c.axes[a].rhs_step != step) return false;
  return c.taken == 1 || c.rhs_taken == step;
}

// Sets the next index in row-major order of axes of these sizes.
void advance(std::vector<int64_t>* at, const std::vector<Axis>& axes, size_t n,
             int64_t Axis::* size) {
  for (size_t a = n; a-- > 0;) {
    if (++(*at)[a] < axes[a].*size) return;
    (*at)[a] = 0;
  }
}

}  // namespace

double PatchProduct::cost_ns(const Convolution& c) {
  constexpr double never = std::numeric_limits<double>::infinity();
  if (c.form != Convolution::Form::forward || c.groups != 1 || !has_product_tiles()) return never;
  const int64_t positions = product_of(c, &Axis::out), window = product_of(c, &Axis::kernel);
  if (positions < least_tile_columns || !has_features_first(c)) return never;
  // A call, each row that is copied, each element, and each multiplication.
  constexpr double call_ns = 300, row_ns = 4, element_ns = .1, strided_ns = .6, term_ns = 1. / 40;
  const Axis& inner = c.axes.back();
  const auto elements = static_cast<double>(positions * window * c.taken);
  const bool dense = inner.lhs_step * inner.stride == 1;
  return call_ns + elements / static_cast<double>(inner.out) * row_ns +
         elements * (dense ? element_ns : strided_ns) +
         elements * static_cast<double>(c.given) * term_ns;
}

PatchProduct::PatchProduct(const Convolution& c)
    : c_(c),
      positions_(product_of(c, &Axis::out)),
      terms_(c.taken * product_of(c, &Axis::kernel)),
      in_place_(is_matrix(c)) {
  std::vector<int64_t> at(c.axes.size(), 0);
  for (int64_t w = 0; w < terms_ / c.taken; ++w, advance(&at, c.axes, at.size(), &Axis::kernel))
    for (size_t a = 0; a < at.size(); ++a)
      shifts_.push_back(at[a] * c.axes[a].dilation - c.axes[a].low);
}

// Returns the offset in lhs of the element that the window at this position reads, along the first
// n axes, or nothing if it is in the padding.
std::optional<int64_t> PatchProduct::offset(const std::vector<int64_t>& position,
                                            const int64_t* shifts, size_t n) const {
  int64_t at = 0;
  for (size_t a = 0; a < n; ++a) {
    const Axis& axis = c_.axes[a];
    const int64_t i = position[a] * axis.stride + shifts[a];
    if (i < 0 || i >= axis.in) return std::nullopt;
    at += i * axis.lhs_step;
  }
  return at;
}

void PatchProduct::copy_kernel(const float* kernel, float* to) const {
  const int64_t window = terms_ / c_.taken;
  for (int64_t w = 0; w < window; ++w) {
    int64_t from = 0, rest = w;
    for (size_t a = c_.axes.size(); a-- > 0; rest /= c_.axes[a].kernel)
      from += rest % c_.axes[a].kernel * c_.axes[a].rhs_step;
    for (int64_t t = 0; t < c_.taken; ++t)
      for (int64_t g = 0; g < c_.given; ++g)
        to[g * terms_ + t * window + w] = kernel[from + t * c_.rhs_taken + g * c_.rhs_given];
  }
}

// Writes [taken, window, positions]: each row of positions is a shifted row of the image.
void PatchProduct::copy_windows(const float* lhs, float* to) const {
  const Axis& inner = c_.axes.back();
  const size_t outer = c_.axes.size() - 1;
  const int64_t window = terms_ / c_.taken, step = inner.lhs_step * inner.stride;
  std::vector<int64_t> position(outer, 0);
  for (int64_t w = 0; w < window; ++w) {
    const int64_t* const shifts = &shifts_[static_cast<size_t>(w) * (outer + 1)];
    const int64_t at = shifts[outer];
    // The positions whose element of the row exists.
    const int64_t first = std::clamp<int64_t>((inner.stride - 1 - at) / inner.stride, 0, inner.out);
    const int64_t end = at >= inner.in ? first
                                       : std::clamp<int64_t>((inner.in - 1 - at) / inner.stride + 1,
                                                             first, inner.out);
    for (int64_t row = 0; row < positions_; row += inner.out) {
      const auto begin = offset(position, shifts, outer);
      for (int64_t t = 0; t < c_.taken; ++t) {
        float* const x = to + (t * window + w) * positions_ + row;
        if (!begin) {
          std::fill_n(x, inner.out, 0.f);
          continue;
        }
        const float* const from = lhs + t * c_.lhs_feature + *begin + at * inner.lhs_step;
        std::fill_n(x, first, 0.f);
        if (step == 1)
          std::copy(from + first, from + end, x + first);
        else
          for (int64_t o = first; o < end; ++o) x[o] = from[o * step];
        std::fill_n(x + end, inner.out - end, 0.f);
      }
      advance(&position, c_.axes, outer, &Axis::out);
    }
  }
}

void PatchProduct::image(const float* lhs, const float* kernel, float* out, float* windows) const {
  copy_windows(lhs, windows);
  Gemm g;
  g.m = c_.given;
  g.n = positions_;
  g.k = terms_;
  g.lda = in_place_ ? c_.rhs_given : terms_;
  g.ldb = positions_;
  g.ldc = c_.out_feature;
  multiply_in_tiles(g, kernel, windows, out);
}

}  // namespace weft::native
