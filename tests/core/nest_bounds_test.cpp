// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/core/nest_bounds_test.cpp: the bounds that are proved for the indices of a kernel, and the
// kernels that are refused.
#include "core/loops/nest_bounds.h"

#include <fmt/format.h>

#include <functional>

#include "core/scalar/number.h"
#include "support/catch.h"

using namespace weft;
using namespace weft::nest;
using num::Ir;
using I = Ir<int64_t>;

namespace {
// Returns true if a kernel is refused that copies element index(i, j) of a buffer of `elements`
// over a grid of 2 axes.
bool refused(std::vector<int64_t> grid, int64_t elements,
             const std::function<void(Builder&, int buffer, I i, I j)>& write) {
  Builder b("test");
  const num::Writing writing(b);
  const int x = b.buffer(Storage::F32, false);
  write(b, x, I::at(b.index(0)), I::at(b.index(1)));
  const Kernel k = b.finish(2, 0, {});
  REQUIRE(verify(k).empty());
  std::vector<int64_t> sizes(k.buffers.size(), 100);
  sizes[static_cast<size_t>(x)] = elements;
  return find_out_of_bounds(k, {std::move(grid), {}, std::move(sizes)}).access != no_id;
}
bool reads_beyond(std::vector<int64_t> grid, int64_t elements,
                  const std::function<I(Builder&, I i, I j)>& index) {
  return refused(std::move(grid), elements, [&](Builder& b, int x, I i, I j) {
    const int y = b.buffer(Storage::F32, true);
    b.store(y, b.integer(0), b.load(x, index(b, i, j).id));
  });
}
I loaded(Builder& b) {
  const int at = b.buffer(Storage::I32, false);
  return I::at(b.pure(Opcode::SExt, Kind::I64, {b.load(at, b.integer(0))}));
}
}  // namespace

TEST_CASE("Ranges of grid indices follow from axes and strides") {
  const auto dense = [](Builder&, I i, I j) { return i * I(8) + j; };
  CHECK_FALSE(reads_beyond({3, 8}, 24, dense));
  CHECK(reads_beyond({3, 8}, 23, dense));
  CHECK(reads_beyond({4, 8}, 24, dense));
  CHECK(reads_beyond({3, 9}, 24, dense));
  const auto turned = [](Builder&, I i, I j) { return I(23) - (j * I(3) + i); };
  CHECK_FALSE(reads_beyond({3, 8}, 24, turned));
  CHECK(reads_beyond({3, 9}, 24, turned));  // it reads below 0
  const auto digits = [](Builder&, I i, I) {
    return num::rem(i, I(5)) * I(4) + num::rem(num::div(i, I(5)), I(4));
  };
  CHECK_FALSE(reads_beyond({20, 1}, 20, digits));
  CHECK(reads_beyond({20, 1}, 19, digits));
}

TEST_CASE("Indices that are read from memory must be clamped") {
  CHECK(reads_beyond({1, 1}, 24, [](Builder& b, I, I) { return loaded(b); }));
  const auto clamped = [](Builder& b, I, I j) {
    return num::minimum(num::maximum(loaded(b), I(0)), I(16)) + j;
  };
  CHECK_FALSE(reads_beyond({1, 8}, 24, clamped));
  CHECK(reads_beyond({1, 9}, 24, clamped));
  CHECK(reads_beyond({1, 8}, 24, [](Builder& b, I, I j) {
    return num::minimum(loaded(b), I(16)) + j;  // there is no lower bound
  }));
}

TEST_CASE("Index bounds of a select use its condition") {
  const auto wrapped = [](Builder&, I i, I) {
    const I r = i - I(3);
    return num::select(r < I(0), r + I(24), r);
  };
  CHECK_FALSE(reads_beyond({24, 1}, 24, wrapped));
  CHECK(reads_beyond({28, 1}, 24, wrapped));
  CHECK(reads_beyond({24, 1}, 22, wrapped));
}

