// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/errors/function_names_test.cpp: the error of a call names the function that the user
// called, not a function that implements it. It also names the wrong argument or leaf.
#include <complex>

#include "errors/source_locations.h"

using namespace weft;
using namespace weft::test;

namespace {

// Checks that the text of f's error begins with `begin` and names the line once.
template <class E, class F>
void names(const std::string& begin, F f) {
  const std::string text = error_of<E>(f);
  INFO("expected: " << begin << "\ngot: " << text);
  CHECK(text.rfind(begin, 0) == 0);
  CHECK(count(text, "(at function_names_test.cpp:") == 1);
}
Array keys() { return random::split(key(), 3); }
Array narrow() { return ones({2, 2}, BF16); }

}  // namespace

TEST_CASE("errors name the called function, not its parts", "[errors][names]") {
  names<DTypeError>("inv: lu: takes f32, f64, c64 and c128", [] { linalg::inv(narrow()); });
  names<DTypeError>("pinv: svd: takes", [] { linalg::pinv(narrow()); });
  names<DTypeError>("solve: lu: takes", [] { linalg::solve(narrow(), ones({2}, BF16)); });
  names<DTypeError>("kron: multiply: there is no type", [] { kron(keys(), v3()); });
  names<DTypeError>("fft: a key is not a number", [] { fft::fft(keys()); });
  names<DTypeError>("irfft: a key is not a number", [] { fft::irfft(keys()); });
  names<DTypeError>("sin: takes numbers, got key[3]", [] { sin(keys()); });
  names<ShapeError>("trace: diagonal: the two axes", [] { trace(zeros({2, 2}), 0, 0, 0); });
  names<IndexError>("trace: diagonal: axis 1 is out of bounds", [] { trace(v3()); });
  names<ShapeError>("full: broadcast_to: f32[3] does not", [] { full({2}, v3()); });
  names<DTypeError>("full: convert_element_type: random keys", [] { full({2}, 1., Key); });
  names<ShapeError>("eye: negative size -1", [] { eye(-1); });
  names<ShapeError>("identity: negative size -1", [] { identity(-1); });
  names<ShapeError>("tri: negative size -1", [] { tri(-1); });
  names<IndexError>("bernoulli: -1 is not a number of terms", [] { special::bernoulli(-1); });
}

TEST_CASE("errors of axes out of range name the function", "[errors][names]") {
  names<IndexError>("cumsum: axis 3 is out of bounds", [] { lax::cumsum(v3(), 3); });
  names<IndexError>("cumlogsumexp: axis 3 is", [] { lax::cumlogsumexp(v3(), 3); });
  names<IndexError>("reduce_max: axis 3 is out of bounds", [] { lax::reduce_max(v3(), {3}); });
  names<IndexError>("argmin: axis 3 is out of bounds", [] { lax::argmin(v3(), 3, I32); });
  names<IndexError>("dot_general: axis 4 is out of bounds",
                    [] { lax::dot_general(m23(), m23(), {{4}, {0}}); });
  names<IndexError>("associative_scan: axis 3 is",
                    [] { associative_scan(plus, v3(), {.axis = 3}); });
}

TEST_CASE("calls in the user's function have their own names", "[errors][names]") {
  const auto fails = [](Array x) { return linalg::inv(x); };
  names<DTypeError>("inv: lu: takes", [&] { cg(fails, narrow()); });
  names<DTypeError>("inv: lu: takes", [&] {
    apply_along_axis([](Array x) { return linalg::inv(outer(x, x)); }, 0, narrow());
  });
}

