// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/functions/random/random_rbg_test.cpp: compares "rbg" keys with JAX (make_random_rbg.py),
// and tests their lanes and errors.
#include <functional>
#include <map>

#include "support/check.h"
#include "support/golden_lines.h"

using namespace weft;
using namespace weft::test;
namespace r = weft::random;

namespace {

const r::KeyOptions rbg{.impl = "rbg"};
using Draw = std::function<Array(Array)>;  // takes a key

Array words(const Array& x) { return lax::bitcast_convert_type(x, U32); }

std::map<std::string, Draw> draws() {
  return {{"seed", [](Array k) { return r::key_data(k); }},
          {"split", [](Array k) { return r::key_data(r::split(k, 3)); }},
          {"split_grid", [](Array k) { return r::key_data(r::split(r::split(k, 3)[1], {2, 2})); }},
          {"fold_in", [](Array k) { return r::key_data(r::fold_in(k, 9)); }},
          {"bits8", [](Array k) { return r::bits(k, {9}, {U8}); }},
          {"bits16", [](Array k) { return r::bits(k, {9}, {U16}); }},
          {"bits32", [](Array k) { return r::bits(k, {9}); }},
          {"bits64", [](Array k) { return words(r::bits(k, {5}, {U64})); }},
          {"bits_grid", [](Array k) { return r::bits(r::split(k, 3)[2], {3, 5}); }},
          {"bits_one", [](Array k) { return r::bits(r::split(k, 3)[2]); }},
          {"uniform", [](Array k) { return r::uniform(k, {6}, {.lo = -1., .hi = 3.}); }},
          {"normal", [](Array k) { return r::normal(k, {6}); }},
          {"normal64", [](Array k) { return r::normal(k, {4}, {F64}); }},
          {"half", [](Array k) { return r::uniform(k, {6}, {.dtype = F16}); }},
          {"randint", [](Array k) { return r::randint(k, {6}, -5, 90); }},
          {"bernoulli", [](Array k) { return r::bernoulli(k, 0.3, {9}); }},
          {"permutation", [](Array k) { return r::permutation(k, 7); }},
          {"categorical",
           [](Array k) { return r::categorical(k, array({0., 1., 2.}), {.shape = Shape{6}}); }},
          {"gamma", [](Array k) { return r::gamma(k, array({0.3, 2.5, 40.})); }}};
}

}  // namespace

TEST_CASE("keys of rbg draw JAX's numbers", "[functions][random]") {
  auto lines = testing::golden_lines("random_rbg.txt");
  const Array key = r::key(42, rbg);
  for (const auto& [name, f] : draws()) {
    INFO(name);
    REQUIRE(lines.count(name));
    testing::check_line(f(key), lines.at(name), 2e-6);
    testing::check_line(jit(f)(key), lines.at(name), 2e-6);
    lines.erase(name);
  }
  testing::check_line(r::key_data(r::key(-7, rbg)), lines.at("negative"), 0);
  testing::check_line(r::PRNGKey(5, rbg), lines.at("PRNGKey"), 0);
  // The counter overflows 32, 64 and 128 bits.
  const std::vector<uint32_t> ends[] = {{0xFFFFFFFF, 7, 0xFFFFFFFF, 7},
                                        {0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFF},
                                        {0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}};
  for (size_t i = 0; i < 3; ++i) {
    const Array end = r::wrap_key_data(array(ends[i]), rbg);
    CHECK(r::key_data(end).to_vector<uint32_t>() == ends[i]);
    const std::string name = "end" + std::to_string(i);
    const auto narrow = [](Array k) { return r::bits(k, {14}); };
    const auto wide = [](Array k) { return words(r::bits(k, {6}, {U64})); };
    testing::check_line(narrow(end), lines.at(name), 0);
    testing::check_line(jit(narrow)(end), lines.at(name), 0);
    testing::check_line(wide(end), lines.at(name + "_wide"), 0);
    testing::check_line(jit(wide)(end), lines.at(name + "_wide"), 0);
    lines.erase(name);
    lines.erase(name + "_wide");
  }
  CHECK(lines.size() == 2);
}

TEST_CASE("each lane of keys of rbg draws the numbers of its key", "[functions][random]") {
  const Array keys = r::split(r::key(1, rbg), 4);
  for (const auto& [name, f] : draws()) {
    INFO(name);
    Arrays alone;
    for (int i = 0; i < 4; ++i) alone.push_back(f(keys[i]));
    const Array want = stack(alone);
    CHECK(array_equal(vmap(f)(keys), want).item<bool>());
    CHECK(array_equal(jit(vmap(f))(keys), want).item<bool>());
  }
}

TEST_CASE("keys of rbg are a type of their own", "[functions][random]") {
  const Array key = r::key(0, rbg);
  CHECK(key.dtype() == RbgKey);
  CHECK(r::key_impl(key) == "rbg");
  CHECK(r::key(zeros({}, I32), rbg).dtype() == RbgKey);
  CHECK(r::wrap_key_data(r::key_data(key), rbg).dtype() == RbgKey);
  const std::string program = to_string(make_jaxpr([](Array k) { return r::split(k, 2); })(key));
  CHECK(program.find("key<rbg>[2]") != std::string::npos);
  CHECK(to_string(parse_jaxpr(program)) == program);
  // Keys are values of loops, branches, masks and indices.
  const Array keys = r::split(key, 3);
  CHECK(
      array_equal(r::key_data(keys[slice(none, none, -1)])[0], r::key_data(keys[2])).item<bool>());
  CHECK(array_equal(r::key_data(where(array({true, false, true}), keys, keys[0])),
                    r::key_data(take(keys, array({0, 0, 2}), 0)))
            .item<bool>());
  CHECK((keys == keys[1]).to_vector<bool>() == std::vector<bool>{false, true, false});
  const auto walk = [](Array k) {
    return r::key_data(fori_loop(0, 3, [](Array i, Array k) { return r::fold_in(k, i); }, k));
  };
  CHECK(array_equal(jit(walk)(key), walk(key)).item<bool>());
}

TEST_CASE("keys of two types do not mix", "[functions][random][errors]") {
  const Array key = r::key(0, rbg), fry = r::key(0);
  const auto refused = [](auto f) { return error_of<DTypeError>(f); };
  CHECK_THAT(refused([&] { concatenate({r::split(key, 2), r::split(fry, 2)}); }),
             Catch::Contains("key"));
  CHECK_THAT(refused([&] { where(array({true}), key, fry); }), Catch::Contains("key"));
  CHECK_THAT(refused([&] { return key == fry; }), Catch::Contains("key"));
  CHECK_THAT(refused([&] { return key + 1; }), Catch::Contains("key"));
  CHECK_THAT(refused([&] { return key.astype(Key); }), Catch::Contains("key"));
  CHECK_THAT(error_of<ShapeError>([&] { r::wrap_key_data(r::key_data(fry), rbg); }),
             Catch::Contains("u32[…, 4]"));
  CHECK_THAT(error_of<ShapeError>([&] { r::wrap_key_data(r::key_data(key)); }),
             Catch::Contains("size 2"));
  CHECK_THAT(error_of<IndexError>(
                 [&] { r::wrap_key_data(array(std::vector<uint32_t>{1, 2, 3, 4}), rbg); }),
             Catch::Contains("the last two words"));
  CHECK_THAT(error_of<ConcretizationError>([&] {
               jit([&](Array w) { return r::bits(r::wrap_key_data(w, rbg)); })(r::key_data(key));
             }),
             Catch::Contains("make the keys outside"));
}
