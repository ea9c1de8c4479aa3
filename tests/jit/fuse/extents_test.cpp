// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/fuse/extents_test.cpp: axes that are read at the same index but differ in length never
// share an axis of a kernel's grid. Examples are slices from 0, pads at the end, and heads of
// carries.
#include "support/check.h"
#include "tracer/eval_trace.h"

using namespace weft;
using namespace weft::test;

namespace {
using Two = std::tuple<Array, Array>;

// Checks that the compiled function gives the results of the reference rules.
template <class F, class... A>
void is_reference(const char* name, F f, const A&... x) {
  INFO(name);
  const auto leaves_of = [&](auto&& g) { return tree::leaves(g(x...)); };
  std::vector<Array> want;
  {
    const ReferenceMode scope;
    want = leaves_of(f);
  }
  const auto got = leaves_of(jit(f));
  REQUIRE(got.size() == want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    INFO(got[i] << "\nnot\n" << want[i]);
    CHECK(bool(allclose(got[i], want[i])));
  }
}
Array numbers(const Shape& s) {
  const int64_t n = s.elements();
  return reshape(arange(static_cast<double>(n)) % 13., s);
}
}  // namespace

TEST_CASE("Readers of the first elements of a result run over these elements only") {
  const Array x = numbers({64, 8}), y = numbers({4096, 8});
  is_reference("sums", [](Array x) { return x.sum(1)[slice(0, 3)] * 2.; }, x);
  is_reference(
      "sums and their head",
      [](Array x) {
        Array r = x.sum(1);
        return std::tuple(r, r[slice(0, 3)] * 2.);
      },
      x);
  is_reference("softmax", [](Array x) { return nn::softmax(x, 1)[slice(0, 2)]; }, x);
  is_reference(
      "with a sum of all",
      [](Array x) {
        Array r = x.sum(1);
        return r.sum() * 0. + r[slice(0, 100)] * 2.;
      },
      y);
  is_reference("pad behind", [](Array x) { return lax::pad(x.sum(1), 0., {{0, 5, 0}}) + 1.; }, x);
  is_reference(
      "pad to less", [](Array x) { return lax::pad(x.sum(1), 0., {{0, -50, 0}}) + 1.; }, x);
  is_reference("joined", [](Array x) { return concatenate({x.sum(1), ones({3})}, 0) * 2.; }, x);
  is_reference("argmax", [](Array x) { return argmax(x, 1)[slice(0, 4)] + 1; }, x);
  is_reference(
      "sums of products", [](Array x) { return matmul(x, ones({8, 5}))[{slice(), slice(0, 2)}]; },
      x);
  is_reference("running sums", [](Array x) { return cumsum(x, 1)[{slice(0, 2), slice(0, 3)}]; }, x);
  is_reference(
      "less their means",
      [](Array x) {
        Array m = x.mean(1);
        return x[slice(0, 2)] - expand_dims(m[slice(0, 2)], 1);
      },
      x);
  is_reference(
      "heads of two lengths",
      [](Array x) {
        Array r = x.sum(1), q = r[slice(0, 32)] * 2.;
        return concatenate({r, q, q[slice(0, 5)] + r[slice(0, 5)]}, 0);
      },
      x);
}

TEST_CASE("Reads of the first elements of carries stay within the rows") {
  const auto loops = [](const char* name, auto body, Array a, Array b) {
    const auto times = [body](Array a, Array b, Array n) {
      return fori_loop(0, n, [body](Array, Two c) { return body(c); }, Two(a, b));
    };
    is_reference(name, times, a, b, Array(3));
    is_reference(
        name,
        [body](Array a, Array b) {
          return fori_loop(0, 3, [body](Array, Two c) { return body(c); }, Two(a, b));
        },
        a, b);
    const auto five = [](Array x) { return stack({x, x * 2., x + 1., x - 3., x}, 0); };
    is_reference(name, vmap(times), five(a), five(b), array({0, 1, 2, 3, 2}));
  };
  const Array x = numbers({100}), y = numbers({50}), z = numbers({100, 3});
  loops(
      "head",
      [](Two c) {
        auto [x, y] = c;
        return Two(x * 1.5, y + x[slice(0, 50)]);
      },
      x, y);
  loops(
      "head of rows",
      [](Two c) {
        auto [x, y] = c;
        return Two(x * 1.5, y + x[slice(0, 50)].sum(1));
      },
      z, y);
  loops(
      "pad",
      [](Two c) {
        auto [x, y] = c;
        return Two(x + lax::pad(y, 0., {{0, 50, 0}}), y * 2.);
      },
      x, y);
  loops(
      "update of the head",
      [](Two c) {
        auto [x, y] = c;
        return Two(x.at(slice(0, 50)).add(y), y + x[slice(0, 50)]);
      },
      x, y);
  loops(
      "long",
      [](Two c) {
        auto [x, y] = c;
        return Two(x * 1.5, y + x[slice(0, 50)]);
      },
      numbers({1000}), y);
}

TEST_CASE("An update in place is written by the lane that owns the element") {
  // Rows 1 to 3 of seven are written, and the rows are lanes of the loop over steps.
  const auto step = [](Array a) {
    const Array p = lax::pad(a, .5f, {{0, 6, 0}, {0, 0, 0}, {0, 0, 0}});
    const Array q = lax::pad(a, 7.f, {{3, 0, 0}, {0, 0, 0}, {0, 0, 0}});
    const Array u = lax::slice(q, {0, 1, 0}, {3, 2, 3}, {1, 1, 1});
    return lax::dynamic_update_slice(p, u, {Array(1), Array(11), Array(1)});
  };
  for (const int64_t chunk : {1, 2, 3})
    is_reference(
        "chunks", [&](Array x) { return vmap(step, 2, 0, {.chunk_size = chunk})(x); },
        numbers({1, 6, 3, 6}));
}

TEST_CASE("False is less than true") {
  for (const std::vector<bool>& v :
       {std::vector<bool>{false, false}, {false, true}, {true, false, true}, {true, true}}) {
    std::vector<int32_t> bits(v.begin(), v.end());
    is_reference(
        "bools",
        [](Array x) {
          return std::tuple(argmin(x, 0), argmax(x, 0), min(x, 0), max(x, 0), sort(x, 0));
        },
        array(bits).astype(Bool));
  }
}
