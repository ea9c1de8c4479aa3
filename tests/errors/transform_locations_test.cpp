// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/errors/transform_locations_test.cpp: errors of transforms name the line at which the user
// wrote the transform. Errors of operations inside it name the operation's line.
#include <functional>

#include "errors/source_locations.h"
#include "interop/stablehlo_tests.h"

using namespace weft;
using namespace weft::test;

TEST_CASE("transforms name the line where they were written", "[errors][places]") {
  check_places(
      {CALL(vmap(id)(e)),
       CALL(vmap(id, {})(e)),
       CALL(vmap(id, 0, {})(1.)),
       CALL(vmap(id, 2)(m23())),
       CALL(vmap(id, 0, 2)(m23())),
       CALL(vmap(id, 0, none)(v3())),
       CALL(vmap(plus)(v3(), zeros({4}))),
       CALL(vmap(id, 0, 0, {.chunk_size = -1})),
       CALL(vmap(id, 0, 0, {.randomness = "often"})),
       CALL(vmap(id, 0, 0, {.spmd_axis_name = "data"})(v3())),
       CALL(vmap(same, 2)(m23())),
       CALL(vectorized_map(id, 1.)),
       CALL(map_fn(id, 1.)),
       CALL(pfor(id, -1)),
       CALL(custom_linear_solve(id, arange(3), [](auto, Array b) { return b; })),
       CALL(custom_linear_solve(id, v3(), [](auto, Array b) { return sum(b); })),
       CALL(grad([](Array b) {
         return sum(custom_linear_solve(id, b, [](auto, Array r) { return r; }));
       })(v3())),
       CALL(grad(id)(v3())),
       CALL(grad(same)(v3())),
       CALL(grad(id)(3)),
       CALL(value_and_grad(id)(v3())),
       CALL(grad_with_aux([](Array x) { return std::pair{x, x}; })(v3())),
       CALL(value_and_grad_with_aux([](Array x) { return std::pair{x, x}; })(v3())),
       CALL(jvp(id, std::tuple{v3()}, std::tuple{zeros({2})})),
       CALL(jvp(id, std::tuple{e}, std::tuple{e})),
       CALL(vjp(id, e)),
       CALL(vjp(plus, e, 1.)),
       CALL(vjp([](Array a, Array, Array) { return a; }, e, 1., 1.)),
       CALL(vjp(id, v3()).second(zeros({2}))),
       CALL(vjp([](Array a, Array, Array, Array, Array, Array) { return a; }, 1., 1., 1., 1., 1.,
                e)),
       CALL(linearize(id, e)),
       CALL(linearize(plus, e, 1.)),
       CALL(linearize(id, v3()).second(zeros({2}))),
       CALL(linear_transpose(id, e)),
       CALL(linear_transpose(id, v3())(m23())),
       CALL(linear_transpose([](Array x) { return x.astype(I32); }, v3())),
       CALL(jacfwd(id)(3)),
       CALL(jacrev(id)(3)),
       CALL(jacobian(id)(3)),
       CALL(jacfwd(id, {.chunk_size = -1})(1.)),
       CALL(jacrev([](Array x) { return x.astype(I32); })(v3())),
       CALL(hessian(id)(3)),
       CALL(batch_jacobian([](Array x) { return x.sum(); })(m23())),
       CALL(hvp(id)(v3(), v3())),
       CALL(stop_gradient(e)),
       CALL(custom_jvp(id,
                       [](std::tuple<Array> x, std::tuple<Array>) {
                         return std::pair{std::get<0>(x), zeros({2})};
                       })(v3())),
       CALL(custom_vjp(
           id, [](Array x) { return std::pair{x, x}; },
           [](Array, Array) { return zeros({2}); })(v3())),
       CALL(custom_vjp(
           id, [](Array x) { return std::pair{x.sum(), x}; },
           [](Array, Array c) { return c; })(v3())),
       CALL(custom_vmap(id, [](int64_t, auto, Array a) { return std::pair{a.sum(), true}; })(e)),
       CALL(sequential_vmap(id)(e)),
       CALL(make_jaxpr(id)(e)),
       CALL(jit(id)(e)),
       CALL(jit(id, {.device = "tpu:9"})(1.)),
       CALL(jit(id).lower(v3()).compile()(m23()))});
}

