// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/native/product_tiles.cpp: a tile is a few rows and vectors of columns of the result. Its
// sums stay in registers while a term of each row is multiplied by a row of b.
#include "runtime/native/product_tiles.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

#include "runtime/native/cpu.h"
#include "runtime/native/transpose.h"

namespace weft::native {
namespace {

#if defined(__x86_64__) && defined(__GNUC__)

#define WEFT_INLINE [[gnu::always_inline]] inline

// The operands of a tile: element k of row r of a is a[r * a_row + k * a_term], and b and c have
// contiguous rows. The last vector of columns begins at column `last`, and may overlap the one
// before: both compute the same sums. If `add`, the products are added to c.
template <class T>
struct TileArgs {
  const T* a;
  int64_t a_row, a_term;
  const T* b;
  int64_t b_row;
  T* c;
  int64_t c_row;
  int64_t last;
  int64_t terms;
  bool add;
};
template <class T>
using TileFn = void (*)(const TileArgs<T>&);

// A tile of `rows` rows and `columns` vectors. Compilers contract no multiply-adds
// (-ffp-contract=off), so they are written in assembly.
template <class T, int bytes, int rows, int columns>
struct Tile {
  typedef T Vector __attribute__((vector_size(bytes)));
  static constexpr int64_t width = bytes / static_cast<int>(sizeof(T));
  Vector sum[rows * columns], b[columns];

