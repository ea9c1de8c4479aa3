// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/ops/sort_test.cpp: compares sort and top_k with std::stable_sort in the documented order,
// to the bit. The cases have every dtype, length and layout of rows that the native code
// distinguishes.
#include "ops/index/sort.h"

#include <algorithm>
#include <compare>
#include <cstring>
#include <limits>
#include <numeric>

#include "jit/forced.h"
#include "laws/values.h"
#include "support/check.h"
#include "tracer/eval_trace.h"
#include "tracer/record_trace.h"
#include "tracer/types_of.h"

using namespace weft;
using namespace weft::test;
using laws::Random;

namespace {

template <class T>
constexpr bool narrow = std::is_same_v<T, float16_t> || std::is_same_v<T, bfloat16_t>;

template <class T>
bool before(const T& a, const T& b) {
  if constexpr (is_complex(dtype_of_v<T>))
    return before(a.re, b.re) || (!before(b.re, a.re) && before(a.im, b.im));
  else if constexpr (narrow<T>)
    return before(static_cast<float>(a), static_cast<float>(b));
  else
    return a < b || (b != b && a == a);
}
template <class T>
bool below_for_top(const T& a, const T& b) {
  if constexpr (narrow<T>)
    return below_for_top(static_cast<float>(a), static_cast<float>(b));
  else if constexpr (std::is_floating_point_v<T>)
    return std::isnan(a) || std::isnan(b) ? !std::isnan(a) && std::isnan(b)
                                          : std::strong_order(a, b) < 0;
  else
    return a < b;
}

// ---- the operands

enum class Kind { bits, few, equal, rising, falling, special };
constexpr Kind kinds[] = {Kind::bits,   Kind::few,     Kind::equal,
                          Kind::rising, Kind::falling, Kind::special};

template <class T>
T of_bits(uint64_t w) {
  T x;
  std::memcpy(static_cast<void*>(&x), &w, sizeof(T));
  return x;
}
// Returns zeros, infinities and NaNs of both signs, NaNs with several payloads, and other numbers.
template <class T>
T special(Random& r) {
  if constexpr (is_floating(dtype_of_v<T>)) {
    constexpr int bits = 8 * sizeof(T);
    constexpr int mantissa = sizeof(T) == 8         ? 52
                             : sizeof(T) == 4       ? 23
                             : dtype_of_v<T> == F16 ? 10
                                                    : 7;
    const uint64_t sign = r.word() % 2 << (bits - 1),
                   infinity = ((uint64_t{1} << (bits - 1 - mantissa)) - 1) << mantissa;
    switch (r.word() % 6) {
      case 0:
      case 1: return of_bits<T>(sign);
      case 2: return of_bits<T>(sign | infinity);
      case 3: return of_bits<T>(sign | infinity | (uint64_t{1} << (mantissa - 1)));
      case 4: return of_bits<T>(sign | infinity | (1 + r.word() % 3));
      default: return of_bits<T>(sign | (r.word() % 3 << mantissa) | 1);
    }
  } else {
    using L = std::numeric_limits<T>;
    const T all[] = {L::min(), L::max(), T(0), T(1), static_cast<T>(L::max() - 1)};
    return all[r.word() % 5];
  }
}
template <class T>
T element(Random& r, Kind k, int64_t i, int64_t n) {
  if constexpr (is_complex(dtype_of_v<T>)) {
    using R = decltype(T{}.re);
    return {element<R>(r, k == Kind::bits && i % 2 == 0 ? Kind::few : k, i, n),
            element<R>(r, k, i, n)};
  } else if constexpr (std::is_same_v<T, bool>) {
    return r.word() % 2 != 0;
  } else {
    const auto number = [](int64_t x) {
      if constexpr (narrow<T>)
        return T(static_cast<float>(x));
      else
        return static_cast<T>(x);
    };
    switch (k) {
      case Kind::bits: return of_bits<T>(r.word());
      case Kind::few: return number(static_cast<int64_t>(r.word() % 5));
      case Kind::equal: return number(3);
      case Kind::rising: return number(i % 100000);
      case Kind::falling: return number((n - i) % 100000);
      default: return special<T>(r);
    }
  }
}

Array drawn(Random& r, DType d, const Shape& s, Kind k) {
  const Fresh f = fresh_array(Type(d, s));
  if (is_key(d)) d = U64;
  with_dtype(d, [&](auto* q) {
    using T = std::remove_pointer_t<decltype(q)>;
    T* x = static_cast<T*>(f.data);
    for (int64_t i = 0; i < s.elements(); ++i) x[i] = element<T>(r, k, i, s.elements());
  });
  return f.array;
}

// Kernels make signaling NaNs of narrow floats quiet.
Array quiet(Random& r, DType d, const Shape& s, Kind k) {
  const Array x = drawn(r, d, s, k);
  if (d != F16 && d != BF16) return x;
  const uint16_t infinity = d == F16 ? 0x7c00 : 0x7f80, bit = d == F16 ? 0x200 : 0x40;
  const Fresh f = fresh_array(x.type());
  for (int64_t i = 0; i < s.elements(); ++i) {
    const uint16_t b = static_cast<const uint16_t*>(concrete(x).data())[i];
    static_cast<uint16_t*>(f.data)[i] = (b & 0x7fff) > infinity ? b | bit : b;
  }
  return f.array;
}

// ---- the expected results

// Returns the positions of the elements of row `row`.
std::vector<int64_t> places(const Shape& s, int64_t axis, int64_t row) {
  int64_t step = 1;
  for (int64_t a = axis + 1; a < s.ndim(); ++a) step *= s[a];
  std::vector<int64_t> r;
  for (int64_t i = 0; i < s[axis]; ++i) r.push_back((row / step * s[axis] + i) * step + row % step);
  return r;
}
int compare(const Array& x, int64_t i, int64_t j) {
  int c = 0;
  with_dtype(x.dtype(), [&](auto* q) {
    using T = std::remove_pointer_t<decltype(q)>;
    const T* v = data_of<T>(x);
    c = before(v[i], v[j]) ? -1 : before(v[j], v[i]) ? 1 : 0;
  });
  return c;
}
const std::byte* at(const Array& x, int64_t i) {
  return data_of<std::byte>(x) + i * itemsize(x.dtype());
}

std::string what(const Array& x, int64_t axis, Kind k) {
  return fmt::format("{} axis {} kind {}", to_string(x.type()), axis, static_cast<int>(k));
}

// How to compute `f`: by native code, or by the steps that GPU threads share.
using Run = Arrays (*)(const Arrays& x, FunctionRef<Arrays(const Arrays&)> f);
Arrays as_it_is(const Arrays& x, FunctionRef<Arrays(const Arrays&)> f) { return f(x); }
Arrays in_steps(const Arrays& x, FunctionRef<Arrays(const Arrays&)> f) {
  const compiler::Forced forced{{"", "this test"},
                                {{{"sort", "expanded"}, {"top_k", "expanded"}}, "this test"}};
  const compiler::ForcedScope scope(forced);
  return run_compiled(record(types_of(x), f).jaxpr, x);
}

void check_sort(const Arrays& x, int64_t axis, int64_t keys, Kind k, Run run = as_it_is) {
  const Arrays got = run(x, [&](const Arrays& v) { return sort_arrays(v, axis, keys); });
  const Shape& s = x[0].shape();
  const int64_t rows = s[axis] == 0 ? 0 : s.elements() / s[axis];
  int64_t wrong = 0;
  for (int64_t row = 0; row < rows; ++row) {
    const std::vector<int64_t> from = places(s, axis, row);
    std::vector<int64_t> order = from;
    std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) {
      for (size_t q = 0; q < static_cast<size_t>(keys); ++q)
        if (const int c = compare(x[q], i, j)) return c < 0;
      return false;
    });
    for (size_t q = 0; q < x.size(); ++q)
      for (size_t i = 0; i < from.size(); ++i)
        wrong += std::memcmp(at(got[q], from[i]), at(x[q], order[i]),
                             static_cast<size_t>(itemsize(x[q].dtype()))) != 0;
  }
  INFO(what(x[0], axis, k) << ", operands " << x.size() << ", keys " << keys);
  CHECK(wrong == 0);
}

