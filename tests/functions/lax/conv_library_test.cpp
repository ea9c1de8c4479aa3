// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/lax/conv_library_test.cpp: convolutions by the library have the values of the
// reference: random strides, dilations, padding and groups, their gradients, and maps of them.
#include <algorithm>

#include "ops/kit/sample_numbers.h"
#include "support/check.h"
#include "support/share.h"
#include "tracer/eval_trace.h"

namespace weft {
namespace {

using namespace test;

using Sizes = std::vector<int64_t>;

// Returns integers from -2 to 2, so that sums do not round.
Array small_integers(const Shape& s, int step) {
  return ((arange(s.elements()) * step) % 5 - 2).astype(F32).reshape(s);
}

struct Random {
  SampleNumbers numbers;
  int64_t from(int64_t lo, int64_t hi) {  // both included
    return lo + static_cast<int64_t>(numbers.word() % static_cast<uint64_t>(hi - lo + 1));
  }
};

struct ConvCase {
  Sizes lhs, rhs, strides;
  std::vector<std::pair<int64_t, int64_t>> padding;
  lax::ConvDilatedOptions o;
  Array operator()(const Array& x, const Array& k) const {
    return lax::conv_general_dilated(x, k, strides, padding, o);
  }
  static bool ones(const Sizes& v) {
    return std::all_of(v.begin(), v.end(), [](int64_t i) { return i == 1; });
  }
  // The library has either strides or a dilation of lhs.
  bool by_library() const { return ones(strides) || ones(o.lhs_dilation); }
  bool kernel_gradient_by_library() const {
    return by_library() &&
           (ones(o.lhs_dilation) || o.batch_group_count == 1 || ones(o.rhs_dilation));
  }
  std::string text() const {
    const auto list = [](const Sizes& v) {
      std::string s;
      for (int64_t i : v) s += (s.empty() ? "" : " ") + std::to_string(i);
      return "[" + s + "]";
    };
    std::string s = list(lhs) + " * " + list(rhs) + " strides " + list(strides) + " dilations " +
                    list(o.lhs_dilation) + list(o.rhs_dilation) + " groups " +
                    std::to_string(o.feature_group_count) + " " +
                    std::to_string(o.batch_group_count) + " " + o.dimension_numbers.lhs;
    for (const auto& [low, high] : padding)
      s += " (" + std::to_string(low) + " " + std::to_string(high) + ")";
    return s;
  }
};

ConvCase drawn_case(uint64_t seed) {
  Random r{SampleNumbers(seed)};
  const int64_t rank = r.from(1, 3),
                most_features = rank == 1   ? 17
                                : rank == 2 ? 5
                                            : 3,
                most = rank == 3 ? 3 : 6;
  const int64_t groups = r.from(0, 2) == 0 ? r.from(2, 3) : 1;
  const bool of_batch = r.from(0, 1) == 1;
  const int64_t taken = r.from(1, most_features), given = r.from(1, most_features) * groups;
  const int64_t batch = r.from(1, 3) * (of_batch ? groups : 1),
                features = taken * (of_batch ? 1 : groups);
  ConvCase c;
  (of_batch ? c.o.batch_group_count : c.o.feature_group_count) = groups;
  const bool last = r.from(0, 1) == 1;
  const int64_t kind = r.from(0, 3);  // of the steps: 0 both, 1 strides, 2, 3 dilations of lhs
  Sizes space, window;
  for (int64_t d = 0; d < rank; ++d) {
    const int64_t n = r.from(1, most), k = r.from(1, rank == 3 ? 2 : most), by = r.from(1, 2);
    const int64_t between = kind == 1 ? 1 : r.from(1, 3), stride = kind >= 2 ? 1 : r.from(1, 3);
    const int64_t low = r.from(-2, 4), padded = (n - 1) * between + 1 + low,
                  high = std::max(r.from(-2, 4), (k - 1) * by + 1 - padded);
    space.push_back(n);
    window.push_back(k);
    c.strides.push_back(stride);
    c.padding.emplace_back(low, high);
    c.o.lhs_dilation.push_back(between);
    c.o.rhs_dilation.push_back(by);
  }
  const auto joined = [](Sizes a, const Sizes& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  };
  if (last) {
    const std::string axes = std::string("DHW").substr(static_cast<size_t>(3 - rank));
    c.o.dimension_numbers = {"N" + axes + "C", axes + "IO", "N" + axes + "C"};
    c.lhs = joined(joined({batch}, space), {features});
    c.rhs = joined(window, {taken, given});
  } else {
    c.lhs = joined({batch, features}, space);
    c.rhs = joined({given, taken}, window);
  }
  return c;
}

const std::vector<std::pair<std::string, std::string>> library = {
    {"conv_general_dilated", "library"}};

// The result for (x, k), compiled; `forced`: each convolution must be run by the library.
template <class F>
Array compiled(const F& f, const Array& x, const Array& k, bool forced) {
  const auto lowered = jit(f).lower(x, k);
  return forced ? lowered.compile({.implementations = library})(x, k) : lowered.compile()(x, k);
}

template <class F>
Array by_reference(const F& f, const Array& x, const Array& k) {
  const ReferenceMode on;
  return f(x, k);
}

template <class F>
void check_all(const F& f, const Array& x, const Array& k, bool forced) {
  const Array expected = by_reference(f, x, k);
  CHECK(array_equal(f(x, k), expected));
  CHECK(array_equal(compiled(f, x, k, forced), expected));
}

}  // namespace

TEST_CASE("convolutions by the library and their gradients are the reference", "[conv][share]") {
  Share share(5);
  for (uint64_t seed = 0; seed < 120; ++seed) {
    if (!share.next()) continue;
    const ConvCase c = drawn_case(seed);
    INFO(c.text());
    const Array x = small_integers(Shape(c.lhs), 7), k = small_integers(Shape(c.rhs), 3);
    const auto f = [&](Array a, Array b) { return c(a, b); };
    check_all(f, x, k, c.by_library());
    const Array ct = small_integers(by_reference(f, x, k).shape(), 11);
    const auto of_lhs = [&](Array a, Array b) {
      return grad([&](Array y) { return (c(y, b) * ct).sum(); })(a);
    };
    const auto of_rhs = [&](Array a, Array b) {
      return grad([&](Array y) { return (c(a, y) * ct).sum(); })(b);
    };
    check_all(of_lhs, x, k, c.by_library());
    check_all(of_rhs, x, k, c.kernel_gradient_by_library());
    const Array weights = small_integers(Shape(c.lhs), 13);
    const auto second = [&](Array a, Array b) {
      return grad([&](Array y) { return (of_lhs(a, y) * weights).sum(); })(b);
    };
    check_all(second, x, k, c.by_library());
  }
}

TEST_CASE("maps of convolutions by the library are loops", "[conv][share]") {
  Share share(5);
  for (uint64_t seed = 1000; seed < 1040; ++seed) {
    if (!share.next()) continue;
    const ConvCase c = drawn_case(seed);
    INFO(c.text());
    const int64_t lanes = 3;
    const auto stacked = [&](const Sizes& s) {
      Sizes all = s;
      all.insert(all.begin(), lanes);
      return Shape(all);
    };
    const Array x = small_integers(stacked(c.lhs), 7), k = small_integers(stacked(c.rhs), 3);
    const auto f = [&](Array a, Array b) { return c(a, b); };
    const auto of_rhs = [&](Array a, Array b) {
      return grad([&](Array y) { return (c(a, y) * c(a, y)).sum(); })(b);
    };
    for (const bool images : {true, false})
      for (const bool kernels : {true, false}) {
        if (!images && !kernels) continue;
        const Array a = images ? x : x[0], b = kernels ? k : k[0];
        const Axes in{images ? Axes(0) : Axes(none), kernels ? Axes(0) : Axes(none)};
        const auto loop = [&](const auto& one) {
          Arrays rows;
          for (int i = 0; i < lanes; ++i)
            rows.push_back(by_reference(one, images ? x[i] : x[0], kernels ? k[i] : k[0]));
          return stack(rows);
        };
        CHECK(array_equal(compiled(vmap(f, in), a, b, c.by_library()), loop(f)));
        CHECK(array_equal(compiled(vmap(of_rhs, in), a, b, false), loop(of_rhs)));
      }
  }
}

TEST_CASE("gradients of strided convolutions are run by the library", "[conv]") {
  const lax::ConvDimensions last = {"NHWC", "HWIO", "NHWC"};
  const auto conv = [&](Array x, Array k) {
    return lax::conv_general_dilated(x, k, {2, 2}, "SAME", {.dimension_numbers = last});
  };
  // Cotangents that are equal along an axis would make the convolutions smaller.
  const auto of_lhs = [&](Array x, Array k, Array w) {
    return grad([&](Array y) { return (conv(y, k) * w).sum(); })(x);
  };
  const auto of_rhs = [&](Array x, Array k, Array w) {
    return grad([&](Array y) { return (conv(x, y) * w).sum(); })(k);
  };
  for (const int64_t size : {13, 14})
    for (const int64_t window : {1, 3}) {
      const Array x = small_integers({8, size, size, 16}, 7),
                  k = small_integers({window, window, 16, 32}, 3),
                  w = small_integers({8, 7, 7, 32}, 5);
      INFO("size " << size << ", window " << window);
      CHECK(holds(jit(of_lhs).lower(x, k, w).report(), "conv_general_dilated: library"));
      CHECK(holds(jit(of_rhs).lower(x, k, w).report(), "conv_general_dilated: library"));
    }
  // The filter gradient of a transposed convolution has no image with gaps.
  const auto up = [&](Array x, Array k) {
    return grad([&](Array y) {
      return lax::conv_general_dilated(x, y, {1, 1}, {{1, 1}, {1, 1}},
                                       {.lhs_dilation = {2, 2}, .dimension_numbers = last})
          .sum();
    })(k);
  };
  const Array x = small_integers({8, 14, 14, 16}, 7), k = small_integers({3, 3, 16, 32}, 3);
  CHECK(holds(jit(up).lower(x, k).report(), "conv_general_dilated: library"));
  CHECK(!holds(jit(up).lower(x, k).optimized(), "lhs_dilation=(2"));
}

TEST_CASE("convolutions do not depend on the number of threads", "[conv][threads]") {
  const Array x = random::normal(random::key(0), {4, 15, 15, 33}),
              k = random::normal(random::key(1), {3, 3, 33, 48});
  const auto conv = [&](Array a, Array b) {
    return lax::conv_general_dilated(a, b, {2, 2}, "SAME",
                                     {.dimension_numbers = {"NHWC", "HWIO", "NHWC"}});
  };
  const auto squares = [&](Array a, Array b) { return (conv(a, b) * conv(a, b)).sum(); };
  const int threads = num_threads();
  for (const bool one : {false, true}) {  // one image is divided, several are not
    const auto of_lhs =
        jit([&](Array a, Array b) { return grad([&](Array y) { return squares(y, b); })(a); });
    const auto of_rhs =
        jit([&](Array a, Array b) { return grad([&](Array y) { return squares(a, y); })(b); });
    const Array a = one ? x[{slice(0, 1)}] : x;
    set_num_threads(1);
    const Array by_lhs = of_lhs(a, k), by_rhs = of_rhs(a, k);
    set_num_threads(2);
    CHECK(array_equal(of_lhs(a, k), by_lhs));
    CHECK(array_equal(of_rhs(a, k), by_rhs));
    set_num_threads(threads);
  }
}

}  // namespace weft
