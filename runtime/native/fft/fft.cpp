// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/fft/fft.cpp: transforms of rows and columns of arrays, distributed to threads.
#include "runtime/native/fft/fft.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include "runtime/native/fft/vectors.h"
#include "weft/buffer.h"
#include "weft/device/threads.h"
#include "weft/error.h"

namespace weft::native {
namespace {

using namespace fft;

// Scratch is allocated in whole cache lines.
template <class T>
int64_t rounded(int64_t n) {
  constexpr int64_t line = 64 / static_cast<int64_t>(sizeof(T));
  return (n + line - 1) / line * line;
}
template <class T>
T* scratch_of(const Temporaries& t) {
  return reinterpret_cast<T*>(t.data());
}

// ---- rows: a plan and its execution

template <class T>
class Rows {
 public:
  explicit Rows(int64_t n) : plan_(n), k_(kernels<T>()) {
    if (plan_.kind != RowPlan<T>::Kind::convolution) return;
    longer_ = std::make_unique<Rows<T>>(plan_.longer->n);
    plan_.longer.reset();
    make_spectrum();
  }
  int64_t n() const { return plan_.n; }
  bool side_by_side() const { return plan_.kind == RowPlan<T>::Kind::vectors; }
  // The number of rows to transform together.
  int64_t group() const { return side_by_side() ? k_.vector_width : 1; }

  int64_t scratch() const {
    if (side_by_side()) return vector_scratch<T>(n());
    if (longer_) return rounded<T>(2 * longer_->n()) + longer_->scratch();
    const SquarePlan<T>& s = *plan_.square;
    return between() + vector_scratch<T>(std::max(s.first.n, s.second.n));
  }
  // Transforms `count` <= group() rows of n() complex elements. Steps are in elements. May be in
  // place.
  void run(const T* from, int64_t from_step, T* to, int64_t to_step, int64_t count, bool inverse,
           T* work) const {
    const T scale = inverse ? T(1) / static_cast<T>(n()) : T(1);
    if (side_by_side())
      k_.rows(*plan_.vectors, from, from_step, to, to_step, count, inverse, scale, work);
    else if (longer_)
      convolve(from, to, inverse, scale, work);
    else
      square(from, to, inverse, scale, work);
  }
  // One row whose passes are distributed to threads; `work` holds the intermediate result between
  // passes.
  bool is_long() const { return plan_.kind == RowPlan<T>::Kind::square && n() >= 1 << 15; }
  int64_t between() const {
    const SquarePlan<T>& s = *plan_.square;
    return rounded<T>(2 * s.step() * s.second.n);
  }
  void run_long(const T* from, T* to, bool inverse) const {
    const SquarePlan<T>& s = *plan_.square;
    const T scale = inverse ? T(1) / static_cast<T>(n()) : T(1);
    const Temporaries between_bytes(between() * static_cast<int64_t>(sizeof(T)));
    T* const middle = scratch_of<T>(between_bytes);
    const int64_t vector_width = k_.vector_width, most = std::max(s.first.n, s.second.n);
    const auto pass = [&](int64_t columns, auto f) {
      const int64_t blocks = (columns + vector_width - 1) / vector_width;
      parallel_for(blocks, std::max<int64_t>(1, blocks / 16), [&](int64_t lo, int64_t hi) {
        const Temporaries work(vector_scratch<T>(most) * static_cast<int64_t>(sizeof(T)));
        for (int64_t b = lo; b < hi; ++b) f(b * vector_width, scratch_of<T>(work));
      });
    };
    pass(s.second.n, [&](int64_t at, T* w) { k_.first(s, from, at, inverse, middle, w); });
    pass(s.first.n, [&](int64_t at, T* w) { k_.second(s, middle, at, to, inverse, scale, w); });
  }