void check_top(const Array& x, int64_t k, int64_t axis, Kind kind, Run run = as_it_is) {
  const Arrays got = run({x}, [&](const Arrays& v) {
    const auto [best, at] = top_k_along(v[0], k, axis);
    return Arrays{best, at};
  });
  const Array &values = got[0], &indices = got[1];
  const Shape& s = x.shape();
  const Shape to = s.with(static_cast<int>(axis), k);
  const int64_t rows = s[axis] == 0 || k == 0 ? 0 : s.elements() / s[axis];
  int64_t wrong = 0;
  for (int64_t row = 0; row < rows; ++row) {
    const std::vector<int64_t> from = places(s, axis, row), out = places(to, axis, row);
    std::vector<int32_t> order(from.size());
    std::iota(order.begin(), order.end(), 0);
    with_dtype(x.dtype(), [&](auto* q) {
      using T = std::remove_pointer_t<decltype(q)>;
      const T* v = data_of<T>(x);
      if constexpr (!is_complex(dtype_of_v<T>))
        std::stable_sort(order.begin(), order.end(), [&](int32_t i, int32_t j) {
          return below_for_top(v[from[static_cast<size_t>(j)]], v[from[static_cast<size_t>(i)]]);
        });
    });
    for (size_t i = 0; i < out.size(); ++i)
      wrong += data_of<int32_t>(indices)[out[i]] != order[i] ||
               std::memcmp(at(values, out[i]), at(x, from[static_cast<size_t>(order[i])]),
                           static_cast<size_t>(itemsize(x.dtype()))) != 0;
  }
  INFO(what(x, axis, kind) << ", k " << k);
  CHECK(wrong == 0);
}

