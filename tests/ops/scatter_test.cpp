// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/ops/scatter_test.cpp: scatters whose operand has no element for an update, and scatters
// that sort the updates by their destination.
#include <functional>

#include "jit/forced.h"
#include "laws/values.h"
#include "ops/index/index.h"
#include "support/check.h"
#include "tracer/eval_trace.h"
#include "tracer/record_trace.h"
#include "tracer/types_of.h"

using namespace weft;
using namespace weft::test;
using laws::Random;

namespace {

// Checks that the reference, sorted updates, and the form that the compiler chooses give the same
// bits.
void check_sorted(const Arrays& x, const std::function<Arrays(const Arrays&)>& f) {
  Arrays want;
  {
    const ReferenceMode reference;
    want = f(x);
  }
  INFO(to_string(types_of(x)));
  const auto check = [&] {
    const Arrays got = run_compiled(record(types_of(x), f).jaxpr, x);
    for (size_t k = 0; k < want.size(); ++k) CHECK(laws::difference(got[k], want[k]) == "");
  };
  check();
  const compiler::Forced forced{{"", "this test"}, {{{"scatter", "expanded"}}, "this test"}};
  const compiler::ForcedScope scope(forced);
  check();
}

}  // namespace

TEST_CASE("Updates sorted by destination are applied in their order") {
  Random r(3);
  const auto drawn = [&](DType d, const Shape& s) {
    return laws::random_array(Type(d, s), -3, 3, r, true);
  };
  const auto places = [&](const Shape& s, double hi) {
    return laws::random_array(Type(I32, s), -2, hi, r);
  };
  for (const Update u : {Update::set, Update::add, Update::mul, Update::min, Update::max})
    for (const OutOfBounds mode : {OutOfBounds::clip, OutOfBounds::zero}) {
      CAPTURE(static_cast<int>(u), static_cast<int>(mode));
      const auto check = [&](DType d, const Shape& s, const Shape& updates, const Shape& indices,
                             const WindowDims& dims) {
        const double hi = static_cast<double>(s[dims.index_map[0]]) + 1;
        check_sorted({drawn(d, s), drawn(d, updates), places(indices, hi)}, [&](const Arrays& x) {
          return Arrays{scatter_windows(x[0], x[2], x[1], dims, u, mode)};
        });
      };
      for (const DType d : {F32, F64, BF16, I8, U64, C64})
        if (!is_complex(d) || u == Update::set || u == Update::add || u == Update::mul)
          check(d, {7}, {600}, {600, 1}, {{}, {0}, {0}, {}, {}});
      // The cases have whole windows, overlapping windows with both orders of the updates' axes,
      // rows, and indices with two components.
      check(F32, {40, 3}, {90, 3}, {90, 1}, {{1}, {0}, {0}, {}, {}});
      check(F32, {9, 3}, {3, 20}, {20, 1}, {{0}, {0}, {1}, {}, {}});
      check(F32, {9}, {4, 50}, {50, 1}, {{0}, {}, {0}, {}, {}});
      check(F32, {9}, {50, 4}, {50, 1}, {{1}, {}, {0}, {}, {}});
      check(F32, {5, 30}, {30, 80}, {30, 80, 1}, {{}, {0}, {0}, {1}, {0}});
      check(F32, {4, 6, 2}, {2, 70}, {70, 2}, {{0}, {0, 1}, {1, 0}, {}, {}});
      // Each element searches a few windows: along axes of the windows, and with windows that move.
      check(F32, {3, 5, 2}, {3, 12, 2}, {12, 1}, {{0, 2}, {1}, {1}, {}, {}});
      check(F32, {4, 9}, {4, 3, 7}, {7, 1}, {{0, 1}, {}, {1}, {}, {}});
      check(F32, {9, 4}, {3, 7, 4}, {7, 1}, {{0, 2}, {}, {0}, {}, {}});
      check(F32, {3, 6}, {3, 100}, {100, 1}, {{0}, {1}, {1}, {}, {}});
    }
  check_sorted({drawn(Bool, {5}), drawn(Bool, {30}), places({30, 1}, 6)}, [&](const Arrays& x) {
    const WindowDims d{{}, {0}, {0}, {}, {}};
    return Arrays{scatter_windows(x[0], x[2], x[1], d, Update::set),
                  scatter_windows(x[0], x[2], x[1], d, Update::min),
                  scatter_windows(x[0], x[2], x[1], d, Update::max)};
  });
}

TEST_CASE("Nothing is written to an empty operand, wherever indices are clamped to") {
  const auto scattered = [](auto scatter, const char* mode) {
    return [=](Array x, Array u) { return scatter(x, zeros({9, 1}, I32), u, mode); };
  };
  const auto added = [](Array x, Array i, Array u, const char* mode) {
    return lax::scatter_add(x, i, u, {{1}, {0}, {0}}, {.mode = mode});
  };
  const auto largest = [](Array x, Array i, Array u, const char* mode) {
    return lax::scatter_max(x, i, u, {{1}, {0}, {0}}, {.mode = mode});
  };
  const Array x = zeros({0, 1}), u = ones({9, 1});
  const auto check_empty = [&](auto f) {
    CHECK(jit(f)(x, u).shape() == Shape{0, 1});
    {
      const ReferenceMode on;
      CHECK(f(x, u).shape() == Shape{0, 1});
    }
    const auto [out, pull] = vjp(f, x, u);
    const auto cotangents = pull(out);
    CHECK(bool((std::get<1>(cotangents) == 0.).all()));
    CHECK(jvp(f, std::tuple(x, u), std::tuple(x, u)).second.shape() == Shape{0, 1});
    CHECK(jit(vmap(f))(zeros({3, 0, 1}), ones({3, 9, 1})).shape() == Shape{3, 0, 1});
  };
  for (const char* mode : {"clip", "drop"}) {
    check_empty(scattered(added, mode));
    check_empty(scattered(largest, mode));
  }
}

TEST_CASE("The last axes of windows that cover them are one row of a scatter") {
  const auto kernels = [](const Array& x, const Array& u, int64_t at) {
    const Array places = arange(200) % 60;
    const auto f = [=](Array x, Array u, Array places) {
      return at == 0 ? x.at(places).add(u) : x.at({slice(), places}).add(u);
    };
    check_sorted({x, u, places}, [&](const Arrays& in) { return Arrays{f(in[0], in[1], in[2])}; });
    return jit(f).lower(x, u, places).kernels();
  };
  const Array many = random::normal(random::key(4), {200, 9, 9});
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  const std::string wide = kernels(zeros({70, 9, 9}), many, 0);
  INFO(wide);
  CHECK(has(wide, "for_each"));
  CHECK(has(wide, "const i64 81"));
  CHECK(has(kernels(zeros({70, 3, 3}), many[{slice(), slice(0, 3), slice(0, 3)}], 0), "for_each"));
  // Short rows, and a window that moves along the axis before the last.
  CHECK(!has(kernels(zeros({70, 3}), many[{slice(), slice(0, 3), 0}], 0), "for_each"));
  CHECK(
      !has(kernels(zeros({4, 70, 5}), random::normal(random::key(5), {4, 200, 5}), 1), "for_each"));
}