TEST_CASE("control flow and collectives name the line of the call", "[errors][places]") {
  check_places({CALL(cond(e, id, id, 1.)),
                CALL(cond(zeros({2}), id, id, 1.)),
                CALL(cond(
                    true, id, [](Array x) { return x.astype(I32); }, 1.)),
                CALL(switch_(Array(0.5), {id}, 1.)),
                CALL(switch_(0, std::tuple{id, id}, e)),
                CALL(while_loop(on_true, id, 1., {.max_trips = -1})),
                CALL(while_loop(id, id, 1.)),
                CALL(while_loop(on_true, id, e)),
                CALL(fori_loop(
                    0.5, 3, [](Array, Array x) { return x; }, 1.)),
                CALL(fori_loop(
                    0, 3, [](Array, Array x) { return x; }, e)),
                CALL(scan(pairs, 0., 1.)),
                CALL(scan(pairs, 0., v3(), {.length = 4})),
                CALL(scan(pairs, zeros({2}), e)),
                CALL(map(id, 1.)),
                CALL(map(id, v3(), {.batch_size = -1})),
                CALL(map(id, 1., {.batch_size = 2})),
                CALL(associative_scan(plus, 1.)),
                CALL(associative_scan([](Array a, Array) { return a.sum(); }, v3())),
                CALL(psum(v3(), "i")),
                CALL(pmean(v3(), "i")),
                CALL(pmax(v3(), "i")),
                CALL(pmin(v3(), "i")),
                CALL(all_gather(v3(), "i")),
                CALL(axis_index("i")),
                CALL(axis_size("i"))});
}

TEST_CASE("trees, programs and files name the line of the call", "[errors][places]") {
  check_places(
      {CALL(tree::unflatten(std::tuple{v3()}, {})),
       CALL(tree::unflatten(tree::structure(v3()), {})), CALL(tree::ravel(std::tuple{v3(), e})),
       CALL(tree::ravel(v3()).second(m23())), CALL(tree::Mask{true}[3]), CALL(tree::Blocks{}(1, 1)),
       CALL(tree::Blocks{}("w", "b")), CALL(parse_jaxpr("{ lambda ; a:f32[3]. let b = in (b,) }")),
       CALL(eval_jaxpr(make_jaxpr(id)(v3()), {m23()})), CALL(eval_jaxpr(make_jaxpr(id)(v3()), {})),
       CALL(parse_stablehlo("module {")), CALL(parse_stablehlo_tests("module {", "x")),
       CALL(io::load_stablehlo("no_such.mlir")), CALL(io::load_npy("no_such.npy")),
       CALL(io::save_npy("no/such/folder/x.npy", v3())), CALL(io::load_npz("no_such.npz")),
       CALL(io::save_npz("no/such/folder/x.npz", {{"x", v3()}}))});
}

namespace {

// A function with one failing operation, which is written on its own line.
int op_line = 0;
#define OP_LINE (op_line = __LINE__)
Array fails(Array x) { return OP_LINE, x.transpose({7}); }
const auto failing = [](Array x) { return OP_LINE, swapaxes(x, 9, 0); };

template <class F>
void check_op_line(const char* what, F f) {
  const std::string text = error_of<Error>(f);
  INFO(what << "\n" << text);
  CHECK(holds(text, place({__FILE__, op_line})));
  CHECK(count(text, "(at ") == 1);
}

}  // namespace

