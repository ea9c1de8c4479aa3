// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/transforms/options_test.cpp: every option of the transforms and of control flow has an
// effect: each of these checks fails if the option is ignored. tests/functions/options_test.cpp
// checks the options of functions.
//
// The table says where each option is checked ("here" is this file).
// clang-format off
//     vmap             axis_name: collective_test.cpp; axis_size: vmap_test.cpp "axis_size alone";
//                      spmd_axis_name: here, an error, lanes are on one device;
//                      randomness: tests/functions/random/random_test.cpp;
//                      chunk_size: here, calls and lanes counted;
//                      memory_budget: vmap_test.cpp "chunks give what the whole gives";
//                      strict: here, with an op without a batching rule
//     jit              donate_argnums, name: jit_test.cpp "donated arguments are used up";
//                      device, check_nans: jit_test.cpp "options are obeyed or refused";
//                      keep_unused: here, bytes of arguments;
//                      time_limit: here, an endless loop ends
//     vectorized_map   fallback_to_while_loop, warn: here, with an op without a batching rule
//     pfor, map        parallel_iterations, batch_size: here, calls counted
//     scan             length, reverse: control_flow_test.cpp "scan carries and collects";
//                      unroll: here, the loop that is left
//     while_loop       max_trips: control_flow_test.cpp "while_loop ends"
//     associative_scan reverse: control_flow_test.cpp "associative_scan is"; axis: here
//     shard_map        check_vma: shard_map_test.cpp "shard_map refuses to share a result that lanes differ in"
//     jacfwd, jacrev   chunk_size: here, calls counted, programs compared
//     all_gather       axis, tiled: collective_test.cpp "all_gather stacks or joins"
// clang-format on
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>

#include "support/check.h"
#include "support/standard_error.h"
#include "tracer/concrete.h"
#include "tracer/trace.h"

using namespace weft;
using namespace weft::test;

namespace {

// Computes x + 1 by an op that cannot be mapped. Each test uses its own op, since a warning appears
// once per op.
const Primitive<None>& op_without_rule(const char* name) {
  return define<None>({
      .name = name,
      .doc = "x + 1 without a batching rule.",
      .type = [](const Types& in, const None&) { return in; },
      .reference =
          [](const Arrays& x, const None&) {
            std::vector<float> v = x[0].to_vector<float>();
            for (float& e : v) e += 1;
            return Arrays{array_of_bytes(x[0].type(), v.data())};
          },
      .implementations =
          [] {
            const auto plus_one = [](const Use<None>&) {
              return NativeCall{
                  [](const NativeArgs& a) { *a.out<float>(0, 1) = *a.in<float>(0, 1) + 1; }};
            };
            return std::vector<Implementation<None>>{{.name = "native", .make = plus_one}};
          },
  });
}
const auto& first = op_without_rule("test_first");
const auto& second = op_without_rule("test_second");
const auto& third = op_without_rule("test_third");
}  // namespace

TEST_CASE("vmap: chunk_size is how many lanes run at a time", "[options]") {
  const Array x = arange(7.);
  int calls = 0;
  const auto counted = [&](Array v) {
    ++calls;
    return v + 1;
  };
  CHECK(floats(vmap(counted, 0, 0, {.chunk_size = 3})(x)) == Floats{1, 2, 3, 4, 5, 6, 7});
  CHECK(calls == 3);
  // The recorded program is a loop over full chunks, and the remaining lanes. It is one map if no
  // lane stores an intermediate. (The first call finds this out.)
  const auto program = [&](auto f) {
    return to_string(make_jaxpr(vmap(f, 0, 0, {.chunk_size = 3}))(x));
  };
  const auto stored = [&](Array v) { return sort(counted(v) * arange(5.)).sum(); };
  calls = 0;
  const std::string loop = program(stored);
  CHECK(calls == 3);
  CHECK(loop.find("f32[2,3]") != std::string::npos);
  CHECK(loop.find("length=2") != std::string::npos);
  CHECK(program(counted).find("scan") == std::string::npos);
}

TEST_CASE("vmap: spmd_axis_name is refused", "[options]") {
  const auto f = [](Array x) { return x; };
  check_error<AxisNameError>([&] { vmap(f, 0, 0, {.spmd_axis_name = "data"})(zeros({2})); },
                             "spmd_axis_name is 'data', but the lanes of a map are on one device");
}

