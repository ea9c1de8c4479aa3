// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/fft/vectors.cpp: butterflies on vectors. Sums of products are not contracted to
// fma, so that every processor gives the same bits.
#include "runtime/native/fft/vectors.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

#include "runtime/native/cpu.h"

namespace weft::native::fft {
namespace {

#define WEFT_INLINE [[gnu::always_inline]] inline

template <class T, int N>
struct Engine {
  typedef T V __attribute__((vector_size(N * sizeof(T))));
  struct Cx {
    V re, im;
  };
  static constexpr int64_t width = 2 * N;  // of a Cx, in elements of T

  WEFT_INLINE static void load(V& v, const T* from) { std::memcpy(&v, from, sizeof v); }
  WEFT_INLINE static void store(T* to, const V& v) { std::memcpy(to, &v, sizeof v); }
  WEFT_INLINE static void get(Cx& z, const T* from) {
    load(z.re, from);
    load(z.im, from + N);
  }
  WEFT_INLINE static void put(T* to, const Cx& z) {
    store(to, z.re);
    store(to + N, z.im);
  }

  // ---- pairs in memory to separate parts, and back; of `valid` numbers

  template <int... l>
  WEFT_INLINE static void split(V& even, V& odd, const V& a, const V& b,
                                std::integer_sequence<int, l...>) {
    even = __builtin_shufflevector(a, b, (2 * l)...);
    odd = __builtin_shufflevector(a, b, (2 * l + 1)...);
  }
  template <int... l>
  WEFT_INLINE static void join(V& a, V& b, const V& even, const V& odd,
                               std::integer_sequence<int, l...>) {
    a = __builtin_shufflevector(even, odd, (l % 2 ? N + l / 2 : l / 2)...);
    b = __builtin_shufflevector(even, odd, (l % 2 ? N + (N + l) / 2 : (N + l) / 2)...);
  }
  static constexpr std::make_integer_sequence<int, N> all{};
  WEFT_INLINE static void get_pairs(V& even, V& odd, const T* from) {
    V a, b;
    load(a, from);
    load(b, from + N);
    split(even, odd, a, b, all);
  }
  WEFT_INLINE static void put_pairs(T* to, const V& even, const V& odd) {
    V a, b;
    join(a, b, even, odd, all);
    store(to, a);
    store(to + N, b);
  }
  WEFT_INLINE static void get_pairs(Cx& z, const T* from, int64_t valid, bool swapped) {
    alignas(64) T part[width] = {};
    if (valid < N) {
      std::memcpy(part, from, static_cast<size_t>(2 * valid) * sizeof(T));
      from = part;
    }
    if (swapped)
      get_pairs(z.im, z.re, from);
    else
      get_pairs(z.re, z.im, from);
  }
  WEFT_INLINE static void put_pairs(T* to, const Cx& z, int64_t valid, bool swapped, T scale) {
    alignas(64) T part[width];
    T* const at = valid < N ? part : to;
    if (swapped)
      put_pairs(at, z.im * scale, z.re * scale);
    else
      put_pairs(at, z.re * scale, z.im * scale);
    if (valid < N) std::memcpy(to, part, static_cast<size_t>(2 * valid) * sizeof(T));
  }

  // ---- transpose of N vectors

  template <int half, int... l>
  WEFT_INLINE static void exchange(V& a, V& b, std::integer_sequence<int, l...>) {
    const V low = __builtin_shufflevector(a, b, (l & half ? N + l - half : l)...);
    const V high = __builtin_shufflevector(a, b, (l & half ? N + l : l + half)...);
    a = low;
    b = high;
  }
  template <int half, int row>
  WEFT_INLINE static void pair(V (&v)[N]) {
    if constexpr (!(row & half)) exchange<half>(v[row], v[row + half], all);
  }
  template <int half, int... row>
  WEFT_INLINE static void level(V (&v)[N], std::integer_sequence<int, row...> rows) {
    (pair<half, row>(v), ...);
    if constexpr (2 * half < N) level<2 * half>(v, rows);
  }
  WEFT_INLINE static void turn(V (&v)[N]) { level<1>(v, all); }