TEST_CASE("an error inside a traced function names the operation's line", "[errors][places]") {
  check_op_line("jit", [] { jit(failing)(v3()); });
  check_op_line("grad", [] { grad(failing)(v3()); });
  check_op_line("jvp", [] { jvp(failing, std::tuple{v3()}, std::tuple{v3()}); });
  check_op_line("vjp", [] { vjp(failing, v3()); });
  check_op_line("vjp of a pointer", [] { vjp(fails, v3()); });
  check_op_line("vmap", [] { vmap(failing)(m23()); });
  check_op_line("vmap in chunks", [] { vmap(failing, 0, 0, {.chunk_size = 1})(m23()); });
  check_op_line("jacfwd", [] { jacfwd(failing)(v3()); });
  check_op_line("hessian", [] { hessian(failing)(v3()); });
  check_op_line("hvp", [] { hvp(failing)(v3(), v3()); });
  check_op_line("make_jaxpr", [] { make_jaxpr(failing)(v3()); });
  check_op_line("cond", [] { cond(true, failing, failing, v3()); });
  check_op_line("switch_", [] { switch_(0, {failing}, v3()); });
  check_op_line("while_loop", [] { while_loop([](Array) { return true; }, failing, v3()); });
  check_op_line("fori_loop",
                [] { fori_loop(0, 3, [](Array, Array x) { return fails(x); }, v3()); });
  check_op_line("map", [] { map(failing, m23()); });
  check_op_line("pfor", [] { pfor(failing, 3); });
  check_op_line("vectorized_map", [] { vectorized_map(failing, m23()); });
  check_op_line("sequential_vmap", [] { vmap(sequential_vmap(failing))(m23()); });
  check_op_line("jit(vmap(grad))", [] { jit(vmap(grad(failing)))(m23()); });
  // This rule runs when the map runs, even if the map is applied to a program that is traced again.
  const auto ruled =
      custom_vmap(id, [](int64_t, auto, Array a) { return std::pair{failing(a), true}; });
  check_op_line("custom_vmap", [&] { vmap(ruled)(m23()); });
  check_op_line("custom_vmap in jit", [&] { vmap(jit(ruled))(m23()); });
}

TEST_CASE("an error inside a rule of the user's names the operation's line", "[errors][places]") {
  const auto keeps = [](Array x) { return std::pair{x, x}; };
  check_op_line("custom_jvp", [] {
    custom_jvp(id, [](std::tuple<Array> x, std::tuple<Array> dx) {
      return std::pair{std::get<0>(x), failing(std::get<0>(dx))};
    })(v3());
  });
  check_op_line("fwd", [] {
    custom_vjp(
        id, [](Array x) { return std::pair{failing(x), x}; },
        [](Array, Array ct) { return ct; })(v3());
  });
  check_op_line("bwd",
                [&] { custom_vjp(id, keeps, [](Array, Array ct) { return failing(ct); })(v3()); });
  check_op_line("jit of bwd", [&] {
    jit(grad([&](Array x) {
      return custom_vjp(id, keeps, [](Array, Array ct) { return failing(ct); })(x).sum();
    }))(v3());
  });
}

TEST_CASE("an error of a derivative or of lanes names the operation's line", "[errors][places]") {
  const auto loop = [](Array x) {
    OP_LINE;
    return while_loop([](Array c) { return c < 10.; }, [](Array c) { return c * 2.; }, x);
  };
  const std::string text = error_of<Error>([&] { grad(loop)(1.); });
  INFO(text);
  CHECK(holds(text, place({__FILE__, op_line + 1})));
  check_op_line("a draw under randomness error", [] {
    vmap([](Array x) { return OP_LINE, x + random::uniform(random::key(0)); }, 0, 0,
         {.randomness = "error"})(v3());
  });
  const auto draw =
      make_jaxpr([](Array x) { return OP_LINE, x + random::uniform(random::key(0)); })(1.);
  check_op_line("a program that runs again", [&] {
    vmap([&](Array x) { return eval_jaxpr(draw, {x})[0]; }, 0, 0, {.randomness = "error"})(v3());
  });
  const auto sines = linear_transpose([](Array x) { return OP_LINE, sin(x); }, v3());
  check_op_line("what is not linear", [&] { sines(v3()); });
  const auto pull = vjp(id, v3()).second;
  check_op_line("a pullback called later", [&] { OP_LINE, pull(zeros({2})); });
}