  WEFT_INLINE static void load(Vector& x, const T* at) { std::memcpy(&x, at, sizeof x); }
  WEFT_INLINE static void add_product(Vector& sum, const Vector& x, const Vector& y) {
    if constexpr (std::is_same_v<T, float>)
      asm("vfmadd231ps %2, %1, %0" : "+v"(sum) : "v"(x), "v"(y));
    else
      asm("vfmadd231pd %2, %1, %0" : "+v"(sum) : "v"(x), "v"(y));
  }
  WEFT_INLINE static void broadcast(Vector& x, const T* at) {
    if constexpr (std::is_same_v<T, float>)
      asm("vbroadcastss %1, %0" : "=v"(x) : "m"(*at));
    else
      asm("vbroadcastsd %1, %0" : "=v"(x) : "m"(*at));
  }
  // The first column of vector j.
  WEFT_INLINE static int64_t column(int j, int64_t last) {
    return j == columns - 1 ? last : j * width;
  }
  template <int... j>
  WEFT_INLINE void load_b(const T* at, int64_t last, std::integer_sequence<int, j...>) {
    (load(b[j], at + column(j, last)), ...);
  }
  template <int row, int... j>
  WEFT_INLINE void add_row(const T* a, std::integer_sequence<int, j...>) {
    Vector x;
    broadcast(x, a);
    (add_product(sum[row * columns + j], x, b[j]), ...);
  }
  template <int... row>
  WEFT_INLINE void add_term(const T* a, int64_t a_row, std::integer_sequence<int, row...>) {
    (add_row<row>(a + row * a_row, std::make_integer_sequence<int, columns>()), ...);
  }
  template <int... i>
  WEFT_INLINE void start(const TileArgs<T>& g, std::integer_sequence<int, i...>) {
    if (g.add)
      (load(sum[i], g.c + i / columns * g.c_row + column(i % columns, g.last)), ...);
    else
      ((sum[i] = Vector{}), ...);
  }
  template <int... i>
  WEFT_INLINE void store(const TileArgs<T>& g, std::integer_sequence<int, i...>) const {
    (std::memcpy(g.c + i / columns * g.c_row + column(i % columns, g.last), &sum[i],
                 sizeof(Vector)),
     ...);
  }
  WEFT_INLINE void run(const TileArgs<T>& g) {
    constexpr std::make_integer_sequence<int, rows * columns> all;
    start(g, all);
    const T *a = g.a, *at = g.b;
    for (int64_t k = 0; k < g.terms; ++k, a += g.a_term, at += g.b_row) {
      load_b(at, g.last, std::make_integer_sequence<int, columns>());
      add_term(a, g.a_row, std::make_integer_sequence<int, rows>());
    }
    store(g, all);
  }
};

template <class T, int bytes, int rows, int columns>
[[gnu::flatten]] WEFT_FOR_V3 void v3(const TileArgs<T>& g) {
  Tile<T, bytes, rows, columns> t;
  t.run(g);
}
template <class T, int bytes, int rows, int columns>
[[gnu::flatten]] WEFT_FOR_V4 void v4(const TileArgs<T>& g) {
  Tile<T, bytes, rows, columns> t;
  t.run(g);
}

// The tiles of a processor level, with vectors of `bytes`. `wide[r]` is the largest number of
// vectors of a tile of r rows: as many sums as leave registers for a row of b and a term of a. A
// strip of columns has tiles of one width; a rest has narrower ones.
constexpr int most_rows = 8, most_columns = 8;
template <class T>
struct Tiles {
  int rows, width;
  std::array<int, most_rows + 1> wide;
  std::array<std::array<TileFn<T>, most_columns + 1>, most_rows + 1> run;  // [rows][columns]
};
constexpr bool is_tile(int wide, int columns) {
  return columns <= wide && (columns <= 4 || columns == wide);
}
template <class T, bool avx512, int bytes, int rows, int columns, int wide>
constexpr TileFn<T> tile() {
  if constexpr (!is_tile(wide, columns) || columns == 0)
    return nullptr;
  else if constexpr (avx512)
    return v4<T, bytes, rows, columns>;
  else
    return v3<T, bytes, rows, columns>;
}
template <class T, bool avx512, int bytes, int rows, int wide, int... columns>
constexpr std::array<TileFn<T>, most_columns + 1> row_of(std::integer_sequence<int, columns...>) {
  return {tile<T, avx512, bytes, rows, columns, wide>()...};
}
template <class T, bool avx512>
constexpr int widest(int rows) {
  constexpr std::array<int, 9> v4{0, 8, 8, 6, 6, 4, 4, 3, 3}, v3{0, 8, 4, 4, 3, 1, 1, 1, 1};
  return (avx512 ? v4 : v3)[static_cast<size_t>(rows)];
}
template <class T, bool avx512, int bytes, int... rows>
constexpr Tiles<T> tiles_of(std::integer_sequence<int, rows...>) {
  return {avx512 ? 8 : 4,
          bytes / static_cast<int>(sizeof(T)),
          {widest<T, avx512>(rows)...},
          {row_of<T, avx512, bytes, rows, widest<T, avx512>(rows)>(
              std::make_integer_sequence<int, most_columns + 1>())...}};
}
// The tiles for n columns, which fill at least one vector.
template <class T>
const Tiles<T>& tiles(int64_t n) {
  constexpr std::make_integer_sequence<int, most_rows + 1> all;
  constexpr int least = least_tile_columns * static_cast<int>(sizeof(T));
  static constexpr Tiles<T> v3 = tiles_of<T, false, 32>(all),
                            short_v3 = tiles_of<T, false, least>(all),
                            v4 = tiles_of<T, true, 64>(all), middle_v4 = tiles_of<T, true, 32>(all),
                            short_v4 = tiles_of<T, true, least>(all);
  return for_cpu<Tiles<T>>(v3, n < v3.width ? short_v3 : v3,
                           n < middle_v4.width ? short_v4
                           : n < v4.width      ? middle_v4
                                               : v4);
}

// Copies columns of b, which may be transposed, to the rows of a strip: `width` elements for each
// term. Elements from `columns` on are not written.
template <class T>
class Packer {
 public:
  Packer(const Gemm& g, int64_t block) : g_(g), block_(block) {}
  // The strip begins at term k and column `first`.
  void operator()(const T* b, int64_t k, int64_t terms, int64_t first, int64_t columns,
                  int64_t width, T* to) const {
    if (!g_.trans_b) {
      for (int64_t i = 0; i < terms; ++i)
        std::memcpy(to + i * width, b + (k + i) * g_.ldb + first,
                    static_cast<size_t>(columns) * sizeof(T));
      return;
    }
    Starts starts;
    for (size_t i = 0; i < starts.from.size(); ++i) {
      starts.from[i] = static_cast<int64_t>(i * sizeof(T)) * g_.ldb;
      starts.to[i] = static_cast<int64_t>(i * sizeof(T)) * width;
    }
    turned(b + first * g_.ldb + k, terms, columns, width, to, block_, starts);
  }

