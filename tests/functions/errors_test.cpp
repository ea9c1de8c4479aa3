// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/errors_test.cpp: error texts of the functions for mistakes of the user.
#include "support/check.h"

using namespace weft;
using namespace weft::test;

TEST_CASE("errors of operators name the operands and the line", "[functions][errors]") {
  const Array a = zeros({2, 3}), b = zeros({2});
  check_error<ShapeError>([&] { a + b; },
                          "add: incompatible shapes for broadcasting: (2, 3) and (2,)");
  check_error<ShapeError>([&] { a + b; }, "errors_test.cpp:");
  check_error<ShapeError>([&] { Array() + a; }, "empty Array");
  check_error<DTypeError>([&] { a & a; }, "and: takes bool or integer operands");
  check_error<DTypeError>([&] { a & a; }, "errors_test.cpp:");
  check_error<DTypeError>([&] { -array({true}); }, "a bool has no negative");
  check_error<DTypeError>([&] { pow(arange(3), -1); }, "negative powers");
  check_error<DTypeError>([&] { array({5000000000}); }, "does not fit I32");
  check_error<DTypeError>([&] { a * 5000000000; }, "does not fit I32");
}

TEST_CASE("shapes that cannot be", "[functions][errors]") {
  const Array a = zeros({2, 3});
  check_error<ShapeError>([&] { array({{1, 2}, {3}}); }, "rows of unequal length");
  check_error<ShapeError>([&] { array(std::vector<float>{1, 2, 3}, {2, 2}); },
                          "3 elements do not make an array of shape (2, 2)");
  check_error<ShapeError>([&] { a.reshape({4, -1}); }, "cannot reshape f32[2,3] into (4, -1)");
  check_error<ShapeError>([&] { a.reshape({-1, -1}); }, "one size may be -1");
  check_error<ShapeError>([&] { concatenate({a, zeros({2, 4})}); },
                          "array 1 is f32[2,4], which does not go with f32[2,3]");
  check_error<ShapeError>([&] { stack({a, zeros({3})}); }, "all arrays must have one shape");
  check_error<ShapeError>([&] { concatenate({}); }, "at least one array");
  check_error<ShapeError>([&] { broadcast_to(a, {3}); }, "does not broadcast to shape (3,)");
  check_error<ShapeError>([&] { squeeze(a, 0); }, "axis 0 of f32[2,3] is not of size 1");
  check_error<ShapeError>([&] { matmul(a, a); },
                          "shapes f32[2,3] and f32[2,3] are not aligned: 3 against 2");
  check_error<ShapeError>([&] { einsum("ij,jk", a, a); }, "the same letter has");
  check_error<ShapeError>([&] { einsum("ij->ik", a); }, "each letter of the result");
  check_error<ShapeError>([&] { max(zeros({0})); }, "which has no identity");
  check_error<ShapeError>([&] { argmax(zeros({0})); }, "empty sequence");
  check_error<ShapeError>([&] { split(a, 2, 1); }, "no 2 equal parts");
}

TEST_CASE("axes that are out of range or named twice", "[functions][errors]") {
  const Array a = zeros({2, 3});
  check_error<IndexError>([&] { a.sum(2); }, "axis 2 is out of bounds for array of dimension 2");
  check_error<IndexError>([&] { a.sum(2); }, "errors_test.cpp:");
  check_error<ShapeError>([&] { sum(a, {0, -2}); }, "an axis is named twice");
  check_error<IndexError>([&] { sort(a, 5); }, "axis 5 is out of bounds");
  check_error<ShapeError>([&] { transpose(a, {0}); }, "1 axes for f32[2,3]");
}

TEST_CASE("reductions name themselves in their errors", "[functions][errors]") {
  const Array a = zeros({2, 3}), four = zeros({4}), mask = four == 0.;
  using Reduction = Array (*)(const Arg&, const AxisList&, const ReduceOptions&);
  struct Named {
    const char* name;
    Reduction f;
    bool where = true, needs_initial = false;
  };
  for (const auto& [name, f, where, needs_initial] : {Named{"sum", sum},
                                                      {"prod", prod},
                                                      {"any", any},
                                                      {"all", all},
                                                      {"mean", mean},
                                                      {"max", max, true, true},
                                                      {"min", min, true, true},
                                                      {"amax", amax, true, true},
                                                      {"amin", amin, true, true},
                                                      {"ptp", ptp, true, true},
                                                      {"nanmax", nanmax, true, true},
                                                      {"nanmin", nanmin, true, true},
                                                      {"nansum", nansum},
                                                      {"nanprod", nanprod},
                                                      {"nanmean", nanmean},
                                                      {"logsumexp", logsumexp},
                                                      {"count_nonzero", count_nonzero},
                                                      {"median", median, false},
                                                      {"nanmedian", nanmedian, false}}) {
    const std::string says = std::string(name) + ": ";
    check_error<IndexError>([&] { f(a, 2, {}); }, says + "axis 2 is out of bounds");
    check_error<ShapeError>([&] { f(a, {0, 0}, {}); }, says + "an axis is named twice");
    if (!where) continue;
    ReduceOptions o;
    o.where = mask;
    if (needs_initial) o.initial = Array(0.);
    check_error<ShapeError>([&] { f(a, 0, o); }, says + ".where: incompatible shapes");
  }
  check_error<ShapeError>([&] { sum(a, 0, {.initial = four}); }, "sum: .initial: incompatible");
  check_error<ShapeError>([&] { any(a, 0, {.initial = four}); }, "any: .initial: incompatible");
  check_error<IndexError>([&] { var(a, 2); }, "var: axis 2");
  check_error<IndexError>([&] { weft::std(a, 2); }, "std: axis 2");
  check_error<IndexError>([&] { nanvar(a, 2); }, "nanvar: axis 2");
  check_error<IndexError>([&] { nanstd(a, 2); }, "nanstd: axis 2");
  check_error<IndexError>([&] { nanargmax(a, 2); }, "nanargmax: axis 2");
  check_error<IndexError>([&] { nancumsum(a, 2); }, "nancumsum: axis 2");
  check_error<IndexError>([&] { flip(a, 4); }, "flip: axis 4");
}

TEST_CASE("reductions refuse keys", "[functions][errors]") {
  const Array key = random::key(0);
  check_error<DTypeError>([&] { sum(key); }, "reduce_sum: takes");
  check_error<DTypeError>([&] { prod(key); }, "reduce_prod: takes");
  check_error<DTypeError>([&] { max(key); }, "reduce_max: takes");
  check_error<DTypeError>([&] { min(key); }, "reduce_min: takes");
}

TEST_CASE("traced values have no numbers", "[functions][errors]") {
  const Array x = arange(3.);
  check_error<ConcretizationError>([&] { vmap([](Array y) { return arange(y); })(x); },
                                   "is not known here");
  check_error<ConcretizationError>(
      [&] { vmap([](Array y) { return nonzero(y)[0]; })(stack({x, x})); }, "give .size");
}
