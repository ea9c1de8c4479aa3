// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/call_options_test.cpp: the options of jit take effect wherever the function is called:
// compiled ahead, under a transform, inside another jit.
#include "support/check.h"

namespace weft {
namespace {

using test::check_error;

// Never ends for values above zero.
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
  // The call is in a loop, and in a loop whose lanes stop after different steps.
  const auto loop = [f](Array n) {
    return fori_loop(0, n, [f](Array, Array x) { return f(x) + 1.; }, Array(0.));
  };
  check_error<InterruptedError>([&] { jit(loop)(Array(2)); }, "spin");
  check_error<InterruptedError>([&] { jit(vmap(loop))(array({0, 1, 2})); }, "spin");
  CHECK(jit(vmap(loop))(array({0, 1, 0})).to_vector<float>() == test::Floats{0, 1, 0});
  // The outer limit is shorter and takes effect.
  const auto patient = jit(endless, {.name = "patient", .time_limit = 1e6});
  check_error<InterruptedError>([&] { jit(patient, {.time_limit = 0.05})(one); }, "time limit");
  // These calls end in time.
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
  // NaNs of a branch that a lane does not take do not count.
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
  // Inside another transform arguments are not donated.
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

// The numbers of elements, names and sizes are structure. Numbers, texts and enums are static.
struct Part {
  Array w;
  int n = 0;
};
double twice(double x) { return 2 * x; }
double thrice(double x) { return 3 * x; }

TEST_CASE("a compiled program takes the static values it was lowered for", "[jit][options]") {
  const Array x = array({1., 2.});
  const auto c = jit([](Array a, int n) { return a * double(n); }).lower(x, 2).compile();
  CHECK(c(x, 2).to_vector<float>() == test::Floats{2, 4});
  check_error<CompileError>([&] { c(x, 3); },
                            "args[1] of a compiled program is static: it was lowered for 2 and "
                            "called with 3; lower and compile it again");
  const auto s = jit([](Array a, std::string t) { return a * double(t.size()); });
  const auto text = s.lower(x, "ab").compile();
  CHECK(text(x, "ab").to_vector<float>() == test::Floats{2, 4});
  check_error<CompileError>([&] { text(x, "abc"); }, "lowered for 'ab' and called with 'abc'");
  const auto p = jit([](Part a) { return a.w * a.n; }).lower(Part{x, 2}).compile();
  CHECK(p(Part{x + 1, 2}).to_vector<float>() == test::Floats{4, 6});
  check_error<CompileError>([&] { p({x, 5}); }, "args[0].n of a compiled program is static");
  // The key contains the text, not its address.
  std::string name = "a long enough text to lie elsewhere";
  const auto view = jit([](Array a, const char*) { return a; }).lower(x, name.c_str()).compile();
  const std::string copy = name;
  name[0] = 'A';
  CHECK(view(x, copy.c_str()).to_vector<float>() == test::Floats{1, 2});
  check_error<CompileError>([&] { view(x, name.c_str()); }, "args[1]");
  const auto f = jit([](Array a, double (*g)(double)) { return a * g(1); });
  const auto call = f.lower(x, twice).compile();
  CHECK(call(x, twice).to_vector<float>() == test::Floats{2, 4});
  check_error<CompileError>([&] { call(x, thrice); }, "another callable");
}

TEST_CASE("a compiled program takes the structure it was lowered for", "[jit][options]") {
  using List = std::vector<Array>;
  using Map = std::map<std::string, Array>;
  const Array x = array({1., 2.}), y = array({3., 4.});
  const auto list = jit([](List a) { return a[0]; }).lower(List{x}).compile();
  CHECK(list(List{y}).to_vector<float>() == test::Floats{3, 4});
  check_error<ShapeError>([&] { list(List{x, x}); },
                          "args[0] of a compiled program must have the same tree structure as when "
                          "it was lowered: expected [*], got [*, *]");
  const auto lists = jit([](std::vector<List> a) { return a[1].at(0); });
  const auto rows = lists.lower(std::vector<List>{{x, x}, {x}}).compile();
  check_error<ShapeError>([&] { rows({{x}, {x, x}}); }, "args[0][0] of a compiled program");
  const auto map = jit([](Map a) { return a.begin()->second; }).lower(Map{{"a", x}}).compile();
  CHECK(map(Map{{"a", y}}).to_vector<float>() == test::Floats{3, 4});
  check_error<ShapeError>([&] { map(Map{{"b", x}}); }, "expected {'a': *}, got {'b': *}");
  const auto maybe = jit([](Array a, std::optional<Array> b) { return b ? a + *b : a; });
  const auto with = maybe.lower(x, std::optional(y)).compile();
  check_error<ShapeError>([&] { with(x, std::nullopt); }, "args[1] of a compiled program");
  const auto without = maybe.lower(x, std::optional<Array>()).compile();
  check_error<ShapeError>([&] { without(x, y); }, "expected none, got *");
}

}  // namespace weft