  // ---- butterflies

  WEFT_INLINE static void add(Cx& r, const Cx& a, const Cx& b) {
    r.re = a.re + b.re;
    r.im = a.im + b.im;
  }
  WEFT_INLINE static void sub(Cx& r, const Cx& a, const Cx& b) {
    r.re = a.re - b.re;
    r.im = a.im - b.im;
  }
  WEFT_INLINE static void mul(Cx& z, T re, T im) {
    const V x = z.re * re - z.im * im;
    z.im = z.re * im + z.im * re;
    z.re = x;
  }
  // Replaces (a, b) by (a + b, a - b).
  WEFT_INLINE static void two(Cx& a, Cx& b) {
    Cx s;
    add(s, a, b);
    sub(b, a, b);
    a = s;
  }
  // Multiplies by -i.
  WEFT_INLINE static void quarter(Cx& z) {
    const V x = z.re;
    z.re = z.im;
    z.im = -x;
  }
  // Stores results in bit-reversed order: elements 0, 2, 1, 3 of the transform.
  WEFT_INLINE static void four(Cx& a, Cx& b, Cx& c, Cx& d) {
    two(a, c);
    two(b, d);
    quarter(d);
    two(a, b);
    two(c, d);
  }
  WEFT_INLINE static void butterfly(Cx (&z)[2], const T*) { two(z[0], z[1]); }
  WEFT_INLINE static void butterfly(Cx (&z)[4], const T*) {
    four(z[0], z[1], z[2], z[3]);
    std::swap(z[1], z[2]);
  }
  WEFT_INLINE static void butterfly(Cx (&z)[8], const T*) {
    constexpr T half = static_cast<T>(0.70710678118654752440);
    for (int k = 0; k < 4; ++k) two(z[k], z[k + 4]);
    // The odd half times exp(-2 pi i k / 8).
    const V x = z[5].re, y = z[7].re;
    z[5].re = (x + z[5].im) * half;
    z[5].im = (z[5].im - x) * half;
    quarter(z[6]);
    z[7].re = (z[7].im - y) * half;
    z[7].im = -(z[7].im + y) * half;
    four(z[0], z[1], z[2], z[3]);
    four(z[4], z[5], z[6], z[7]);
    const Cx x1 = z[4], x3 = z[6], x4 = z[1], x6 = z[3];
    z[1] = x1;
    z[3] = x3;
    z[4] = x4;
    z[6] = x6;
  }
  // For odd r, elements j and r - j share their products. With w = c - i s, the term
  // `z[k] w^jk + z[r - k] w^-jk` is `c (z[k] + z[r - k]) - i s (z[k] - z[r - k])`.
  template <int r, int j, int... k>
  WEFT_INLINE static void opposite(const Cx* sum, const Cx* difference, const Cx& z0, Cx& low,
                                   Cx& high, const T* roots, std::integer_sequence<int, k...>) {
    Cx a = z0, b{};
    ((a.re += sum[k].re * roots[2 * ((k + 1) * j % r)],
      a.im += sum[k].im * roots[2 * ((k + 1) * j % r)],
      b.re -= difference[k].re * roots[2 * ((k + 1) * j % r) + 1],
      b.im -= difference[k].im * roots[2 * ((k + 1) * j % r) + 1]),
     ...);
    low.re = a.re + b.im;
    low.im = a.im - b.re;
    high.re = a.re - b.im;
    high.im = a.im + b.re;
  }
  template <int r, int... j>
  WEFT_INLINE static void odd(Cx (&z)[r], const T* roots, std::integer_sequence<int, j...> halves) {
    constexpr int h = r / 2;
    Cx sum[h], difference[h];
    (add(sum[j], z[j + 1], z[r - 1 - j]), ...);
    (sub(difference[j], z[j + 1], z[r - 1 - j]), ...);
    const Cx z0 = z[0];
    ((z[0].re += sum[j].re, z[0].im += sum[j].im), ...);
    (opposite<r, j + 1>(sum, difference, z0, z[j + 1], z[r - 1 - j], roots, halves), ...);
  }
  template <int r>
  WEFT_INLINE static void butterfly(Cx (&z)[r], const T* roots) {
    odd(z, roots, std::make_integer_sequence<int, r / 2>());
  }