 private:
  void square(const T* from, T* to, bool inverse, T scale, T* work) const {
    const SquarePlan<T>& s = *plan_.square;
    T* const scratch = work + between();
    for (int64_t at = 0; at < s.second.n; at += k_.vector_width)
      k_.first(s, from, at, inverse, work, scratch);
    for (int64_t at = 0; at < s.first.n; at += k_.vector_width)
      k_.second(s, work, at, to, inverse, scale, scratch);
  }
  // Bluestein: the chirp times the inverse transform of the product of spectra. The inverse
  // transform is computed as the conjugate of the forward transform of the conjugate.
  void convolve(const T* from, T* to, bool inverse, T scale, T* work) const {
    const int64_t m = longer_->n();
    T* const inner = work + rounded<T>(2 * m);
    std::memcpy(work, from, static_cast<size_t>(2 * n()) * sizeof(T));
    if (inverse)
      for (int64_t j = 0; j < n(); ++j) work[2 * j + 1] = -work[2 * j + 1];
    k_.multiply(work, plan_.chirp.data(), n(), false, work);
    std::fill(work + 2 * n(), work + 2 * m, T(0));
    longer_->run(work, 0, work, 0, 1, false, inner);
    k_.multiply(work, plan_.spectrum.data(), m, true, work);
    // The product is already conjugated, so this computes the conjugate of the inverse transform.
    // The spectrum is already divided by m.
    longer_->run(work, 0, work, 0, 1, false, inner);
    for (int64_t j = 0; j < n(); ++j) work[2 * j + 1] = -work[2 * j + 1];
    k_.multiply(work, plan_.chirp.data(), n(), inverse, to);
    if (inverse)
      for (int64_t j = 0; j < 2 * n(); ++j) to[j] *= scale;
  }
  // The spectrum of the conjugate chirp, which is symmetric about 0, divided by its length.
  // Computed in F64.
  void make_spectrum() {
    const int64_t m = longer_->n();
    std::vector<double> b(2 * m);
    for (int64_t k = 0, square = 0; k < n(); ++k) {
      double re, im;
      unit_root(square, 2 * n(), &re, &im);
      const double by = 1 / static_cast<double>(m);
      for (int64_t at : {k, k == 0 ? 0 : m - k}) {
        b[2 * at] = re * by;
        b[2 * at + 1] = -im * by;
      }
      square = (square + 2 * k + 1) % (2 * n());
    }
    const Rows<double> exact(m);
    const Temporaries work(exact.scratch() * static_cast<int64_t>(sizeof(double)));
    exact.run(b.data(), 0, b.data(), 0, 1, false, scratch_of<double>(work));
    plan_.spectrum.assign(b.begin(), b.end());
  }

  RowPlan<T> plan_;
  const Kernels<T>& k_;
  std::unique_ptr<Rows<T>> longer_;
};

// ---- arrays

// About as many elements as justify another thread.
constexpr int64_t worth_a_thread = 8192;
// Columns up to this length are transformed without copying them to rows.
constexpr int64_t longest_column = 4096;

template <class T>
class Transform final : public FftCall {
 public:
  explicit Transform(const FftShape& s) : s_(s), k_(kernels<T>()) {
    last_ = s.lengths.back();
    elements_ = s.batch;
    for (int64_t n : s.lengths) elements_ *= n;
    if (elements_ == 0) return;
    halved_ = is_real() && last_ % 2 == 0;
    rows_ = std::make_unique<Rows<T>>(halved_ ? last_ / 2 : last_);
    if (halved_) roots_ = real_roots<T>(last_);
    for (size_t a = 0; a + 1 < s.lengths.size(); ++a) {
      const int64_t n = s.lengths[a];
      if (n <= longest_column && is_smooth(n))
        columns_.try_emplace(n, n);
      else if (!across_.contains(n))
        across_.emplace(n, std::make_unique<Rows<T>>(n));
    }
  }

  void run(const NativeArgs& args) const override {
    if (elements_ == 0) return;
    const int64_t rows = elements_ / last_, half = last_ / 2 + 1;
    switch (s_.kind) {
      case FftKind::forward:
      case FftKind::inverse: {
        const T* from = pairs_in(args, elements_);
        T* to = pairs_out(args, elements_);
        complex_rows(from, to, rows);
        all_columns(to, to, last_);
        return;
      }
      case FftKind::real_forward: {
        const T* from = args.in<T>(0, elements_);
        T* to = pairs_out(args, rows * half);
        each_row(rows, [&](int64_t r, int64_t count, T* w) {
          real_rows(from + r * last_, to + 2 * r * half, count, w);
        });
        all_columns(to, to, half);
        return;
      }
      case FftKind::real_inverse: {
        const T* from = pairs_in(args, rows * half);
        T* to = args.out<T>(0, elements_);
        const bool copies = s_.lengths.size() > 1;
        const Temporaries copy(copies ? rows * half * 2 * size : 0);
        if (copies) {
          T* const x = scratch_of<T>(copy);
          std::memcpy(x, from, rows * half * 2 * size);
          all_columns(x, x, half);
          from = x;
        }
        each_row(rows, [&](int64_t r, int64_t count, T* w) {
          real_results(from + 2 * r * half, to + r * last_, count, w);
        });
        return;
      }
    }
  }