TEST_CASE("vmap: strict refuses a loop over lanes", "[options]") {
  const auto f = [](Array x) { return first({x}); };
  const Array x = array({1., 2., 3.});
  std::string said;
  said = logged([&] { CHECK(floats(vmap(f)(x)) == Floats{2, 3, 4}); });
  CHECK(said.find("'test_first' has no batching rule; it runs as a loop over lanes") !=
        std::string::npos);
  CHECK(logged([&] { vmap(f)(x); }).empty());  // the warning appears once
  CHECK(jit(vmap(f)).lower(x).report().find(
            "one lane after another: 'test_first' has no batching rule") != std::string::npos);
  check_error<BatchingError>([&] { vmap(f, 0, 0, {.strict = true})(x); },
                             "vmap: 'test_first' has no batching rule, and the map is strict");
  CHECK(floats(jit(vmap(f))(x)) == Floats{2, 3, 4});
}

TEST_CASE("vmap: strict refuses all that runs lane by lane", "[options]") {
  const Array x = array({1., 2., 3.});
  const ShapeDtypeStruct scalar{{}, F32};
  const auto same = [](Array v) { return v; };
  const auto refused = [&](auto f, const char* name) {
    INFO(name);
    CHECK(floats(vmap(f)(x)) == Floats{1, 2, 3});
    CHECK(floats(vmap(f, none, 0, {.axis_size = 2})(1.)) == Floats{1, 1});
    const std::string text =
        "vmap: '" + std::string(name) + "' has no batching rule, and the map is strict";
    check_error<BatchingError>([&] { vmap(f, 0, 0, {.strict = true})(x); }, text);
    check_error<BatchingError>([&] { jit(vmap(jit(f), 0, 0, {.strict = true}))(x); }, text);
    check_error<BatchingError>(
        [&] { vmap([&](Array v) { return cond(v > 0., f, same, v); }, 0, 0, {.strict = true})(x); },
        text);
    check_error<BatchingError>([&] { vectorized_map(f, x, {.fallback_to_while_loop = false}); },
                               text);
  };
  const auto pure = [&](Array v) { return pure_callback(same, scalar, v); };
  refused(pure, "pure_callback");
  refused([&](Array v) { return io_callback(same, scalar, v); }, "io_callback");
  refused([&](Array v) { return sequential_vmap(same)(v); }, "sequential_vmap");
  const CustomCall copy = [](void* const* out, const void* const* in, const BufferType*) {
    *static_cast<float*>(out[0]) = *static_cast<const float*>(in[0]);
  };
  refused([&](Array v) { return custom_call("options_copy", copy, scalar, v); }, "custom_call");
  // A value that all lanes share needs one call only. An op with a rule counts as having one.
  CHECK(floats(vmap(pure, none, 0, {.axis_size = 2, .strict = true})(1.)) == Floats{1, 1});
  const auto ruled =
      custom_vmap(same, [](int64_t, tree::Mask, Array v) { return std::pair{v, true}; });
  CHECK(floats(vmap(ruled, 0, 0, {.strict = true})(x)) == Floats{1, 2, 3});
}

TEST_CASE("vectorized_map: fallback_to_while_loop, warn", "[options]") {
  const auto f = [](Array x) { return second({x}); };
  const auto g = [](Array x) { return third({x}); };
  const Array x = array({1., 2., 3.});
  check_error<BatchingError>([&] { vectorized_map(f, x, {.fallback_to_while_loop = false}); },
                             "'test_second' has no batching rule");
  std::string quiet, loud;
  quiet = logged([&] { CHECK(floats(vectorized_map(f, x, {.warn = false})) == Floats{2, 3, 4}); });
  CHECK(quiet.empty());
  loud = logged([&] { CHECK(floats(vectorized_map(g, x)) == Floats{2, 3, 4}); });
  CHECK(loud.find("'test_third' has no batching rule") != std::string::npos);
}