TEST_CASE("Nested selects are checked in linear time") {
  // Returns the index of the largest of n numbers.
  const auto largest = [](int64_t n) {
    return [n](Builder& b, I i, I) {
      const int numbers = b.buffer(Storage::I32, false);
      const auto number = [&](int64_t k) {
        return I::at(b.pure(Opcode::SExt, Kind::I64, {b.load(numbers, b.integer(k))}));
      };
      I most = number(0), at = i;
      for (int64_t k = 1; k < n; ++k) {
        const I next = number(k);
        const auto above = next > most;
        most = num::select(above, next, most);
        at = num::select(above, I(k), at);
      }
      return at;
    };
  };
  CHECK_FALSE(reads_beyond({24, 1}, 60, largest(60)));
  CHECK(reads_beyond({24, 1}, 59, largest(60)));
}

TEST_CASE("Index bounds in a branch use its condition") {
  const auto guarded = [](int64_t low, int64_t high) {
    return [low, high](Builder& b, int x, I i, I) {
      const int y = b.buffer(Storage::F32, true);
      const I at = i - I(2);
      const auto inside = num::both(at >= I(low), at < I(high));
      const BlockId then = b.open_branch();
      b.yield({b.load(x, at.id)});
      b.leave();
      const BlockId otherwise = b.open_branch();
      b.yield({b.constant(Kind::F32, 0)});
      b.leave();
      b.store(y, b.integer(0), b.branch(inside.id, then, otherwise)[0]);
    };
  };
  CHECK_FALSE(refused({40, 1}, 24, guarded(0, 24)));
  CHECK(refused({40, 1}, 24, guarded(-1, 24)));
  CHECK(refused({40, 1}, 24, guarded(0, 25)));
}

TEST_CASE("Loops count up to their bounds, and what they hand on is followed once") {
  const auto summed = [](int64_t to) {
    return [to](Builder& b, int x, I i, I) {
      const int y = b.buffer(Storage::F32, true);
      const BlockId body = b.open({Kind::I64});
      b.yield({b.load(x, (I::at(b.param(body, 0)) + i).id)});
      b.leave();
      b.store(y, b.integer(0),
              b.fold(b.integer(to), {b.constant(Kind::F32, 0)}, {Combine::Add}, body)[0]);
    };
  };
  CHECK_FALSE(refused({5, 1}, 24, summed(20)));
  CHECK(refused({5, 1}, 24, summed(21)));
  const auto carried = [](int64_t most) {
    return [most](Builder& b, int x, I, I) {
      const int y = b.buffer(Storage::F32, true);
      const BlockId body = b.open({Kind::I64, Kind::I64, Kind::F32});
      const I at = I::at(b.param(body, 1));
      b.yield({num::minimum(num::maximum(at + loaded(b), I(0)), I(most)).id, b.load(x, at.id)});
      b.leave();
      const auto r =
          b.loop(b.integer(0), b.integer(9), 1, {b.integer(3), b.constant(Kind::F32, 0)}, body);
      b.store(y, b.integer(0), r[1]);
    };
  };
  CHECK_FALSE(refused({1, 1}, 24, carried(23)));
  CHECK(refused({1, 1}, 24, carried(24)));
}

TEST_CASE("Per-lane arrays and stores are checked, and the text names the position") {
  Builder b("test");
  const num::Writing writing(b);
  const int y = b.buffer(Storage::F32, true);
  const Id array = b.local(Kind::F32, 7);
  const BlockId body = b.open({Kind::I64});
  b.local_store(array, b.param(body, 0), b.constant(Kind::F32, 0));
  b.leave();
  b.for_each(b.integer(8), body);
  b.store(y, b.index(0), b.local_load(array, b.integer(0)));
  const Kernel k = b.finish(1, 0, {});
  const OutOfBounds local = find_out_of_bounds(k, {{5}, {}, {5}});
  CHECK(local.text == "writes a lane's array of 7 elements at 0 to 7, along a loop from 0 to 7");
  Builder c("test");
  const int z = c.buffer(Storage::F32, true);
  c.store(z, c.index(0), c.constant(Kind::F32, 0));
  const OutOfBounds store = find_out_of_bounds(c.finish(1, 0, {}), {{6}, {}, {5}});
  CHECK(store.text == "writes buffer 0 of 5 elements at 0 to 5, along grid axis 0 of 6 points");
}
