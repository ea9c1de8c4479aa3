// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/tracer/print_test.cpp: prints arrays, shapes, dtypes, trees and structures.
#include <sstream>

#include "tests/support/catch.h"
#include "weft/weft.h"

using namespace weft;

namespace {

struct Layer {
  Array w, b;
};
struct Model {
  std::vector<Layer> layers;
  int depth = 2;
};

template <class T>
std::string streamed(const T& x) {
  std::ostringstream o;
  o << x;
  return o.str();
}

}  // namespace

TEST_CASE("shapes, dtypes and types print as NumPy and jaxprs name them") {
  const Array x = zeros({2, 3});
  CHECK(streamed(x.shape()) == "(2, 3)");
  CHECK(streamed(x.dtype()) == "float32");
  CHECK(streamed(x.type()) == "f32[2,3]");
  CHECK(to_string(BF16) == "bfloat16");
  CHECK(to_string(Shape{4}) == "(4,)");
}

TEST_CASE("to_string of an array is what it prints") {
  const Array x = array({1., 2.});
  CHECK(to_string(x) == "array([1., 2.], dtype=float32)");
  CHECK(to_string(x) == streamed(x));
  CHECK(to_string(Array()) == "Array()");
  std::string traced;
  make_jaxpr([&](Array y) {
    traced = to_string(y);
    return y;
  })(x);
  CHECK(traced.starts_with("traced array f32[2]"));
}

TEST_CASE("trees print with their arrays, structures without") {
  const Array one = array({1});
  CHECK(to_string(std::tuple{one, 2}) == "(array([1], dtype=int32), 2)");
  CHECK(streamed(std::tuple{one}) == "(array([1], dtype=int32),)");
  CHECK(streamed(std::vector{one}) == "[array([1], dtype=int32)]");
  CHECK(streamed(std::map<std::string, Array>{{"w", one}}) == "{'w': array([1], dtype=int32)}");
  CHECK(streamed(std::optional<Array>()) == "none");
  const Model m{{{one, Array(2.)}}};
  CHECK(streamed(m) ==
        "{layers: [{w: array([1], dtype=int32), b: array(2., dtype=float32)}], depth: 2}");
  CHECK(streamed(tree::structure(m)) == "{layers: [{w: *, b: *}], depth: 2}");
  CHECK(to_string(tree::structure(m)) == tree::structure(m).text());
}