TEST_CASE("WEFT_LOG says what is logged, on the standard error", "[options]") {
  const auto child = [](const std::string& environment) {
    const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
    std::FILE* out =
        popen((environment + " '" + self + "' '[.][logs-once]' 2>&1 >/dev/null").c_str(), "r");
    REQUIRE(out != nullptr);
    std::string text;
    for (int c = 0; (c = std::fgetc(out)) != EOF;) text += static_cast<char>(c);
    CHECK(pclose(out) == 0);
    return text;
  };
  const std::string line =
      "weft: warning: vmap: 'test_first' has no batching rule; it runs as a loop over lanes\n";
  CHECK(child("env -u WEFT_LOG") == line);
  CHECK(child("WEFT_LOG=warning") == line);
  CHECK(child("WEFT_LOG=no_such_level") ==
        "weft: warning: WEFT_LOG names 'no_such_level', which is neither a level nor a topic\n" +
            line);
  CHECK(child("WEFT_LOG=error,passes").find("weft: after simplify\n{ lambda") != std::string::npos);
  CHECK(child("WEFT_LOG=error").empty());
  CHECK(child("WEFT_LOG=off").empty());
}
TEST_CASE("process of the previous test case", "[.][logs-once]") {
  vmap([](Array x) { return first({x}); })(array({1., 2.}));
}

TEST_CASE("jit: keep_unused passes what is not read", "[options]") {
  const auto f = [](Array x, Array) { return x + 1.f; };
  // A deleted array is allowed as an unused argument, but it cannot be passed to the program.
  const Array gone = ones({100});
  jit([](Array x) { return x * 2.f; }, {.donate_argnums = {0}})(gone);
  CHECK(jit(f)(1., gone).item<float>() == 2);
  check_error<DeviceError>([&] { jit(f, {.keep_unused = true})(1., gone); }, "donated");
}

TEST_CASE("jit: time_limit ends what runs too long", "[options]") {
  const auto f = [](Array x) {
    return while_loop([](Array v) { return v >= 0.f; }, [](Array v) { return v * .5f; }, x);
  };
  check_error<InterruptedError>([&] { jit(f, {.time_limit = 0.05})(1.); }, "time");
  check_error<InterruptedError>([&] { jit(vmap(f), {.time_limit = 0.05})(ones({100})); }, "time");
  CHECK(jit(f, {.time_limit = 1e6})(-1.).item<float>() == -1);
}

TEST_CASE("limits of memory and threads", "[options]") {
  const Array x = arange(1e5);
  const auto f = jit([](Array x) { return (sin(x) * cos(x)).sum(); });
  const float sum = f(x).item<float>();
  const int before = num_threads();
  for (const int n : {1, 3}) {
    set_num_threads(n);
    CHECK(num_threads() == n);
    CHECK(f(x).item<float>() == sum);
  }
  set_num_threads(before);
  set_memory_limit(memory_in_use() + (1 << 20));
  CHECK(zeros({1000}).size() == 1000);
  check_error<OutOfMemoryError>([&] { jit([](Array x) { return x + 1.f; })(zeros({1 << 20})); },
                                "cannot allocate 4194304 bytes");
  set_memory_limit(0);
  CHECK(zeros({1 << 20}).size() == 1 << 20);
}

TEST_CASE("pfor, map: so many at a time", "[options]") {
  int calls = 0;
  const auto f = [&](Array x) {
    ++calls;
    return x * 2;
  };
  CHECK(pfor(f, 5, {.parallel_iterations = 2}).to_vector<int>() == std::vector<int>{0, 2, 4, 6, 8});
  CHECK(calls == 3);
  calls = 0;
  CHECK(pfor(f, 5).size() == 5);
  CHECK(calls == 1);
  calls = 0;
  CHECK(weft::map(f, arange(7), {.batch_size = 3}).to_vector<int>() ==
        std::vector<int>{0, 2, 4, 6, 8, 10, 12});
  CHECK(calls == 3);
  check_error<ShapeError>([&] { weft::map(f, arange(7), {.batch_size = -2}); },
                          "map: batch_size must not be negative, got -2");
}