constexpr DType sortable[] = {Bool, I8,   I16, I32, I64, U8,  U16, U32,
                              U64,  BF16, F16, F32, F64, C64, C128};

// Runs the native code itself, without compiling a program for each shape.
struct Setting {
  ReferenceMode reference;
  Setting(int threads) { set_num_threads(threads); }
  ~Setting() { set_num_threads(0); }
};

void check_operands(Random& r, DType d, const Shape& s, int64_t axis, Kind k) {
  const Array x = drawn(r, d, s, k);
  check_sort({x}, axis, 1, k);
  check_sort({x, drawn(r, F32, s, Kind::bits)}, axis, 1, k);
  check_sort({x, drawn(r, I8, s, Kind::bits), drawn(r, C128, s, Kind::bits),
              drawn(r, Key, s, Kind::bits), drawn(r, BF16, s, Kind::bits)},
             axis, 1, k);
  check_sort({drawn(r, I16, s, Kind::few), x, drawn(r, I32, s, Kind::bits)}, axis, 2, k);
}

}  // namespace

TEST_CASE("sort gives the stable order of short rows, side by side and alone") {
  const Setting one(1);
  Random r(1);
  for (DType d : sortable)
    for (Kind k : kinds) {
      for (int64_t n : {0, 1, 2, 3, 15, 16, 17, 128}) {
        check_operands(r, d, {n}, 0, k);
        check_operands(r, d, {19, n}, 1, k);
        check_operands(r, d, {2, n, 5}, 1, k);
      }
      check_operands(r, d, {17, 1000}, 1, k);
      check_operands(r, d, {1000, 3}, 0, k);
    }
}

TEST_CASE("sort gives the stable order of long rows, shared among threads") {
  Random r(2);
  for (int threads : {1, 2, 3}) {
    const Setting several(threads);
    for (DType d : sortable) {
      const Kind k = threads == 2 ? Kind::special : Kind::bits;
      check_operands(r, d, {70000}, 0, k);
    }
    check_operands(r, F32, {70000, 2}, 0, Kind::special);
    check_operands(r, I32, {70000}, 0, Kind::equal);
    check_operands(r, F64, {70000}, 0, Kind::falling);
    check_operands(r, BF16, {3, 9000}, 1, Kind::bits);
  }
}

TEST_CASE("sort and top_k give the same bits for any number of threads") {
  Random r(3);
  for (const Shape& s : {Shape{300000}, Shape{900, 301}, Shape{3, 50000}}) {
    const Array x = drawn(r, F32, s, Kind::special), y = drawn(r, I32, s, Kind::bits);
    const auto run = [&](int threads) {
      const Setting setting(threads);
      Arrays all = sort_arrays({x}, s.ndim() - 1);
      for (const Array& a : sort_arrays({x, y}, s.ndim() - 1)) all.push_back(a);
      for (int64_t k : {7, 300}) {
        const auto [v, i] = top_k_along(x, k, s.ndim() - 1);
        all.insert(all.end(), {v, i});
      }
      return all;
    };
    const Arrays one = run(1);
    for (int threads : {2, 5}) {
      const Arrays several = run(threads);
      for (size_t i = 0; i < one.size(); ++i)
        CHECK(std::memcmp(at(one[i], 0), at(several[i], 0),
                          static_cast<size_t>(one[i].type().bytes())) == 0);
    }
  }
}

TEST_CASE("top_k gives the largest, NaN of either sign first, ties by index") {
  Random r(4);
  for (int threads : {1, 2}) {
    const Setting setting(threads);
    for (DType d : sortable) {
      if (is_complex(d)) continue;
      for (Kind kind : kinds) {
        for (int64_t n : {1, 2, 17, 128, 300, 1000})
          for (int64_t k : {int64_t{0}, int64_t{1}, n / 10, n / 2, n})
            check_top(drawn(r, d, {5, n}, kind), k, 1, kind);
        check_top(drawn(r, d, {1000, 3}, kind), 10, 0, kind);
        check_top(drawn(r, d, {9000}, kind), 33, 0, kind);
      }
      for (int64_t k : {10, 5000, 40000})
        check_top(drawn(r, d, {70000}, Kind::few), k, 0, Kind::few);
    }
    // The largest elements are concentrated in few places, and the threshold keeps rising.
    for (int64_t k : {10, 1000}) {
      check_top(drawn(r, F32, {70000}, Kind::rising), k, 0, Kind::rising);
      check_top(drawn(r, F64, {70000, 2}, Kind::falling), k, 0, Kind::falling);
    }
  }
}

