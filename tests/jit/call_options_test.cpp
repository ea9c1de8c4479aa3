// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/call_options_test.cpp: the options of jit hold wherever its call ends up: compiled
// ahead, under a transform, inside another jit.
#include "support/check.h"

namespace weft {
namespace {

using test::check_error;

// Never ends for what is above zero.
Array endless(Array x) {
  return while_loop([](Array v) { return v > 0.; }, [](Array v) { return v * 1.; }, x);
}

}  // namespace

TEST_CASE("time_limit ends the call wherever it is", "[jit][options]") {
  const auto f = jit(endless, {.name = "spin", .time_limit = 0.05});
  const Array one = ones({}), two = ones({2});
  check_error<InterruptedError>([&] { f.lower(one).compile()(one); }, "spin: the time limit");
  check_error<InterruptedError>([&] { vmap(f)(two); }, "spin: the time limit");
  check_error<InterruptedError>([&] { jit(f)(one); }, "spin: the time limit");
  check_error<InterruptedError>([&] { jit([f](Array x) { return f(x * 2.) + 1.; })(one); },
                                "spin: the time limit");
  check_error<InterruptedError>([&] { jit(vmap(f)).lower(two).compile()(two); }, "spin");
  check_error<InterruptedError>([&] { jvp(f, std::tuple{one}, std::tuple{one}); }, "spin");
  // In a loop around it, and in one whose lanes stop at different steps.
  const auto loop = [f](Array n) {
    return fori_loop(0, n, [f](Array, Array x) { return f(x) + 1.; }, Array(0.));
  };
  check_error<InterruptedError>([&] { jit(loop)(Array(2)); }, "spin");
  check_error<InterruptedError>([&] { jit(vmap(loop))(array({0, 1, 2})); }, "spin");
  CHECK(jit(vmap(loop))(array({0, 1, 0})).to_vector<float>() == test::Floats{0, 1, 0});
  // The limit around it, which is shorter.
  const auto patient = jit(endless, {.name = "patient", .time_limit = 1e6});
  check_error<InterruptedError>([&] { jit(patient, {.time_limit = 0.05})(one); }, "time limit");
  // An end in time.
  CHECK(jit(f)(zeros({})).item<float>() == 0);
  CHECK(vmap(f)(zeros({3})).to_vector<float>() == test::Floats{0, 0, 0});
}

TEST_CASE("check_nans looks at the call wherever it is", "[jit][options]") {
  const auto f = jit([](Array x) { return log(x); }, {.name = "logs", .check_nans = true});
  const Array bad = full({}, -1.), good = full({}, 1.), two = array({1., -1.});
  const auto raises = [](auto run) {
    check_error<CheckError>(run, "nan");
    check_error<CheckError>(run, "'log'");
  };
  raises([&] { f.lower(bad).compile()(bad); });
  raises([&] { vmap(f)(two); });
  raises([&] { jit([f](Array x) { return where(x > 0., f(x), 0.); })(bad); });
  raises([&] { grad(f)(bad); });
  raises([&] { jit(vmap(f))(two); });
  CHECK(jit(f)(good).item<float>() == 0);
  CHECK(grad(f)(good).item<float>() == 1);
  // A branch that a lane does not take makes nothing that counts.
  const auto guarded = [f](Array x) {
    return cond(x > 0., [f](Array v) { return f(v); }, [](Array v) { return v; }, x);
  };
  CHECK(jit(vmap(guarded))(two).to_vector<float>() == test::Floats{0, -1});
}

TEST_CASE("donate_argnums takes the arguments of what was compiled ahead", "[jit][options]") {
  const auto f =
      jit([](Array x, Array y) { return x + y; }, {.donate_argnums = {0}, .name = "add"});
  const Array a = ones({3}), b = ones({3});
  const auto compiled = f.lower(a, b).compile();
  CHECK(compiled(a, b).to_vector<float>() == test::Floats{2, 2, 2});
  check_error<DeviceError>([&] { (void)(a + 1.); }, "donated to 'add'");
  CHECK(b.sum().item<float>() == 3);
  // Inside another transform arguments are not given away.
  const Array c = ones({3});
  (void)jit([&](Array x) { return f(c, x); })(b);
  (void)vmap(f)(c, b);
  CHECK(c.sum().item<float>() == 3);
}

TEST_CASE("a compiled program says which argument has another type", "[jit][options]") {
  const auto compiled = jit([](Array x) { return x + 1.; }).lower(ones({3})).compile();
  check_error<DTypeError>([&] { compiled(ones({3}, F64)); }, "args[0]");
  check_error<ShapeError>([&] { compiled(ones({4})); }, "f32[3], got f32[4]");
}

}  // namespace weft