  int64_t workspace() const override {
    if (elements_ == 0) return 0;
    int64_t each = rows_->scratch() + group_scratch();
    for (const auto& [n, plan] : columns_) each = std::max(each, vector_scratch<T>(n));
    for (const auto& [n, rows] : across_) each = std::max(each, across_scratch(*rows));
    const bool copies = s_.kind == FftKind::real_inverse && s_.lengths.size() > 1;
    return (num_threads() * each + (copies ? elements_ / last_ * (last_ / 2 + 1) * 2 : 0)) * size;
  }

 private:
  static constexpr int64_t size = sizeof(T);
  bool is_real() const {
    return s_.kind == FftKind::real_forward || s_.kind == FftKind::real_inverse;
  }
  bool is_inverse() const {
    return s_.kind == FftKind::inverse || s_.kind == FftKind::real_inverse;
  }
  const T* pairs_in(const NativeArgs& a, int64_t n) const {
    return reinterpret_cast<const T*>(a.in<Complex<T>>(0, n));
  }
  T* pairs_out(const NativeArgs& a, int64_t n) const {
    return reinterpret_cast<T*>(a.out<Complex<T>>(0, n));
  }

  // ---- the last axis

  // Elements that real kinds need for a group of rows, in addition to the scratch of the rows.
  int64_t group_scratch() const {
    return is_real() ? rounded<T>(2 * rows_->n() * rows_->group()) : 0;
  }
  template <class F>
  void each_row(int64_t rows, F f) const {
    const int64_t g = rows_->group(), groups = (rows + g - 1) / g;
    const int64_t grain = std::max<int64_t>(1, worth_a_thread / (g * last_));
    parallel_for(groups, grain, [&](int64_t lo, int64_t hi) {
      const Temporaries work((rows_->scratch() + group_scratch()) * size);
      for (int64_t b = lo; b < hi; ++b) f(b * g, std::min(g, rows - b * g), scratch_of<T>(work));
    });
  }
  void complex_rows(const T* from, T* to, int64_t rows) const {
    // If there are only few long rows, the threads share each row.
    if (rows_->is_long() && rows < 8) {
      for (int64_t r = 0; r < rows; ++r)
        rows_->run_long(from + 2 * r * last_, to + 2 * r * last_, is_inverse());
      return;
    }
    each_row(rows, [&](int64_t r, int64_t count, T* w) {
      rows_->run(from + 2 * r * last_, last_, to + 2 * r * last_, last_, count, is_inverse(), w);
    });
  }
  void real_rows(const T* from, T* to, int64_t count, T* work) const {
    const int64_t n = rows_->n(), half = last_ / 2 + 1;
    T* const z = work + rows_->scratch();
    if (!halved_) {
      for (int64_t r = 0; r < count; ++r)
        for (int64_t j = 0; j < n; ++j) {
          z[2 * (r * n + j)] = from[r * n + j];
          z[2 * (r * n + j) + 1] = 0;
        }
      rows_->run(z, n, z, n, count, false, work);
      for (int64_t r = 0; r < count; ++r)
        std::memcpy(to + 2 * r * half, z + 2 * r * n, 2 * half * size);
      return;
    }
    rows_->run(from, n, z, n, count, false, work);
    for (int64_t r = 0; r < count; ++r)
      k_.real_out(z + 2 * r * n, roots_.data(), n, to + 2 * r * half);
  }
  void real_results(const T* from, T* to, int64_t count, T* work) const {
    const int64_t n = rows_->n(), half = last_ / 2 + 1;
    T* const z = work + rows_->scratch();
    if (halved_) {
      for (int64_t r = 0; r < count; ++r)
        k_.real_in(from + 2 * r * half, roots_.data(), n, z + 2 * r * n);
      rows_->run(z, n, to, n, count, true, work);
      return;
    }
    for (int64_t r = 0; r < count; ++r) {
      const T* const x = from + 2 * r * half;
      T* const y = z + 2 * r * n;
      y[0] = x[0];
      y[1] = 0;
      for (int64_t k = 1; k < half; ++k) {
        y[2 * k] = y[2 * (n - k)] = x[2 * k];
        y[2 * k + 1] = x[2 * k + 1];
        y[2 * (n - k) + 1] = -x[2 * k + 1];
      }
    }
    rows_->run(z, n, z, n, count, true, work);
    for (int64_t j = 0; j < count * n; ++j) to[j] = z[2 * j];
  }