 private:
  // The transpose of square blocks of `size` elements.
  static compiler::TurnFn turn_of(int64_t size) {
    for (const compiler::Transpose& t : compiler::transposes())
      if (t.name == compiler::transpose_name(sizeof(T), static_cast<int>(size))) return t.run;
    return nullptr;
  }
  static compiler::TurnFn turn(int64_t size) {
    static const std::array<compiler::TurnFn, 3> all{turn_of(4), turn_of(8), turn_of(16)};
    return all[size == 4 ? 0 : size == 8 ? 1 : 2];
  }
  // Where the rows of a block begin, in bytes.
  struct Starts {
    std::array<int64_t, 16> from, to;
  };
  // Transposes rows of b in square blocks of `size` elements, and what they leave in smaller ones.
  void turned(const T* b, int64_t terms, int64_t columns, int64_t width, T* to, int64_t size,
              const Starts& starts) const {
    constexpr int64_t smallest = 4;
    if (terms == 0 || columns == 0) return;
    if (size < smallest) return one_by_one(b, terms, columns, width, to);
    const int64_t deep = terms / size * size, wide = columns / size * size;
    const compiler::TurnFn turn_block = turn(size);
    for (int64_t j = 0; j < wide; j += size)
      for (int64_t k = 0; k < deep; k += size)
        turn_block(reinterpret_cast<char*>(to + k * width + j), starts.to.data(),
                   reinterpret_cast<const char*>(b + j * g_.ldb + k), starts.from.data(), 0);
    turned(b + deep, terms - deep, wide, width, to + deep * width, size / 2, starts);
    turned(b + wide * g_.ldb, terms, columns - wide, width, to + wide, size / 2, starts);
  }
  void one_by_one(const T* b, int64_t terms, int64_t columns, int64_t width, T* to) const {
    for (int64_t k = 0; k < terms; ++k)
      for (int64_t j = 0; j < columns; ++j) to[k * width + j] = b[j * g_.ldb + k];
  }
  const Gemm& g_;
  int64_t block_;
};

// The terms and the bytes of a row of a packed strip, which stays in L1.
constexpr int64_t packed_terms = 128, packed_row = 4 * 64;
// From so many rows and terms on, a b that is not transposed is packed, too. The rows of a long
// strip are in many pages, which the tiles of all rows would load again.
constexpr int64_t packed_from_rows = 64, packed_from_terms = 256;

template <class T>
class TiledProduct {
 public:
  TiledProduct(const Gemm& g, const T* a, const T* b, T* c)
      : g_(g), a_(a), b_(b), c_(c), tiles_(tiles<T>(g.n)), pack_(g, tiles_.width) {
    // A single vector of columns leaves registers for more rows.
    const int64_t most = g.n < 2 * tiles_.width ? most_rows : tiles_.rows;
    parts_ = (g.m + most - 1) / most;
    const auto rows = static_cast<size_t>((g.m + parts_ - 1) / parts_);
    const int64_t width = tiles_.width, vectors = (g.n + width - 1) / width,
                  most_packed = packed_row / static_cast<int64_t>(sizeof(T)) / width;
    const int64_t widest =
        g.trans_b ? std::min<int64_t>(tiles_.wide[rows], most_packed) : tiles_.wide[rows];
    for (int64_t at = 0; at < vectors;) {
      // Strips of about the same width: a narrow one loads a term of a for few products.
      const int64_t left = vectors - at, strips = (left + widest - 1) / widest;
      int64_t wide = (left + strips - 1) / strips;
      while (!tiles_.run[rows][static_cast<size_t>(wide)]) --wide;
      strip(at * width, wide, std::min(wide * width, g.n - at * width));
      at += wide;
    }
  }

