// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/batching/collective_calls_test.cpp: cases of collectives that the goldens leave out. These
// are numbers, unmapped operands, trees, many lanes, branches not taken, names in lax, and mistakes
// in calls.
#include "support/check.h"

using namespace weft;
using namespace weft::test;

namespace {

template <class F>
auto over(F f, const Axes& in = 0, const Axes& out = 0) {
  return vmap(f, in, out, {.axis_name = "i"});
}
Array lanes_of(int64_t n) { return arange(static_cast<double>(n)).astype(F32); }

// Checks that f fails with an E of this text, in four lanes of two numbers each.
template <class E, class F>
void refused(F f, const std::string& text) {
  const Array x = zeros({4, 2});
  check_error<E>([&] { over(f)(x); }, text);
  check_error<E>([&] { over(f)(x); }, "(at collective_calls_test.cpp:");
  check_error<E>([&] { jit(over(f))(x); }, text);
}

}  // namespace

TEST_CASE("a C++ number is counted while tracing", "[collective]") {
  const auto f = [](Array x) { return x.reshape({psum(1, "i").item<int64_t>(), -1}); };
  CHECK(over(f)(zeros({3, 6})).shape() == Shape{3, 3, 2});
  CHECK(jit(over(f))(zeros({3, 6})).shape() == Shape{3, 3, 2});
  const auto three = [](Array x) { return x + psum(1.5, "i") + psum(true, "i"); };
  CHECK(floats(over(three)(lanes_of(2))) == Floats{5, 6});
  const auto count = [](Array x) { return x * psum(2, "i"); };
  CHECK(vmap(count, 0, 0, {.axis_name = "i", .chunk_size = 2})(array({1, 2, 3})).dtype() == I32);
  CHECK(floats(vmap(count, 0, 0, {.axis_name = "i", .chunk_size = 2})(array({1, 2, 3}))) ==
        Floats{6, 12, 18});
}

TEST_CASE("collectives accept values that all lanes share", "[collective]") {
  const Array shared = array({1.f, 2.f});
  const auto given = [&](auto f) {
    return floats(over([&](Array) { return f(shared); })(zeros({2})));
  };
  CHECK(given([](Array a) { return pswapaxes(a, "i", 0); }) == Floats{1, 1, 2, 2});
  CHECK(given([](Array a) { return psum_scatter(a, "i"); }) == Floats{2, 4});
  CHECK(given([](Array a) { return ppermute(a, "i", {{1, 0}}); }) == Floats{1, 2, 0, 0});
  CHECK(given([](Array a) { return pbroadcast(a, "i", 1); }) == Floats{1, 2, 1, 2});
  CHECK(given([](Array a) { return psum(a, "i", {{{0}, {1}}}); }) == Floats{1, 2, 1, 2});
}

TEST_CASE("collectives take trees", "[collective]") {
  const auto f = [](Array x) {
    return ppermute(std::pair{x, std::vector<Array>{x * 2}}, "i", {{0, 1}});
  };
  const auto [a, b] = over(f)(array({3.f, 4.f}));
  CHECK(floats(a) == Floats{0, 3});
  CHECK(floats(b[0]) == Floats{0, 6});
}

TEST_CASE("pmax and pmin keep bools", "[collective]") {
  const auto any = over([](Array x) { return pmax(x > 1, "i"); }, 0, none)(lanes_of(3));
  CHECK(any.dtype() == Bool);
  CHECK(any.item<bool>());
  CHECK(!over([](Array x) { return pmin(x > 1, "i"); }, 0, none)(lanes_of(3)).item<bool>());
}

TEST_CASE("means in groups of different sizes", "[collective]") {
  const auto f = [](Array x) { return pmean(x, "i", {{{0, 2, 3}, {1}}}); };
  CHECK(floats(over(f)(array({1.f, 5.f, 3.f, 8.f}))) == Floats{4, 5, 4, 4});
}

TEST_CASE("many lanes change places", "[collective]") {
  constexpr int64_t n = 300;
  std::vector<int64_t> perm;
  for (int64_t l = 0; l < n; ++l) perm.push_back(l * 7 % n);
  const auto f = over([&](Array x) { return pshuffle(x, "i", perm); });
  const Array x = lanes_of(n);
  Floats want, back(static_cast<size_t>(n));
  for (size_t l = 0; l < perm.size(); ++l) {
    want.push_back(static_cast<float>(perm[l]));
    back[static_cast<size_t>(perm[l])] = static_cast<float>(l);
  }
  CHECK(floats(f(x)) == want);
  CHECK(floats(jit(f)(x)) == want);
  const auto weighed = [&](Array a) { return (f(a) * x).sum(); };
  CHECK(floats(grad(weighed)(x)) == back);
  CHECK(floats(jit(grad(weighed))(x)) == back);
  const auto own =
      over(grad([&](Array a) { return pshuffle(a, "i", perm) * axis_index("i").astype(F32); }));
  CHECK(floats(own(x)) == back);
}

