// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/turned_products_test.cpp: which products with a transposed result swap their operands.
#include <functional>
#include <string>

#include "core/text/print.h"
#include "jit/pipeline.h"
#include "support/check.h"
#include "tracer/eval_trace.h"
#include "weft/lax/dot.h"
#include "weft/make_jaxpr.h"

using namespace weft;
using namespace weft::test;

namespace {

using Fn = std::function<Array(Array, Array)>;

// The number of transposes that are left in the compiled program. Also compares the results with
// those of the interpreted one.
int transposes(const Fn& f, const Array& x, const Array& y) {
  const Jaxpr j = compiler::rewritten(make_jaxpr(f)(x, y).jaxpr);
  const std::string text = to_string(j);
  INFO(text);
  const Array got = jit(f)(x, y);
  const ReferenceMode reference;
  CHECK(allclose(got, f(x, y), 1e-5, 1e-5));
  return count(text, "= transpose[");
}
Array values(std::vector<int64_t> shape) { return random::uniform(random::key(3), Shape(shape)); }

}  // namespace

TEST_CASE("a product whose rows and columns are transposed swaps its operands", "[jit][product]") {
  // w @ x for each row of x
  const Fn layer = [](Array w, Array x) {
    return vmap([&](Array row) { return matmul(w, row); })(x);
  };
  CHECK(transposes(layer, values({24, 17}), values({30, 17})) == 0);
  const Fn turned = [](Array a, Array b) { return matmul(a, b).T() + 1.f; };
  CHECK(transposes(turned, values({12, 17}), values({17, 9})) == 0);
  // batch axes, and several rows and columns
  const auto permuted = [](std::vector<int64_t> order) -> Fn {
    return [=](Array a, Array b) {
      return transpose(lax::dot_general(a, b, {{3}, {2}, {0}, {0}}), order);
    };
  };
  const Array a = values({2, 3, 5, 7}), b = values({2, 4, 7, 6});
  CHECK(transposes(permuted({0, 3, 4, 1, 2}), a, b) == 0);
  // Only the exact swap is a product again.
  CHECK(transposes(permuted({0, 4, 3, 1, 2}), a, b) == 1);
  CHECK(transposes(permuted({0, 3, 4, 2, 1}), a, b) == 1);
  CHECK(transposes(permuted({1, 2, 0, 3, 4}), a, b) == 1);
}

TEST_CASE("other products keep their operands", "[jit][product]") {
  // another reader
  const Fn twice = [](Array a, Array b) {
    const Array p = matmul(a, b);
    return matmul(p, p.T());
  };
  CHECK(transposes(twice, values({12, 17}), values({17, 9})) == 1);
  // few columns: generated code transposes where it reads
  const Fn turned = [](Array a, Array b) { return matmul(a, b).T(); };
  CHECK(transposes(turned, values({12, 17}), values({17, 3})) == 1);
}

TEST_CASE("products in loops are turned, too", "[jit][product]") {
  const Fn f = [](Array w, Array x) {
    return scan([&](Array c) { return std::pair{sin(matmul(w, c.T()).T()), none}; }, x, none,
                {.length = 3})
        .first;
  };
  CHECK(transposes(f, values({20, 20}), values({33, 20})) == 1);
}