 private:
  // Computes `columns` columns from `first` on, in `vectors`. The last vector overlaps the one
  // before if the columns do not fill it. A single one begins before `first`.
  void strip(int64_t first, int64_t vectors, int64_t columns) {
    if (columns < tiles_.width) {
      first += columns - tiles_.width;
      columns = tiles_.width;
    }
    const int64_t width = vectors * tiles_.width;
    const bool pack = width * static_cast<int64_t>(sizeof(T)) <= packed_row &&
                      (g_.trans_b || (g_.m >= packed_from_rows && g_.k >= packed_from_terms));
    if (!pack) return rows(vectors, columns, 0, g_.k, b_ + first, g_.ldb, c_ + first, g_.ldc);
    alignas(64) T packed[packed_terms * packed_row / sizeof(T)];
    const int64_t blocks = (g_.k + packed_terms - 1) / packed_terms;
    for (int64_t i = 0; i < blocks; ++i) {
      const int64_t k = g_.k * i / blocks, terms = g_.k * (i + 1) / blocks - k;
      pack_(b_, k, terms, first, columns, width, packed);
      rows(vectors, columns, k, terms, packed, width, c_ + first, g_.ldc);
    }
  }
  // Adds terms from k on for all rows.
  void rows(int64_t vectors, int64_t columns, int64_t k, int64_t terms, const T* b, int64_t b_row,
            T* c, int64_t c_row) {
    for (int64_t p = 0, m = 0; p < parts_; ++p) {
      const int64_t end = g_.m * (p + 1) / parts_;
      run(end - m, vectors,
          {row_of_a(m) + k * a_term(), a_row(), a_term(), b, b_row, c + m * c_row, c_row,
           columns - tiles_.width, terms, k > 0});
      m = end;
    }
  }
  void run(int64_t rows, int64_t vectors, const TileArgs<T>& args) {
    tiles_.run[static_cast<size_t>(rows)][static_cast<size_t>(vectors)](args);
  }
  int64_t a_row() const { return g_.trans_a ? 1 : g_.lda; }
  int64_t a_term() const { return g_.trans_a ? g_.lda : 1; }
  const T* row_of_a(int64_t m) const { return a_ + m * a_row(); }

  const Gemm& g_;
  const T *a_, *b_;
  T* c_;
  const Tiles<T>& tiles_;
  const Packer<T> pack_;
  int64_t parts_;
};

// Computes a block of rows after another. Its rows of a and c stay in L2 while the strips of
// columns pass over them. A block has some rows, because each block packs b again.
template <class T>
void by_blocks(const Gemm& g, const T* a, const T* b, T* c) {
  constexpr int64_t most_bytes = int64_t{1} << 18, least_rows = 96;
  const int64_t row_bytes = (g.k + g.n) * static_cast<int64_t>(sizeof(T));
  const int64_t rows = std::max(least_rows, most_bytes / row_bytes / most_rows * most_rows);
  for (int64_t at = 0; at < g.m; at += rows) {
    Gemm block = g;
    block.m = std::min(rows, g.m - at);
    TiledProduct<T>(block, a + at * (g.trans_a ? 1 : g.lda), b, c + at * g.ldc);
  }
}

#undef WEFT_INLINE

}  // namespace

bool has_product_tiles() { return cpu_level() >= CpuLevel::v3; }
void multiply_in_tiles(const Gemm& g, const float* a, const float* b, float* c) {
  by_blocks(g, a, b, c);
}
void multiply_in_tiles(const Gemm& g, const double* a, const double* b, double* c) {
  by_blocks(g, a, b, c);
}

#else

}  // namespace

bool has_product_tiles() { return false; }
void multiply_in_tiles(const Gemm&, const float*, const float*, float*) {}
void multiply_in_tiles(const Gemm&, const double*, const double*, double*) {}

#endif

}  // namespace weft::native