// As in JAX, a lane that did not take a branch gets no gradient from it. The lane does not read the
// results of the branch. Results that other lanes compute from its operand contribute nothing
// either. The comment of psum names `where` as the way to get these gradients.
TEST_CASE("gradients in lanes and around maps agree on collectives in branches", "[collective]") {
  const auto check = [](auto taken, const Floats& want) {
    const auto f = [=](Array a) { return cond(a > 0, taken, [](Array a) { return a + 1; }, a); };
    const Array x = array({-1.f, 2.f, -3.f});
    const auto around = [&](Array v) { return over(f)(v).sum(); };
    CHECK(floats(grad(around)(x)) == want);
    CHECK(floats(jit(grad(around))(x)) == want);
    CHECK(floats(over(grad(f))(x)) == want);
    CHECK(floats(jit(over(grad(f)))(x)) == want);
  };
  check([](Array a) { return psum(a, "i") * 3; }, {1, 3, 1});
  check([](Array a) { return ppermute(a, "i", {{0, 1}, {1, 2}, {2, 0}}) * 3; }, {1, 0, 1});
  check([](Array a) { return psum(a, "i") * a; }, {1, 0, 1});
  const auto chosen = over([](Array a) { return where(a > 0, psum(a, "i") * 3, a + 1); });
  CHECK(floats(grad([&](Array v) { return chosen(v).sum(); })(array({-1.f, 2.f, -3.f}))) ==
        Floats{4, 3, 4});
}

TEST_CASE("jax.lax has names of collectives", "[collective]") {
  const auto f = [](Array x) {
    return lax::psum(x, "i") + lax::pmean(x, "i") + lax::pmax(x, "i") + lax::pmin(x, "i") +
           lax::all_gather(x, "i")[0] + lax::psum_scatter(lax::all_gather(x, "i"), "i") +
           lax::pswapaxes(x, "i", 0) + lax::all_to_all(x, "i", 0, 0) +
           lax::ppermute(x, "i", {{0, 1}}) + lax::pshuffle(x, "i", {1, 0}) +
           lax::pbroadcast(x, "i", 0) + lax::axis_index("i") * lax::axis_size("i");
  };
  CHECK(over(f)(zeros({2, 2})).shape() == Shape{2, 2});
}

TEST_CASE("wrong groups are errors", "[collective][errors]") {
  const auto groups = [](AxisIndexGroups g) { return [=](Array x) { return psum(x, "i", {g}); }; };
  refused<IndexError>(groups({{0, 1}}),
                      "psum: axis_index_groups must cover all indices exactly once: the lanes of "
                      "'i' are 0 to 3, the groups {{0, 1}}");
  refused<IndexError>(groups({{0, 1}, {1, 2}}), "exactly once");
  refused<IndexError>(groups({{0, 1}, {2, 4}}), "exactly once");
  refused<IndexError>(groups({{0, 1, 2, 3}, {}}), "an empty group");
  refused<AxisNameError>([](Array x) { return psum(x, {"i", 0}, {{{0, 1}, {2, 3}}}); },
                         "axis_index_groups only supported for sums over just named axes");
  const AxisIndexGroups odd = {{0, 1, 2}, {3}};
  refused<ShapeError>([=](Array x) { return all_gather(x, "i", {odd}); },
                      "must have the same size, got 3 and 1");
  refused<ShapeError>([=](Array x) { return psum_scatter(x, "i", {.axis_index_groups = odd}); },
                      "the same size");
  refused<ShapeError>([=](Array x) { return pswapaxes(x, "i", 0, {odd}); }, "the same size");
}