  // ---- stages, from one buffer to the other

  template <int r, bool twiddled>
  WEFT_INLINE static void part(const Stage<T>& s, const T* table, const T* from, T* to, int64_t p) {
    const T* const w = table + s.twiddles + static_cast<size_t>(2 * (r - 1) * p);
    for (int64_t q = 0; q < s.stride; ++q) {
      Cx z[r];
      for (int j = 0; j < r; ++j) get(z[j], from + width * (q + s.stride * (p + s.parts * j)));
      butterfly(z, table + s.roots);
      if constexpr (twiddled)
        for (int j = 1; j < r; ++j) mul(z[j], w[2 * j - 2], w[2 * j - 1]);
      for (int j = 0; j < r; ++j) put(to + width * (q + s.stride * (r * p + j)), z[j]);
    }
  }
  template <int r>
  WEFT_INLINE static void stage(const Stage<T>& s, const T* table, const T* from, T* to) {
    part<r, false>(s, table, from, to, 0);
    for (int64_t p = 1; p < s.parts; ++p) part<r, true>(s, table, from, to, p);
  }
  // A stage of any odd radix, with the algorithm of `odd`.
  WEFT_INLINE static void any_stage(const Stage<T>& s, const T* table, const T* from, T* to) {
    const int r = s.radix, h = r / 2;
    const T* const roots = table + s.roots;
    Cx sum[largest_radix / 2], difference[largest_radix / 2];
    for (int64_t p = 0; p < s.parts; ++p)
      for (int64_t q = 0; q < s.stride; ++q) {
        const auto out = [&](int64_t j) { return to + width * (q + s.stride * (r * p + j)); };
        const T* const w = table + s.twiddles + static_cast<size_t>(2 * (r - 1) * p);
        Cx z0, total;
        get(z0, from + width * (q + s.stride * p));
        total = z0;
        for (int k = 0; k < h; ++k) {
          Cx a, b;
          get(a, from + width * (q + s.stride * (p + s.parts * (k + 1))));
          get(b, from + width * (q + s.stride * (p + s.parts * (r - 1 - k))));
          add(sum[k], a, b);
          sub(difference[k], a, b);
          add(total, total, sum[k]);
        }
        put(out(0), total);
        for (int j = 1; j <= h; ++j) {
          Cx a = z0, b{};
          for (int k = 0, at = j; k < h; ++k, at = at + j >= r ? at + j - r : at + j) {
            const T c = roots[2 * at], d = roots[2 * at + 1];
            a.re += sum[k].re * c;
            a.im += sum[k].im * c;
            b.re -= difference[k].re * d;
            b.im -= difference[k].im * d;
          }
          Cx low, high;
          low.re = a.re + b.im;
          low.im = a.im - b.re;
          high.re = a.re - b.im;
          high.im = a.im + b.re;
          mul(low, w[2 * j - 2], w[2 * j - 1]);
          mul(high, w[2 * (r - j) - 2], w[2 * (r - j) - 1]);
          put(out(j), low);
          put(out(r - j), high);
        }
      }
  }
  // Transforms the columns in `scratch`; returns the buffer that holds the result.
  WEFT_INLINE static T* transform(const VectorPlan<T>& plan, T* scratch) {
    T *from = scratch, *to = scratch + width * plan.n;
    const T* const table = plan.table.data();
    for (const Stage<T>& s : plan.stages) {
      switch (s.radix) {
        case 2: stage<2>(s, table, from, to); break;
        case 3: stage<3>(s, table, from, to); break;
        case 4: stage<4>(s, table, from, to); break;
        case 5: stage<5>(s, table, from, to); break;
        case 7: stage<7>(s, table, from, to); break;
        case 8: stage<8>(s, table, from, to); break;
        default: any_stage(s, table, from, to);
      }
      std::swap(from, to);
    }
    return from;
  }
};

// The functions of a Kernels table for one vector width. `transform` is compiled once and called by
// the others.
#define WEFT_FFT_KERNELS(Level, bytes, attributes)                                                 \
  template <class T>                                                                               \
  struct Level {                                                                                   \
    static constexpr int N = bytes / static_cast<int>(sizeof(T));                                  \
    using E = Engine<T, N>;                                                                        \
    using V = typename E::V;                                                                       \
    using Cx = typename E::Cx;                                                                     \
    static constexpr int64_t width = E::width;                                                     \
    [[gnu::flatten]] attributes static T* transform(const VectorPlan<T>& plan, T* scratch) {       \
      return E::transform(plan, scratch);                                                          \
    }                                                                                              \
    [[gnu::flatten]] attributes static void load_rows(const T* from, int64_t step, int64_t n,      \
                                                      int64_t valid, bool swapped, T* scratch) {   \
      for (int64_t j = 0; j < n; j += N) {                                                         \
        const int64_t few = n - j < N ? n - j : N;                                                 \
        V re[N] = {}, im[N] = {};                                                                  \
        for (int l = 0; l < N; ++l) {                                                              \
          if (l >= valid) break;                                                                   \
          Cx z;                                                                                    \
          E::get_pairs(z, from + 2 * (step * l + j), few, swapped);                                \
          re[l] = z.re;                                                                            \
          im[l] = z.im;                                                                            \
        }                                                                                          \
        E::turn(re);                                                                               \
        E::turn(im);                                                                               \
        for (int i = 0; i < N; ++i)                                                                \
          if (i < few) E::put(scratch + width * (j + i), Cx{re[i], im[i]});                        \
      }                                                                                            \
    }                                                                                              \
    [[gnu::flatten]] attributes static void rows(const VectorPlan<T>& plan, const T* from,         \
                                                 int64_t from_step, T* to, int64_t to_step,        \
                                                 int64_t valid, bool swapped, T scale,             \
                                                 T* scratch) {                                     \
      load_rows(from, from_step, plan.n, valid, swapped, scratch);                                 \
      const T* const out = transform(plan, scratch);                                               \
      for (int64_t j = 0; j < plan.n; j += N) {                                                    \
        const int64_t few = plan.n - j < N ? plan.n - j : N;                                       \
        V re[N] = {}, im[N] = {};                                                                  \
        for (int i = 0; i < N; ++i) {                                                              \
          if (i >= few) break;                                                                     \
          E::load(re[i], out + width * (j + i));                                                   \
          E::load(im[i], out + width * (j + i) + N);                                               \
        }                                                                                          \
        E::turn(re);                                                                               \
        E::turn(im);                                                                               \
        for (int l = 0; l < N; ++l) {                                                              \
          if (l >= valid) break;                                                                   \
          E::put_pairs(to + 2 * (to_step * l + j), Cx{re[l], im[l]}, few, swapped, scale);         \
        }                                                                                          \
      }                                                                                            \
    }                                                                                              \
    [[gnu::flatten]] attributes static void columns(const VectorPlan<T>& plan, const T* from,      \
                                                    T* to, int64_t step, int64_t valid,            \
                                                    bool swapped, T scale, T* scratch) {           \
      for (int64_t j = 0; j < plan.n; ++j) {                                                       \
        Cx z;                                                                                      \
        E::get_pairs(z, from + 2 * step * j, valid, swapped);                                      \
        E::put(scratch + width * j, z);                                                            \
      }                                                                                            \
      const T* const out = transform(plan, scratch);                                               \
      for (int64_t j = 0; j < plan.n; ++j) {                                                       \
        Cx z;                                                                                      \
        E::get(z, out + width * j);                                                                \
        E::put_pairs(to + 2 * step * j, z, valid, swapped, scale);                                 \
      }                                                                                            \
    }                                                                                              \
    [[gnu::flatten]] attributes static void first(const SquarePlan<T>& plan, const T* from,        \
                                                  int64_t at, bool swapped, T* between,            \
                                                  T* scratch) {                                    \
      const int64_t rows = plan.first.n, columns = plan.second.n, step = plan.step();              \
      const int64_t valid = columns - at < N ? columns - at : N;                                   \
      for (int64_t j = 0; j < rows; ++j) {                                                         \
        Cx z;                                                                                      \
        E::get_pairs(z, from + 2 * (columns * j + at), valid, swapped);                            \
        E::put(scratch + width * j, z);                                                            \
      }                                                                                            \
      T* const out = transform(plan.first, scratch);                                               \
      twiddle(plan, at, out);                                                                      \
      for (int64_t k = 0; k < rows; k += N) {                                                      \
        V re[N] = {}, im[N] = {};                                                                  \
        for (int i = 0; i < N; ++i) {                                                              \
          if (k + i >= rows) break;                                                                \
          E::load(re[i], out + width * (k + i));                                                   \
          E::load(im[i], out + width * (k + i) + N);                                               \
        }                                                                                          \
        E::turn(re);                                                                               \
        E::turn(im);                                                                               \
        for (int l = 0; l < N; ++l) {                                                              \
          if (l >= valid) break;                                                                   \
          E::store(between + 2 * step * (at + l) + k, re[l]);                                      \
          E::store(between + 2 * step * (at + l) + step + k, im[l]);                               \
        }                                                                                          \
      }                                                                                            \
    }                                                                                              \
    [[gnu::flatten]] attributes static void twiddle(const SquarePlan<T>& plan, int64_t at, T* x) { \
      constexpr int64_t block = SquarePlan<T>::block;                                              \
      const int64_t rows = plan.first.n, n = plan.n();                                             \
      const bool all = plan.coarse.empty();                                                        \
      const T* w = plan.twiddles.data() + (all ? at / block * rows * block * 2 : 0) + at % block;  \
      const auto fine = static_cast<int64_t>(plan.fine.size() / 2);                                \
      const int64_t lead = at / block * block;                                                     \
      for (int64_t k = 0; k < rows; ++k, w += 2 * block, x += width) {                             \
        Cx z, t;                                                                                   \
        E::get(z, x);                                                                              \
        E::load(t.re, w);                                                                          \
        E::load(t.im, w + block);                                                                  \
        if (!all) {                                                                                \
          const int64_t e = lead * k % n;                                                          \
          const double* const a = plan.coarse.data() + 2 * (e / fine);                             \
          const double* const b = plan.fine.data() + 2 * (e % fine);                               \
          E::mul(t, static_cast<T>(a[0] * b[0] - a[1] * b[1]),                                     \
                 static_cast<T>(a[0] * b[1] + a[1] * b[0]));                                       \
        }                                                                                          \
        E::put(x, Cx{z.re * t.re - z.im * t.im, z.re * t.im + z.im * t.re});                       \
      }                                                                                            \
    }                                                                                              \
    [[gnu::flatten]] attributes static void second(const SquarePlan<T>& plan, const T* between,    \
                                                   int64_t at, T* to, bool swapped, T scale,       \
                                                   T* scratch) {                                   \
      const int64_t rows = plan.first.n, columns = plan.second.n, step = plan.step();              \
      const int64_t valid = rows - at < N ? rows - at : N;                                         \
      for (int64_t j = 0; j < columns; ++j) {                                                      \
        Cx z;                                                                                      \
        E::load(z.re, between + 2 * step * j + at);                                                \
        E::load(z.im, between + 2 * step * j + step + at);                                         \
        E::put(scratch + width * j, z);                                                            \
      }                                                                                            \
      const T* const out = transform(plan.second, scratch);                                        \
      for (int64_t k = 0; k < columns; ++k) {                                                      \
        Cx z;                                                                                      \
        E::get(z, out + width * k);                                                                \
        E::put_pairs(to + 2 * (rows * k + at), z, valid, swapped, scale);                          \
      }                                                                                            \
    }                                                                                              \
    [[gnu::flatten]] attributes static void real_out(const T* half, const T* roots, int64_t h,     \
                                                     T* to) {                                      \
      ends_out(half, h, to);                                                                       \
      for (int64_t k = 1; k <= h / 2; ++k) {                                                       \
        const T *a = half + 2 * k, *b = half + 2 * (h - k), *w = roots + 2 * k;                    \
        const T er = (a[0] + b[0]) / 2, ei = (a[1] - b[1]) / 2;                                    \
        const T or_ = (a[1] + b[1]) / 2, oi = (b[0] - a[0]) / 2;                                   \
        const T wr = or_ * w[0] - oi * w[1], wi = or_ * w[1] + oi * w[0];                          \
        T *x = to + 2 * k, *y = to + 2 * (h - k);                                                  \
        y[0] = er - wr;                                                                            \
        y[1] = wi - ei;                                                                            \
        x[0] = er + wr;                                                                            \
        x[1] = ei + wi;                                                                            \
      }                                                                                            \
    }                                                                                              \
    static void ends_out(const T* half, int64_t h, T* to) {                                        \
      to[0] = half[0] + half[1];                                                                   \
      to[2 * h] = half[0] - half[1];                                                               \
      to[1] = to[2 * h + 1] = 0;                                                                   \
    }                                                                                              \
    [[gnu::flatten]] attributes static void real_in(const T* from, const T* roots, int64_t h,      \
                                                    T* half) {                                     \
      half[0] = (from[0] + from[2 * h]) / 2;                                                       \
      half[1] = (from[0] - from[2 * h]) / 2;                                                       \
      for (int64_t k = 1; k <= h / 2; ++k) {                                                       \
        const T *a = from + 2 * k, *b = from + 2 * (h - k), *w = roots + 2 * k;                    \
        const T er = (a[0] + b[0]) / 2, ei = (a[1] - b[1]) / 2;                                    \
        const T dr = (a[0] - b[0]) / 2, di = (a[1] + b[1]) / 2;                                    \
        const T or_ = dr * w[0] + di * w[1], oi = di * w[0] - dr * w[1];                           \
        T *x = half + 2 * k, *y = half + 2 * (h - k);                                              \
        y[0] = er + oi;                                                                            \
        y[1] = or_ - ei;                                                                           \
        x[0] = er - oi;                                                                            \
        x[1] = ei + or_;                                                                           \
      }                                                                                            \
    }                                                                                              \
    [[gnu::flatten]] attributes static void multiply(const T* x, const T* y, int64_t n,            \
                                                     bool conjugated, T* to) {                     \
      const T sign = conjugated ? T(-1) : T(1);                                                    \
      for (int64_t j = 0; j < n; j += N) {                                                         \
        const int64_t few = n - j < N ? n - j : N;                                                 \
        Cx a, b;                                                                                   \
        E::get_pairs(a, x + 2 * j, few, false);                                                    \
        E::get_pairs(b, y + 2 * j, few, false);                                                    \
        const Cx r{a.re * b.re - a.im * b.im, (a.re * b.im + a.im * b.re) * sign};                 \
        E::put_pairs(to + 2 * j, r, few, false, 1);                                                \
      }                                                                                            \
    }                                                                                              \
    static constexpr Kernels<T> table{                                                             \
        N, rows, columns, first, second, real_out, real_in, multiply};                             \
  }

WEFT_FFT_KERNELS(Plain, 16, );
WEFT_FFT_KERNELS(Avx2, 32, WEFT_FOR_V3);
WEFT_FFT_KERNELS(Avx512, 64, WEFT_FOR_V4);
#undef WEFT_FFT_KERNELS

}  // namespace

template <class T>
const Kernels<T>& kernels() {
  return for_cpu(Plain<T>::table, Avx2<T>::table, Avx512<T>::table);
}
template const Kernels<float>& kernels<float>();
template const Kernels<double>& kernels<double>();

}  // namespace weft::native::fft
