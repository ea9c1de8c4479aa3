// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/batching/ragged_all_to_all_test.cpp: rows sent between lanes, compared with the definition;
// derivatives, groups and mistakes.
#include "support/check.h"

using namespace weft;
using namespace weft::test;

namespace {

using Numbers = std::vector<int64_t>;
// For each pair of lanes: the rows that one sends to the other, their place in the source and their
// place in the destination.
struct Sent {
  int64_t lanes, rows_in, rows_out, width = 2;
  Numbers from, count, to, taken;  // [lane * lanes + other]
};
Array table(const Sent& s, const Numbers& x) { return array(x, {s.lanes, s.lanes}).astype(I32); }
Array given(const Sent& s, int64_t rows, double first) {
  return (arange(static_cast<double>(s.lanes * rows * s.width)) + first)
      .reshape({s.lanes, rows, s.width});
}

Floats defined(const Sent& s, const Floats& in, Floats out) {
  for (int64_t source = 0; source < s.lanes; ++source)
    for (int64_t lane = 0; lane < s.lanes; ++lane) {
      const auto at = static_cast<size_t>(source * s.lanes + lane),
                 back = static_cast<size_t>(lane * s.lanes + source);
      for (int64_t r = 0; r < std::min(s.count[at], s.taken[back]); ++r)
        for (int64_t k = 0; k < s.width; ++k)
          out[static_cast<size_t>((lane * s.rows_out + s.to[at] + r) * s.width + k)] =
              in[static_cast<size_t>((source * s.rows_in + s.from[at] + r) * s.width + k)];
    }
  return out;
}
Array exchanged(const Sent& s, const Array& in, const Array& out) {
  const auto f = [](Array x, Array y, Array from, Array count, Array to, Array taken) {
    return lax::ragged_all_to_all(x, y, from, count, to, taken, "i");
  };
  return vmap(f, 0, 0, {.axis_name = "i"})(in, out, table(s, s.from), table(s, s.count),
                                           table(s, s.to), table(s, s.taken));
}

// There are three lanes: the first sends three rows to the last, and the second sends one row to
// each lane.
const Sent example{.lanes = 3,
                   .rows_in = 4,
                   .rows_out = 5,
                   .from = {0, 0, 0, 1, 2, 3, 0, 1, 0},
                   .count = {0, 0, 3, 1, 1, 1, 2, 0, 1},
                   .to = {0, 0, 0, 0, 1, 3, 3, 0, 4},
                   .taken = {0, 1, 2, 0, 1, 0, 3, 1, 1}};

}  // namespace

TEST_CASE("ragged_all_to_all sends rows as it is defined", "[collective]") {
  const Array in = given(example, 4, 1), out = given(example, 5, 100);
  const Floats want = defined(example, floats(in), floats(out));
  const auto run = [](Array x, Array y) { return exchanged(example, x, y); };
  CHECK(floats(run(in, out)) == want);
  CHECK(floats(jit(run)(in, out)) == want);
  // No lane sends rows, so that every lane keeps its output operand.
  Sent quiet = example;
  quiet.count = Numbers(9, 0);
  CHECK(floats(exchanged(quiet, in, out)) == floats(out));
  CHECK(exchanged(example, in[{slice(), slice(0, 0)}], out).shape() == out.shape());
}

TEST_CASE("ragged_all_to_all sends cotangents back", "[collective]") {
  const Array in = given(example, 4, 1), out = given(example, 5, 100), w = cos(out);
  const auto loss = [&](Array x, Array y) { return (exchanged(example, x, y) * w).sum(); };
  const auto [by_in, by_out] = grad<0, 1>(loss)(in, out);
  // The function is linear: the sum of each element times its slope is the value.
  CHECK(((by_in * in).sum() + (by_out * out).sum()).item<float>() ==
        Approx(loss(in, out).item<float>()).epsilon(1e-5));
  CHECK(floats(jvp(loss, std::tuple{in, out}, std::tuple{in, out}).second)[0] ==
        Approx(loss(in, out).item<float>()).epsilon(1e-5));
}

TEST_CASE("ragged_all_to_all in groups", "[collective]") {
  // The groups are pairs of lanes. Each lane sends row 0 to the first and row 1 to the second lane
  // of its pair.
  const auto f = [](Array x) {
    const Array ones = array({1, 1});
    return ragged_all_to_all(x, zeros_like(x), array({0, 1}), ones,
                             array({0, 0}) + axis_index("i") % 2, ones, "i",
                             {.axis_index_groups = {{0, 1}, {2, 3}}});
  };
  const Array x = arange(8.).reshape({4, 2});
  CHECK(floats(vmap(f, 0, 0, {.axis_name = "i"})(x)) == Floats{0, 2, 1, 3, 4, 6, 5, 7});
}

TEST_CASE("ragged_all_to_all refuses what does not fit", "[collective][errors]") {
  const Array x = zeros({2, 3}), n = zeros({2}, I32);
  const auto call = [](Array a, Array b, Array c) {
    vmap([&](Array lane) { return ragged_all_to_all(lane, b, c, c, c, c, "i"); }, 0, 0,
         {.axis_name = "i"})(a);
  };
  check_error<ShapeError>([&] { call(x, zeros({3, 2}), n); },
                          "shapes must be equal, except for ragged dimension");
  check_error<DTypeError>([&] { call(x, zeros({3}, I32), n); }, "must have the same dtypes");
  check_error<DTypeError>([&] { call(x, zeros({3}), zeros({2})); },
                          "input_offsets must be integer type, got f32[2]");
  check_error<ShapeError>([&] { call(x, zeros({3}), zeros({3}, I32)); },
                          "input_offsets must be rank 1 with one entry a lane, 2, got i32[3]");
  check_error<AxisNameError>([&] { ragged_all_to_all(x, x, n, n, n, n, "k"); },
                             "unbound axis name");
}