TEST_CASE("collectives of keys name the collective", "[errors][names]") {
  const auto over = [](auto f) { return vmap(f, 0, 0, {.axis_name = "i"})(keys()); };
  names<DTypeError>("psum: takes numbers", [&] { over([](Array x) { return psum(x, "i"); }); });
  names<DTypeError>("pmean: takes numbers", [&] { over([](Array x) { return pmean(x, "i"); }); });
  names<DTypeError>("pmax: takes numbers", [&] { over([](Array x) { return pmax(x, "i"); }); });
  names<DTypeError>("pmin: takes numbers", [&] { over([](Array x) { return pmin(x, "i"); }); });
  names<DTypeError>("psum_scatter: takes numbers",
                    [&] { over([](Array x) { return psum_scatter(x, "i"); }); });
}

TEST_CASE("a collective over lanes one after another says so", "[errors][names]") {
  const auto total = sequential_vmap([](Array x) { return psum(x, "i"); });
  const std::string text =
      error_of<BatchingError>([&] { vmap(total, 0, 0, {.axis_name = "i"})(v3()); });
  INFO(text);
  CHECK(holds(text, "psum: a collective over axis 'i'"));
  CHECK(holds(text, "inside sequential_vmap"));
  CHECK(!holds(text, "chunk_size"));
}

TEST_CASE("linear_transpose of a bounded loop names the alternatives", "[errors][names]") {
  const auto loop = [](Array x) {
    const auto more = [](std::pair<Array, Array> c) { return c.second < 3; };
    const auto step = [](std::pair<Array, Array> c) {
      return std::pair{c.first * 2., c.second + 1};
    };
    return while_loop(more, step, std::pair{x, Array(0)}, {.max_trips = 5}).first;
  };
  const std::string text =
      error_of<DifferentiationError>([&] { linear_transpose(loop, v3())(v3()); });
  INFO(text);
  CHECK(holds(text, "linear_transpose does not work for while_loop with .max_trips"));
  CHECK(!holds(text, "Give the loop"));
  // The alternative that the error suggests works.
  CHECK(std::get<0>(vjp(loop, v3()).second(v3()))[0].item<float>() == 8);
}

TEST_CASE("empty handles are named by argument and leaf", "[errors][names]") {
  const auto first = [](Array a, std::pair<Array, Array>) { return a; };
  const std::pair<Array, Array> pair{v3(), e};
  const std::string says = " is an empty Array";
  names<ShapeError>("cond: pred" + says, [] { cond(e, id, id, 1.); });
  names<ShapeError>("cond: operands[1][1]" + says, [&] { cond(true, first, first, 1., pair); });
  names<ShapeError>("switch_: index" + says, [] { switch_(e, {id, id}, 1.); });
  names<ShapeError>("switch_: operands[0]" + says, [] { switch_(0, {id, id}, e); });
  names<ShapeError>("scan: init" + says, [] { scan(pairs, e, v3()); });
  names<ShapeError>("scan: xs" + says, [] { scan(pairs, 0., e); });
  names<ShapeError>("map: xs" + says, [] { map(id, e); });
  names<ShapeError>("foldl: xs" + says, [] { foldl(plus, e, 0.); });
  names<ShapeError>("vmap: args[1][1]" + says, [&] { vmap(first)(v3(), pair); });
  names<ShapeError>("jit 'fn': args[1][1]" + says, [&] { jit(first)(v3(), pair); });
  names<ShapeError>("jit 'step': args[0]" + says, [] { jit(id, {.name = "step"})(e); });
  names<ShapeError>("jit 'fn': args[0]" + says, [] { jit(id).lower(e); });
  names<ShapeError>("make_jaxpr: args[0]" + says, [] { make_jaxpr(id)(e); });
  names<ShapeError>("eval_shape: args[0]" + says, [] { eval_shape(id, e); });
  names<ShapeError>("jvp: tangents[0]" + says, [] { jvp(id, std::tuple{v3()}, std::tuple{e}); });
  names<ShapeError>("jacfwd: args[0]" + says, [] { jacfwd(id)(e); });
  names<ShapeError>("checkpoint: args[0]" + says, [] { checkpoint(id)(e); });
  names<ShapeError>("sequential_vmap: args[0]" + says, [] { sequential_vmap(id)(e); });
  names<ShapeError>("cg: b" + says, [] { cg(id, e); });
  const auto nothing = [](Array) { return Array(); };
  names<ShapeError>("jit: the function returned an empty Array", [&] { jit(nothing)(1.); });
  names<ShapeError>("scan: the function returned an empty Array",
                    [] { scan([](Array c, Array) { return std::pair{c, Array()}; }, 0., v3()); });
  // A callable that got an empty handle accepts other arguments as before.
  const auto f = jit(id);
  CHECK_THROWS_AS(f(e), ShapeError);
  CHECK(f(Array(2.)).item<float>() == 2);
}

