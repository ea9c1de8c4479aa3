// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/random/random_test.cpp: random numbers under maps, and mistakes of the user.
#include "support/check.h"

using namespace weft;
using namespace weft::test;

namespace {
bool equals(const Array& a, const Array& b) { return static_cast<bool>(array_equal(a, b)); }
const auto draw = [](Array k) { return random::normal(k, {5}); };
}  // namespace

TEST_CASE("a map over keys draws the numbers of each key", "[random]") {
  const Array keys = random::split(random::key(7), 4);
  const Array all = vmap(draw)(keys);
  for (int64_t i = 0; i < 4; ++i) CHECK(equals(all[i], draw(keys[i])));
  CHECK(equals(jit(vmap(draw))(keys), all));
  const auto shuffle = [](Array k) { return random::permutation(k, 9); };
  CHECK(equals(vmap(shuffle)(keys)[2], shuffle(keys[2])));
  const auto fold = [](Array k, Array i) { return random::key_data(random::fold_in(k, i)); };
  CHECK(equals(vmap(fold, {none, 0})(keys[0], arange(3))[1], fold(keys[0], Array(1))));
  CHECK(equals(vmap([](Array k) { return random::key_data(random::split(k, 3)); })(keys)[3],
               random::key_data(random::split(keys[3], 3))));
}

TEST_CASE("a longer draw begins with the shorter one", "[random]") {
  const Array k = random::key(3);
  CHECK(equals(random::bits(k, {6})[slice(0, 3)], random::bits(k, {3})));
  CHECK(equals(random::bits(k, {2, 3}).ravel(), random::bits(k, {6})));
  CHECK(equals(random::key_data(random::split(k, 5)[4]), random::key_data(random::fold_in(k, 4))));
}

TEST_CASE(".randomness decides how a map uses an unmapped key", "[random]") {
  const Array k = random::key(1), x = zeros({3});
  const auto f = [k](Array y) { return y + random::uniform(k); };
  const Array same = vmap(f)(x);
  CHECK(equals(same, broadcast_to(random::uniform(k), {3})));
  const Array different = vmap(f, 0, 0, {.randomness = "different"})(x);
  for (int64_t i = 0; i < 3; ++i)
    CHECK(equals(different[i], random::uniform(random::fold_in(k, i))));
  CHECK(equals(vmap(f, 0, 0, {.randomness = "different", .chunk_size = 2})(x), different));
  check_error<BatchingError>([&] { vmap(f, 0, 0, {.randomness = "error"})(x); },
                             "draws with a key that is not mapped");
}

TEST_CASE("mistakes with keys", "[random][errors]") {
  const Array keys = random::split(random::key(0), 3);
  check_error<ShapeError>([&] { random::normal(keys); },
                          "normal accepts a single key, but was given a key array of shape (3,)");
  check_error<ShapeError>([&] { random::normal(keys); }, "random_test.cpp:");
  check_error<DTypeError>([&] { random::normal(arange(2)); }, "the first argument must be a key");
  check_error<DTypeError>([&] { random::key(Array(1.5)); }, "a seed must be an integer");
  check_error<DTypeError>([&] { random::fold_in(random::key(0), 1.5); },
                          "fold_in: the data must be an integer, got f32[]");
  check_error<DTypeError>([&] { random::fold_in(random::key(0), arange(2)); },
                          "must be a scalar, got i32[2]; use weft::vmap for a batch");
  check_error<DTypeError>([&] { random::uniform(keys[0], {2}, {.dtype = I32}); },
                          "dtype must be a float, not i32");
  check_error<ShapeError>([&] { random::choice(keys[0], 3, {4}, {.replace = false}); },
                          "4 elements without replacement from 3");
  check_error<ShapeError>([&] { random::categorical(keys[0], zeros({2, 3}), {.shape = Shape{4}}); },
                          "must end in the shape of the logits");
  check_error<DTypeError>([&] { keys + 1; }, "add");
}

TEST_CASE("shapes of what is drawn may be written in braces") {
  const Array key = random::key(0);
  CHECK(random::bernoulli(key, .5, {4}).shape() == Shape{4});
  CHECK(random::bernoulli(key, array({.1, .2})).shape() == Shape{2});
  CHECK(random::truncated_normal(key, -1., 1., {2, 3}).shape() == Shape{2, 3});
  CHECK(random::lognormal(key, 1., {}).shape() == Shape{});
}