// Up to 512 elements are sorted by rank, more by runs of 64 with digits of 4 bits.
TEST_CASE("sort in steps that threads share gives the stable order") {
  Random r(7);
  for (DType d : sortable) {
    CAPTURE(d);
    for (Kind k : {Kind::bits, Kind::special}) {
      for (int64_t n : {1, 2, 33}) check_sort({quiet(r, d, {n}, k)}, 0, 1, k, in_steps);
      check_sort({quiet(r, d, {577}, k), drawn(r, I32, {577}, Kind::bits)}, 0, 1, k, in_steps);
    }
    check_sort({quiet(r, d, {2, 640, 3}, Kind::few), drawn(r, U16, {2, 640, 3}, Kind::bits)}, 1, 1,
               Kind::few, in_steps);
  }
  for (Kind k : kinds) {
    check_sort({drawn(r, F32, {20, 17}, k)}, 0, 1, k, in_steps);
    check_sort({drawn(r, F32, {5000}, k), drawn(r, Key, {5000}, Kind::bits)}, 0, 1, k, in_steps);
    const Array first = drawn(r, I8, {700, 2}, Kind::few), second = drawn(r, C64, {700, 2}, k),
                rest = drawn(r, Bool, {700, 2}, Kind::bits);
    check_sort({first, second, rest}, 0, 2, k, in_steps);
    check_sort({drawn(r, C64, {9, 2}, k), drawn(r, F64, {9, 2}, k)}, 0, 2, k, in_steps);
  }
  for (const Shape& s : {Shape{0}, Shape{0, 3}, Shape{3, 0}, Shape{700, 0}})
    check_sort({drawn(r, F32, s, Kind::bits)}, 0, 1, Kind::bits, in_steps);
}

// Up to 32 largest elements are found in blocks of 256. For more, all elements are sorted.
TEST_CASE("top_k in steps that threads share gives the largest, ties by index") {
  Random r(8);
  for (DType d : sortable) {
    if (is_complex(d)) continue;
    CAPTURE(d);
    for (int64_t k : {0, 1, 40})
      check_top(quiet(r, d, {3, 40}, Kind::bits), k, 1, Kind::bits, in_steps);
    check_top(quiet(r, d, {1000, 2}, Kind::special), 7, 0, Kind::special, in_steps);
    check_top(quiet(r, d, {600}, Kind::few), 100, 0, Kind::few, in_steps);
  }
  for (Kind kind : kinds) {
    check_top(drawn(r, F32, {9000}, kind), 32, 0, kind, in_steps);
    check_top(drawn(r, F32, {300}, kind), 300, 0, kind, in_steps);
    check_top(drawn(r, F64, {9000}, kind), 33, 0, kind, in_steps);
  }
}

TEST_CASE("compiled programs sort as the native code does") {
  Random r(5);
  const Array x = drawn(r, F32, {37, 64}, Kind::special);
  Arrays want;
  {
    const ReferenceMode reference;
    want = {sort_arrays({x}, 1)[0], top_k_along(x, 5, 1).first};
  }
  const auto f = jit([](Array v) { return vmap([](Array row) { return sort(row); })(v); });
  const auto g =
      jit([](Array v) { return vmap([](Array row) { return top_k(row, 5).first; })(v); });
  const Arrays got = {f(x), g(x)};
  for (size_t i = 0; i < want.size(); ++i)
    CHECK(std::memcmp(at(got[i], 0), at(want[i], 0), static_cast<size_t>(want[i].type().bytes())) ==
          0);
}

TEST_CASE("a sort whose memory is above the limit raises OutOfMemoryError") {
  Random r(6);
  const Array x = drawn(r, F32, {200000}, Kind::bits);
  const Array rows = drawn(r, F32, {2000, 100}, Kind::bits);
  for (int threads : {1, 2}) {
    const Setting setting(threads);
    // The limit has room for the result, but not for the temporaries of the sort.
    set_memory_limit(memory_in_use() + x.type().bytes() + 1000);
    const std::string sorting = error_of<OutOfMemoryError>([&] { sort_arrays({x}, 0); }),
                      short_rows = error_of<OutOfMemoryError>([&] { sort_arrays({rows}, 1); });
    set_memory_limit(memory_in_use() + 1000 * 8 + 1000);
    const std::string top = error_of<OutOfMemoryError>([&] { top_k_along(x, 1000, 0); });
    set_memory_limit(0);
    for (const std::string& text : {sorting, short_rows, top})
      CHECK(text.find("cannot allocate") != std::string::npos);
  }
  check_sort({x}, 0, 1, Kind::bits);
}