TEST_CASE("equal programs of several lines name each its own", "[errors][places]") {
  const auto less = [](Array x) { return x < 9.; };
  const auto twice = [](Array x) { return x * 2.; };
  // Both functions use the same body, and each traces it at its own call.
  const auto first = jit([=](Array x) { return while_loop(less, twice, x); });
  const Location at_first = Location{__FILE__, __LINE__ - 1};
  const auto second = jit([=](Array x) { return while_loop(less, twice, x); });
  const Location at_second = Location{__FILE__, __LINE__ - 1};
  const auto inside = jit([=](Array x) {
    return scan([=](Array c, Array) { return std::pair{while_loop(less, twice, c), none}; }, x,
                arange(2.))
        .first;
  });
  const Location at_inside = Location{__FILE__, __LINE__ - 4};
  const auto last = jit([=](Array x) {
    return scan([=](Array c, Array) { return std::pair{while_loop(less, twice, c), none}; }, x,
                arange(2.))
        .first;
  });
  const Location at_last = Location{__FILE__, __LINE__ - 4};
  const std::vector<std::pair<std::function<Array(Array)>, Location>> all = {
      {first, at_first}, {second, at_second}, {inside, at_inside}, {last, at_last}};
  for (const auto& [f, at] : all) CHECK(f(1.).item<float>() == 16);
  for (int round = 0; round < 2; ++round)
    for (const auto& [f, at] : all) {
      std::string text = "no error";
      try {
        grad(f)(1.);
      } catch (const DifferentiationError& e) {
        text = e.what();
      }
      check_place("grad", text, at);
    }
  // The programs are equal, print alike and are compiled once.
  const auto one = make_jaxpr(first)(1.), two = make_jaxpr(second)(1.);
  CHECK(one.jaxpr == two.jaxpr);
  CHECK(to_string(one) == to_string(two));
  CHECK(parse_jaxpr(to_string(two)).jaxpr == two.jaxpr);
}

TEST_CASE("operations without a line of their own have the transform's line", "[errors][places]") {
  check_places({CALL(vmap(weft::matmul)(v3(), v3())), CALL(map(weft::matrix_transpose, v3())),
                CALL(grad(weft::dot)(m23(), m23()))});
}

TEST_CASE("values remember the line of the user", "[errors][places]") {
  const auto of_line = [](const Array& x) { return x.node().made.line; };
  Array x = v3();
  CHECK(of_line(x + 1) == __LINE__);
  CHECK(of_line(m23().T()) == __LINE__);
  CHECK(of_line(m23().sum()) == __LINE__);
  CHECK(of_line(x.dot(x)) == __LINE__);
  CHECK(of_line(nn::softmax(x)) == __LINE__);
  CHECK(of_line(weft::std(x)) == __LINE__);
  x += 1.;
  CHECK(of_line(x) == __LINE__ - 1);
}

TEST_CASE("x op= y is x = x op y", "[operators]") {
  Array x = array({7, 5, 3});
  CHECK((x %= 4).to_vector<int>() == std::vector<int>{3, 1, 3});
  CHECK((x <<= 2).to_vector<int>() == std::vector<int>{12, 4, 12});
  CHECK((x |= 1).to_vector<int>() == std::vector<int>{13, 5, 13});
  CHECK((x &= array({9, 5, 12})).to_vector<int>() == std::vector<int>{9, 5, 12});
  CHECK((x ^= 1).to_vector<int>() == std::vector<int>{8, 4, 13});
  CHECK((x >>= 1).to_vector<int>() == std::vector<int>{4, 2, 6});
  CHECK(((x += 1) -= 2).to_vector<int>() == std::vector<int>{3, 1, 5});
  CHECK((x *= 2).dtype() == I32);
  CHECK((x /= 4).to_vector<float>() == std::vector<float>{1.5, 0.5, 2.5});
  CHECK(jit([](Array y) { return y %= 4; })(array({7})).item<int>() == 3);
}
