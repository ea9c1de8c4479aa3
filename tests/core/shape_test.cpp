// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/core/shape_test.cpp: shapes, their limits and the texts of their errors.
#include "weft/shape.h"

#include "support/check.h"
#include "weft/error.h"

using namespace weft;
using weft::test::error_of;

namespace {

std::string at(int line) { return " (at shape_test.cpp:" + std::to_string(line) + ")"; }
constexpr int64_t limit = int64_t{1} << 62;

}  // namespace

TEST_CASE("shapes are built, printed and edited", "[core][shape]") {
  CHECK(to_string(Shape{}) == "()");
  CHECK(to_string(Shape{2}) == "(2,)");
  CHECK(to_string(Shape{2u, 3L, size_t{4}}) == "(2, 3, 4)");
  Shape s{2, 3};
  CHECK(s[-1] == 3);
  CHECK(s.elements() == 6);
  CHECK(Shape{}.elements() == 1);
  CHECK(Shape{3, 0}.elements() == 0);
  CHECK(s.with(-1, 5) == Shape{2, 5});
  CHECK(s.inserted(0, 7) == Shape{7, 2, 3});
  CHECK(s.inserted(-1, 7) == Shape{2, 3, 7});
  CHECK(s.inserted(2, 7) == Shape{2, 3, 7});
  CHECK(s.erased(0) == Shape{3});
  CHECK(row_major(Shape{2, 3, 4}) == std::vector<int64_t>{12, 4, 1});
  CHECK(row_major(Shape{}).empty());
  CHECK(row_major(Shape{3, 0}) == std::vector<int64_t>{1, 1});
}

TEST_CASE("sizes are checked", "[core][shape]") {
  CHECK(error_of<ShapeError>([] { Shape{2, -1}; }) ==
        "negative size -1 in shape (2, -1)" + at(__LINE__ - 1));
  CHECK_THROWS_AS(Shape(std::vector<int64_t>{-5}), ShapeError);
  CHECK_THROWS_AS(Shape({~uint64_t{0}}), ShapeError);  // the size would wrap to -1
  CHECK_THROWS_AS(Shape({2}).with(0, -1), ShapeError);
  CHECK(Shape{limit}.elements() == limit);
  CHECK_THROWS_AS((Shape{limit, 2}.elements()), ShapeError);
  CHECK_THROWS_AS((Shape{limit, limit, 16}.elements()), ShapeError);
  CHECK_THROWS_AS((Shape{0, limit, 4}.elements()), ShapeError);
  CHECK_THROWS_AS((row_major(Shape{limit, limit, limit})), ShapeError);
  CHECK(checked_mul(-3, 7) == -21);
  CHECK(checked_mul(int64_t{1} << 31, int64_t{1} << 31) == limit);
  CHECK_THROWS_AS(checked_mul(limit, 2), ShapeError);
  CHECK_THROWS_AS(checked_mul(limit, -2), ShapeError);
}

TEST_CASE("sizes of axes that are not there raise", "[core][shape]") {
  const Shape s{2, 3};
  CHECK(s[0] == 2);
  CHECK(s[-1] == 3);
  CHECK(s[-2] == 2);
  for (const int64_t i : {int64_t{2}, int64_t{-3}, int64_t{1} << 40, INT64_MIN, INT64_MAX})
    CHECK_THROWS_AS(s[i], IndexError);
  const std::string beyond = error_of<IndexError>([&] { (void)s[2]; }), line = at(__LINE__);
  CHECK(beyond ==
        "axis 2 is out of bounds for array of dimension 2: the shape (2, 3) has the axes 0 to 1, "
        "or -1 to -2" +
            line);
  const std::string none = error_of<IndexError>([] { (void)Shape{}[-1]; }), there = at(__LINE__);
  CHECK(none ==
        "axis -1 is out of bounds for array of dimension 0: the shape () has no axes" + there);
}

TEST_CASE("shapes broadcast as in NumPy", "[core][shape]") {
  CHECK(broadcast_shapes(Shape{2, 1}, Shape{3}) == Shape{2, 3});
  CHECK(broadcast_shapes(Shape{}, Shape{4, 5}) == Shape{4, 5});
  CHECK(broadcast_shapes(Shape{0}, Shape{1}) == Shape{0});
  CHECK(broadcast_shapes(Shape{5, 1, 4}, Shape{1, 3, 1}) == Shape{5, 3, 4});
  CHECK(error_of<ShapeError>([] { broadcast_shapes(Shape{2, 3}, Shape{4}); }) ==
        "incompatible shapes for broadcasting: (2, 3) and (4,) (sizes 3 and 4 on axis -1; sizes "
        "must be equal or 1)");
  CHECK_THROWS_AS(broadcast_shapes(Shape{0}, Shape{2}), ShapeError);
}

TEST_CASE("axes are made non-negative", "[core][shape]") {
  CHECK(canonical_axis(-1, 3) == 2);
  CHECK(canonical_axis(0, 1) == 0);
  CHECK(error_of<IndexError>([] { canonical_axis(2, 2); }) ==
        "axis 2 is out of bounds for array of dimension 2");
  CHECK_THROWS_AS(canonical_axis(-3, 2), IndexError);
  CHECK_THROWS_AS(canonical_axis(0, 0), IndexError);
  CHECK_THROWS_AS(Shape{}.erased(0), IndexError);
}

TEST_CASE("locations and internal errors as text", "[core][error]") {
  CHECK(to_string(Location{"/home/me/model.cpp", 12}) == "model.cpp:12");
  CHECK(to_string(Location{}) == "unknown location");
  CHECK(to_string(Location::here()).starts_with("shape_test.cpp:"));
  CHECK(std::string(InternalError("x").what()).find("please report") != std::string::npos);
}