TEST_CASE("iterative solvers name themselves", "[errors][names]") {
  const auto twice = [](Array x) { return x * 2.; };
  const auto total = [](Array x) { return sum(x); };
  const Array integers = arange(3);
  names<DTypeError>("cg: takes floating-point and complex b", [&] { cg(twice, integers); });
  names<DTypeError>("gmres: takes floating-point", [&] { gmres(twice, integers); });
  names<DTypeError>("bicgstab: takes floating-point", [&] { bicgstab(twice, integers); });
  names<ShapeError>("cg: matvec must return what is like b", [&] { cg(total, v3()); });
  names<ShapeError>("gmres: matvec must return what is like b", [&] { gmres(total, v3()); });
  names<ShapeError>("bicgstab: matvec must return what is like b", [&] { bicgstab(total, v3()); });
}

TEST_CASE("trees that differ are named with the place", "[errors][names]") {
  using Pair = std::pair<Array, std::vector<Array>>;
  const Pair a{v3(), {v3(), v3()}}, b{v3(), {v3()}};
  const auto path_plus = [](const std::string&, Array x, Array y) { return x + y; };
  const auto three = [](Array x, Array y, Array z) { return x + y + z; };
  const std::string text = error_of<ShapeError>([&] { tree::map(plus, a, b); });
  INFO(text);
  CHECK(holds(text,
              "tree::map: the trees must have the same structure, but at [1] the first tree has "
              "[*, *] and another tree has [*] (* is an Array)"));
  CHECK(holds(text, "(at function_names_test.cpp:"));
  names<ShapeError>("tree::map: the trees", [&] { tree::map(three, a, a, b); });
  names<ShapeError>("tree::map_with_path: the trees",
                    [&] { tree::map_with_path(path_plus, a, b); });
  const auto sgd = optim::sgd(0.1);
  const auto state = sgd.init(a);
  names<ShapeError>("optim: update: the trees must have the same structure, but at [1] params has",
                    [&] { (void)sgd.update(b, state, a); });
  names<ShapeError>("apply_updates: the trees", [&] { optim::apply_updates(a, b); });
}

TEST_CASE("errors of leaked values name the transform", "[errors][names]") {
  Array kept;
  const auto keep = [&](Array x) {
    kept = x;
    return x * 1.;
  };
  const auto says = [&](const char* who) {
    const std::string text = error_of<LeakedTracerError>([&] { kept + 1.; });
    INFO(text);
    CHECK(holds(text, "the " + std::string(who) + " that made it is over"));
  };
  scan([&](Array c, Array x) { return std::pair{keep(c), x}; }, 0., v3()), says("scan");
  map(keep, v3()), says("map");
  cond(true, keep, id, 1.), says("cond");
  switch_(0, std::tuple{keep, keep}, 1.), says("switch_");
  while_loop([](Array x) { return x < 0.; }, keep, 1.), says("while_loop");
  fori_loop(0, 3, [&](Array, Array x) { return keep(x); }, 1.), says("fori_loop");
  checkpoint(keep)(1.), says("checkpoint");
  make_jaxpr(keep)(1.), says("make_jaxpr");
  custom_linear_solve(keep, v3(), [](auto, Array b) { return b; }), says("custom_linear_solve");
  vmap(sequential_vmap(keep))(v3()), says("sequential_vmap");
  jit(keep)(1.), says("jit");
  const auto rule = [](std::tuple<Array> x, std::tuple<Array> dx) {
    return std::pair{std::get<0>(x), std::get<0>(dx)};
  };
  custom_jvp(keep, rule)(1.), says("custom_jvp");
}