TEST_CASE("sizes that do not fit are errors", "[collective][errors]") {
  refused<ShapeError>([](Array x) { return psum_scatter(x, "i"); },
                      "scatter dimension size 2 must match shard count 4");
  refused<ShapeError>([](Array x) { return psum_scatter(x, "i", {.tiled = true}); },
                      "size 2 must be divisible by shard_count 4");
  refused<ShapeError>(
      [](Array x) { return all_to_all(x, "i", 0, 0); },
      "all_to_all requires the size of the mapped axis axis_name to equal x.shape[split_axis], "
      "but they are 4 and 2 respectively");
  refused<ShapeError>([](Array x) { return pswapaxes(x, "i", 0); }, "pswapaxes: all_to_all");
  refused<ShapeError>([](Array x) { return all_to_all(x, "i", 0, 0, {.tiled = true}); },
                      "has to be divisible by the size of the named axis 'i' (4)");
  refused<IndexError>([](Array x) { return psum_scatter(x, "i", {.scatter_dimension = 1}); },
                      "axis 1 is out of bounds");
  refused<IndexError>([](Array x) { return all_to_all(x, "i", 0, 1); }, "axis 1 is out of bounds");
  refused<IndexError>([](Array x) { return all_gather(x, "i", {.axis = 2}); },
                      "axis 2 is out of bounds");
  refused<IndexError>([](Array x) { return psum(x, {"i", 1}); }, "axis 1 is out of bounds");
}

TEST_CASE("lanes that do not fit are errors", "[collective][errors]") {
  refused<IndexError>([](Array x) { return ppermute(x, "i", {{0, 4}}); },
                      "the pair {0, 4} names lane 4, but the lanes of 'i' are 0 to 3");
  refused<IndexError>([](Array x) { return ppermute(x, "i", {{-1, 0}}); }, "names lane -1");
  refused<IndexError>([](Array x) { return ppermute(x, "i", {{0, 1}, {2, 1}}); },
                      "ppermute sources and destinations must be unique, got lane 1 as the "
                      "destination of two pairs");
  refused<IndexError>([](Array x) { return ppermute(x, "i", {{0, 1}, {0, 2}}); },
                      "lane 0 as the source");
  refused<IndexError>([](Array x) { return pshuffle(x, "i", {0, 1, 2}); },
                      "`perm` does not represent a permutation: {0, 1, 2}");
  refused<IndexError>([](Array x) { return pshuffle(x, "i", {0, 1, 2, 2}); },
                      "does not represent a permutation");
  refused<IndexError>([](Array x) { return pbroadcast(x, "i", 4); },
                      "doesn't fit in the axis size: the lanes of 'i' are 0 to 3, not 4");
}

TEST_CASE("every collective raises for unknown names", "[collective][errors]") {
  const std::vector<std::function<Array(Array, AxisNames)>> calls = {
      [](Array x, AxisNames a) { return psum(x, a); },
      [](Array x, AxisNames a) { return pmax(x, a); },
      [](Array x, AxisNames a) { return all_gather(x, a); },
      [](Array x, AxisNames a) { return psum_scatter(x, a); },
      [](Array x, AxisNames a) { return all_to_all(x, a, 0, 0); },
      [](Array x, AxisNames a) { return pswapaxes(x, a, 0); },
      [](Array x, AxisNames a) { return ppermute(x, a, {{0, 1}}); },
      [](Array x, AxisNames a) { return pshuffle(x, a, {0, 1, 2, 3}); },
      [](Array x, AxisNames a) { return pbroadcast(x, a, 0); },
      [](Array x, AxisNames a) { return x + axis_index(a); },
      [](Array x, AxisNames a) { return x * static_cast<float>(axis_size(a)); }};
  for (size_t k = 0; k < calls.size(); ++k) {
    INFO(k);
    const auto f = calls[k];
    refused<AxisNameError>([=](Array x) { return f(x, "j"); }, "unbound axis name 'j'");
    refused<AxisNameError>([=](Array x) { return f(x, {"i", "i"}); }, "named twice");
    refused<AxisNameError>([=](Array x) { return f(x, std::vector<std::string>{}); },
                           "no axis is named");
    if (k < 2) continue;
    refused<AxisNameError>([=](Array x) { return f(x, {"i", 0}); }, "takes names of mapped axes");
  }
}

TEST_CASE("lanes of one chunk cannot see those of another", "[collective][errors]") {
  const auto chunked = [](auto f) {
    check_error<BatchingError>(
        [&] { vmap(f, 0, 0, {.axis_name = "i", .chunk_size = 2})(zeros({4, 4})); },
        "needs all lanes of the map at once");
  };
  chunked([](Array x) { return psum(x, "i", {{{0, 1}, {2, 3}}}); });
  chunked([](Array x) { return all_gather(x, "i"); });
  chunked([](Array x) { return psum_scatter(x, "i"); });
  chunked([](Array x) { return pswapaxes(x, "i", 0); });
  chunked([](Array x) { return ppermute(x, "i", {{0, 1}}); });
  chunked([](Array x) { return pbroadcast(x, "i", 1); });
}