  // ---- the other axes, in place; `width` is the size of the last axis in that array

  void all_columns(const T* from, T* to, int64_t width) const {
    int64_t inner = width;
    for (size_t a = s_.lengths.size() - 1; a-- > 0; inner *= s_.lengths[a]) {
      const int64_t n = s_.lengths[a];
      int64_t outer = s_.batch;
      for (size_t b = 0; b < a; ++b) outer *= s_.lengths[b];
      const auto it = columns_.find(n);
      if (it != columns_.end())
        columns(it->second, from, to, outer, inner);
      else
        across(*across_.at(n), to, outer, inner);
    }
  }
  void columns(const VectorPlan<T>& plan, const T* from, T* to, int64_t outer,
               int64_t inner) const {
    const int64_t vector_width = k_.vector_width,
                  blocks = (inner + vector_width - 1) / vector_width;
    const T scale = is_inverse() ? T(1) / static_cast<T>(plan.n) : T(1);
    parallel_for(outer * blocks, std::max<int64_t>(1, worth_a_thread / (plan.n * vector_width)),
                 [&](int64_t lo, int64_t hi) {
                   const Temporaries work(vector_scratch<T>(plan.n) * size);
                   for (int64_t i = lo; i < hi; ++i) {
                     const int64_t at = i % blocks * vector_width;
                     const int64_t place = 2 * (i / blocks * plan.n * inner + at);
                     k_.columns(plan, from + place, to + place, inner,
                                std::min(vector_width, inner - at), is_inverse(), scale,
                                scratch_of<T>(work));
                   }
                 });
  }
  // Columns that are longer than that, or not of a smooth length, are copied to contiguous rows.
  int64_t across_scratch(const Rows<T>& rows) const {
    return rounded<T>(2 * rows.n()) + rows.scratch();
  }
  void across(const Rows<T>& rows, T* x, int64_t outer, int64_t inner) const {
    const int64_t n = rows.n();
    parallel_for(outer * inner, std::max<int64_t>(1, worth_a_thread / n),
                 [&](int64_t lo, int64_t hi) {
                   const Temporaries scratch(across_scratch(rows) * size);
                   T *const row = scratch_of<T>(scratch), *const work = row + rounded<T>(2 * n);
                   for (int64_t i = lo; i < hi; ++i) {
                     T* const at = x + 2 * (i / inner * n * inner + i % inner);
                     for (int64_t j = 0; j < n; ++j) {
                       row[2 * j] = at[2 * inner * j];
                       row[2 * j + 1] = at[2 * inner * j + 1];
                     }
                     rows.run(row, n, row, n, 1, is_inverse(), work);
                     for (int64_t j = 0; j < n; ++j) {
                       at[2 * inner * j] = row[2 * j];
                       at[2 * inner * j + 1] = row[2 * j + 1];
                     }
                   }
                 });
  }

  FftShape s_;
  const Kernels<T>& k_;
  int64_t last_ = 0, elements_ = 0;  // counted on the real side for real kinds
  bool halved_ = false;              // real rows are transformed as complex rows of half the length
  std::unique_ptr<Rows<T>> rows_;
  std::vector<T> roots_;
  std::map<int64_t, VectorPlan<T>> columns_;
  std::map<int64_t, std::unique_ptr<Rows<T>>> across_;
};

}  // namespace

std::shared_ptr<const FftCall> make_fft(const FftShape& shape) {
  if (shape.parts == F32) return std::make_shared<Transform<float>>(shape);
  return std::make_shared<Transform<double>>(shape);
}

bool fft_is_smooth(int64_t n) { return fft::is_smooth(n); }

}  // namespace weft::native