TEST_CASE("mode \"check\" reports indices", "[errors][names]") {
  const auto read = [](Array x, Array i) { return x.at(i).get({.mode = "check"}); };
  const std::string text = error_of<CheckError>([&] { jit(read)(v3(), array({0, 9})); });
  INFO(text);
  CHECK(holds(text, "mode \"check\": index [0 9] is out of bounds for axis 0 with size 3"));
  CHECK(!holds(text, "predicate"));
}

TEST_CASE("custom_call without a function", "[errors][names]") {
  names<CompileError>("custom_call: the function of 'mine' is nullptr",
                      [] { custom_call("mine", nullptr, v3(), v3()); });
}

TEST_CASE("calls that JAX refuses are refused", "[errors][names]") {
  using complex = std::complex<float>;
  const Array z = v3().astype(C64);
  names<DTypeError>("bernoulli: the probability p must have a floating dtype, got i32[]",
                    [] { random::bernoulli(key(), 1); });
  names<DTypeError>("bernoulli: the probability p must have a floating dtype, got bool[]",
                    [] { random::bernoulli(key(), true); });
  names<ShapeError>("rev: dimensions must be unique", [] { lax::rev(v3(), {0, 0}); });
  names<ShapeError>("select: there must be at least one condition", [] { select({}, {}); });
  names<DTypeError>("any: takes numbers, got key[3]", [] { any(keys()); });
  names<DTypeError>("all: takes numbers, got key[3]", [] { all(keys()); });
  names<DTypeError>("count_nonzero: takes numbers", [] { count_nonzero(keys()); });
  names<DTypeError>("logical_not: takes numbers", [] { logical_not(keys()); });
  names<DTypeError>("where: takes numbers", [] { where(keys(), 1, 2); });
  names<ShapeError>("split: sizes must be nonnegative", [] { split(arange(5), {3, 1}); });
  names<ShapeError>("split: sizes must be nonnegative", [] { split(arange(5), {3, 9}); });
  names<DTypeError>("full: a complex number does not fit i32",
                    [] { full({2}, complex(1, 2), I32); });
  names<DTypeError>("full_like: full: a complex number does not fit f32",
                    [] { full_like(v3(), complex(1, 2)); });
  names<DTypeError>("full: a complex number does not", [] { lax::full({2}, complex(1, 2), I32); });
  names<DTypeError>("std: .dtype must be inexact", [] { weft::std(v3(), none, {.dtype = I32}); });
  names<DTypeError>("nanstd: .dtype must be inexact", [] { nanstd(v3(), none, {.dtype = I32}); });
  names<DTypeError>("var: .dtype must be one of numbers", [] { var(v3(), none, {.dtype = Bool}); });
  names<DTypeError>("var: .dtype of complex numbers", [&] { var(z, none, {.dtype = F32}); });
  names<DTypeError>("isposinf: takes real numbers, got c64[3]", [&] { isposinf(z); });
  names<DTypeError>("isneginf: takes real numbers", [&] { isneginf(z); });
  names<DTypeError>("fabs: takes real numbers", [&] { fabs(z); });
  names<DTypeError>("hypot: takes real numbers", [&] { hypot(z, 1.); });
  names<DTypeError>("ldexp: takes real numbers", [&] { ldexp(z, 1); });
  names<DTypeError>("copysign: takes real numbers", [&] { copysign(z, 1.); });
  names<DTypeError>("signbit: takes real numbers", [&] { signbit(z); });
  CHECK(full({2}, complex(1, 2), Bool).to_vector<bool>() == std::vector<bool>{true, true});
  CHECK(split(arange(5), {2, -1})[1].to_vector<int>() == std::vector<int>{2, 3});
}