TEST_CASE("scan: unroll does not write out more than can be compiled", "[options]") {
  const auto f = [](int64_t unroll) {
    return [=](Array c, Array xs) {
      return scan([](Array s, Array x) { return std::pair{sin(s) + x, s}; }, c, xs,
                  {.unroll = unroll});
    };
  };
  const Array xs = zeros({100'000});
  for (const int64_t unroll : {int64_t{0}, int64_t{50'000}, std::numeric_limits<int64_t>::max()}) {
    check_error<CompileError>([&] { jit(f(unroll))(0., xs); },
                              "steps of about 7 equations written out, and more than 32768");
    check_error<CompileError>([&] { f(unroll)(0., xs); }, "(.unroll = 16)");
    check_error<CompileError>(
        [&] { jit(grad([&](Array c) { return f(unroll)(c, xs).first; }))(0.); }, "scan: .unroll");
  }
  CHECK(jit(f(16))(0., xs).first.item<float>() == 0);
}

TEST_CASE("scan: unroll writes steps out", "[options]") {
  const auto f = [](int64_t unroll, bool reverse) {
    return [=](Array x, Array xs) {
      return scan([](Array c, Array t) { return std::pair{c * .5f + t, c - t}; }, x, xs,
                  {.reverse = reverse, .unroll = unroll});
    };
  };
  const Array x = array(1.), xs = arange(7.);
  const auto length = [&](int64_t unroll) {
    const std::string text = jit(f(unroll, false)).lower(x, xs).optimized();
    const size_t at = text.find("length=");
    return at == std::string::npos ? 0 : std::stoi(text.substr(at + 7));
  };
  CHECK(length(1) == 7);
  CHECK(length(2) == 3);  // and one step after it
  CHECK(length(3) == 2);
  CHECK(length(0) == 1);  // all of them
  for (const bool reverse : {false, true})
    for (const int64_t unroll : {0, 2, 3, 4, 7, 100}) {
      INFO(unroll << reverse);
      const auto [c, ys] = jit(f(1, reverse))(x, xs);
      const auto [c2, ys2] = jit(f(unroll, reverse))(x, xs);
      CHECK(floats(c2) == floats(c));
      CHECK(floats(ys2) == floats(ys));
      const auto last = [&](Array x) { return f(unroll, reverse)(x, xs).first; };
      CHECK(jit(grad(last))(x).item<float>() == std::pow(.5f, 7.f));
      const auto [mapped, rows] = jit(vmap(f(unroll, reverse), {0, none}))(stack({x, x}), xs);
      CHECK(floats(mapped) == Floats{floats(c)[0], floats(c)[0]});
      CHECK(rows.shape() == Shape{2, 7});
    }
}

TEST_CASE("associative_scan: axis", "[options]") {
  const auto plus = [](Array a, Array b) { return a + b; };
  const Array x = array({{1., 2., 3.}, {4., 5., 6.}});
  CHECK(floats(associative_scan(plus, x)) == Floats{1, 2, 3, 5, 7, 9});
  CHECK(floats(associative_scan(plus, x, {.axis = 1})) == Floats{1, 3, 6, 4, 9, 15});
  CHECK(floats(associative_scan(plus, x, {.axis = -1})) == Floats{1, 3, 6, 4, 9, 15});
  // A negative axis counts from the end of the first array.
  using Pair = std::pair<Array, Array>;
  const auto both = [](Pair a, Pair b) { return Pair(a.first + b.first, a.second + b.second); };
  const auto [first, second] =
      associative_scan(both, Pair(array({1., 2., 3.}), ones({3, 2})), {.axis = -1});
  CHECK(floats(first) == Floats{1, 3, 6});
  CHECK(floats(second) == Floats{1, 1, 2, 2, 3, 3});
  for (const Pair& wrong : {Pair(ones({3}), ones({2, 3})), Pair(ones({2, 3}), ones({3}))})
    check_error<ShapeError>([&] { associative_scan(both, wrong, {.axis = -1}); },
                            "array inputs must all have the same size along the axis, got f32[");
}

TEST_CASE("Jacobians: chunk_size is how many columns or rows at a time", "[options]") {
  int calls = 0;
  const auto f = [&](Array x) {
    ++calls;
    return x * x;
  };
  const Array x = array({1., 2., 3., 4., 5.});
  const auto count = [&](auto g) {
    calls = 0;
    CHECK(g(x).shape() == Shape{5, 5});
    return calls;
  };
  CHECK(count(jacfwd(f)) == 1);
  CHECK(count(jacfwd(f, {.chunk_size = 2})) == 3);
  const auto program = [&](auto g) { return to_string(make_jaxpr(g)(x)); };
  for (const std::string& chunked :
       {program(jacrev(f, {.chunk_size = 2})), program(jacobian(f, {.chunk_size = 2}))})
    CHECK(chunked.find("length=2") != std::string::npos);
  CHECK(program(jacrev(f)).find("scan") == std::string::npos);
  const auto s = [](Array x) { return (x * x * x).sum(); };
  CHECK(program(hessian(s, {.chunk_size = 2})).find("length=2") != std::string::npos);
}
