// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/transforms/checkpoint_test.cpp: checkpoints change neither values nor gradients, wherever
// they are. The policy determines which values are stored for a gradient, in the program and in the
// memory of the compiled program.
#include <cmath>

#include "core/op.h"
#include "support/check.h"
#include "tracer/trace.h"
#include "weft/error.h"

using namespace weft;
using namespace weft::test;
namespace policies = weft::checkpoint_policies;

namespace {

Array numbers(const Shape& s, double step = 0.37) {
  return sin(arange(s.elements()).astype(F64) * step).reshape(s);
}

const std::vector<CheckpointPolicy>& every_policy() {
  static const std::vector<CheckpointPolicy> all{
      policies::nothing_saveable,
      policies::everything_saveable,
      policies::dots_saveable,
      policies::dots_with_no_batch_dims_saveable,
      policies::save_only_these_names("u"),
      policies::save_any_names_but_these("u"),
      policies::save_anything_except_these_names("u"),
      policies::save_from_both_policies(policies::dots_saveable,
                                        policies::save_only_these_names("v"))};
  return all;
}

// A function with names, a product, a loop and a branch.
Array mixed(const Array& x, const Array& w) {
  const Array u = checkpoint_name(sin(dot(w, x)), "u");
  const auto body = [w](Array c, Array r) {
    const Array next = checkpoint_name(tanh(dot(w, c) + r), "v");
    return std::pair{next, next * 0.5};
  };
  const auto [last, rows] = scan(body, u, stack({x, u, x * u}));
  const auto one = [](Array a) { return cos(checkpoint_name(a * 2., "v")); };
  const auto other = [](Array a) { return exp(sin(a)); };
  return cond(sum(u) > 0., one, other, last) + sum(rows, 0);
}

// Checks equality to the last bit.
void check_same(const Array& a, const Array& b) {
  INFO(a << "\n" << b);
  CHECK(array_equal(a, b).item<bool>());
}
void check_close(const Array& a, const Array& b) {
  INFO(a << "\n" << b);
  CHECK(allclose(a, b, 1e-11, 1e-11).item<bool>());
}

}  // namespace

TEST_CASE("a checkpoint changes no bits of values and gradients, whatever its policy",
          "[checkpoint]") {
  const Array x = numbers({4}), w = numbers({4, 4}, 0.73);
  const auto plain = [](Array a, Array b) { return sum(square(mixed(a, b))); };
  const auto want = jit(value_and_grad<0, 1>(plain))(x, w);
  for (const CheckpointPolicy& policy : every_policy())
    for (const bool prevent_cse : {true, false}) {
      INFO(policy.text() << prevent_cse);
      const auto f = checkpoint(plain, {.policy = policy, .prevent_cse = prevent_cse});
      const auto got = jit(value_and_grad<0, 1>(f))(x, w);
      check_same(got.first, want.first);
      check_same(std::get<0>(got.second), std::get<0>(want.second));
      check_same(std::get<1>(got.second), std::get<1>(want.second));
      check_close(f(x, w), want.first);
      check_close(std::get<1>(grad<0, 1>(f)(x, w)), std::get<1>(want.second));
    }
}

TEST_CASE("checkpoints stand inside and outside of all transforms", "[checkpoint]") {
  const Array x = numbers({4}), w = numbers({4, 4}, 0.73), rows = numbers({3, 4}, 0.21);
  for (const CheckpointPolicy& policy : every_policy()) {
    INFO(policy.text());
    const CheckpointOptions o{.policy = policy};
    const auto f = [w](Array a) { return mixed(a, w); };
    const auto c = checkpoint(f, o);
    const auto loss = [](auto g) { return [g](Array a) { return sum(g(a) * g(a)); }; };
    check_close(vmap(c)(rows), vmap(f)(rows));
    check_close(checkpoint(vmap(f), o)(rows), vmap(f)(rows));
    check_close(vmap(grad(loss(c)))(rows), vmap(grad(loss(f)))(rows));
    check_close(grad(loss(vmap(c)))(rows), grad(loss(vmap(f)))(rows));
    check_close(grad(loss(checkpoint(vmap(f), o)))(rows), grad(loss(vmap(f)))(rows));
    check_close(grad(loss(jit(c)))(x), grad(loss(f))(x));
    check_close(grad(loss(checkpoint(jit([w](Array a) { return mixed(a, w); }), o)))(x),
                grad(loss(f))(x));
    check_close(jvp(c, std::tuple{x}, std::tuple{x * 2}).second,
                jvp(f, std::tuple{x}, std::tuple{x * 2}).second);
    check_close(jacfwd(c)(x), jacfwd(f)(x));
    check_close(jacrev(c)(x), jacfwd(f)(x));
    check_close(hessian(loss(c))(x), hessian(loss(f))(x));
    check_close(checkpoint(grad(loss(f)), o)(x), grad(loss(f))(x));
    check_close(jacrev(checkpoint(grad(loss(c)), o))(x), hessian(loss(f))(x));
    check_close(linearize(c, x).second(x), jvp(f, std::tuple{x}, std::tuple{x}).second);
    check_close(grad(loss(checkpoint(c, o)))(x), grad(loss(f))(x));
  }
}

TEST_CASE("checkpoints stand in loops, branches and functions with rules", "[checkpoint]") {
  const Array x = numbers({4}), rows = numbers({5, 4}, 0.21);
  const auto step = [](Array c, Array r) { return sin(c * 1.3 + r) * c; };
  const auto all_of = [&](auto s) {
    const auto in_scan = [s, rows](Array a) {
      return sum(scan([s](Array c, Array r) { return std::pair{s(c, r), c}; }, a, rows).first);
    };
    const auto in_while = [s](Array a) {
      const auto more = [](Array c) { return sum(c) < 50.; };
      const auto body = [s](Array c) { return s(c, c) + 0.5; };
      return sum(while_loop(more, body, a, {.max_trips = 100}));
    };
    const auto in_cond = [s](Array a) {
      return sum(cond(
          sum(a) > 0., [s](Array v) { return s(v, v * 2.); }, [s](Array v) { return s(v * 3., v); },
          a));
    };
    const auto in_fori = [s](Array a) {
      return sum(fori_loop(0, 4, [s](Array, Array c) { return s(c, c); }, a));
    };
    const auto in_rule = [s](Array a) {
      const auto f = [s](Array v) { return s(v, v); };
      const auto fwd = [f](Array v) { return std::pair{f(v), v}; };
      const auto bwd = [f](Array v, Array ct) { return vjp(f, v).second(ct); };
      return sum(custom_vjp(f, fwd, bwd)(a));
    };
    Arrays found;
    const auto add = [&](auto f) {
      found.push_back(grad(f)(x));
      found.push_back(jit(grad(f))(x));
      found.push_back(vmap(grad(f))(rows));
      found.push_back(grad([f](Array a) { return sum(vmap(f)(a)); })(rows));
    };
    add(in_scan);
    add(in_while);
    add(in_cond);
    add(in_fori);
    add(in_rule);
    return found;
  };
  const Arrays want = all_of(step), got = all_of(checkpoint(step));
  REQUIRE(want.size() == got.size());
  for (size_t k = 0; k < want.size(); ++k) {
    INFO(k);
    check_close(got[k], want[k]);
  }
}

TEST_CASE("a checkpoint around a function with a reverse rule has that rule", "[checkpoint]") {
  const auto f =
      custom_vjp([](Array v) { return sin(v); }, [](Array v) { return std::pair{sin(v), v}; },
                 [](Array, Array ct) { return std::tuple{ct * 100.}; });
  const Array x = numbers({3});
  for (const CheckpointPolicy& policy : every_policy())
    check_same(grad([&](Array a) { return sum(checkpoint(f, {.policy = policy})(a)); })(x),
               ones({3}, F64) * 100.);
}

TEST_CASE("trees, static arguments, numbers and captured arrays go through a checkpoint",
          "[checkpoint]") {
  struct Layer {
    Array w, b;
    int power = 1;
  };
  const Array scale = numbers({3});
  const auto f = [scale](Layer l, std::map<std::string, Array> more, int times, Array number) {
    Array y = l.w * scale;
    for (int k = 0; k < times * l.power; ++k) y = sin(y + l.b) * number;
    return std::pair{sum(y * more.at("m")), y};
  };
  const Layer l{numbers({3}), numbers({3}, 0.2), 2};
  const std::map<std::string, Array> more{{"m", numbers({3}, 0.9)}};
  const auto c = checkpoint(f);
  CHECK(c(l, more, 2, 0.1).first.dtype() == F64);
  check_close(c(l, more, 2, 0.1).second, f(l, more, 2, 0.1).second);
  const auto want = grad_with_aux<0, 3>(f)(l, more, 2, 0.1),
             got = grad_with_aux<0, 3>(c)(l, more, 2, 0.1);
  check_close(std::get<0>(got.first).w, std::get<0>(want.first).w);
  check_close(std::get<0>(got.first).b, std::get<0>(want.first).b);
  check_close(std::get<1>(got.first), std::get<1>(want.first));
  CHECK(std::get<0>(got.first).power == 2);
  // The derivative is with respect to captured values.
  const auto by_captured = [](auto wrap) {
    return [wrap](Array a) {
      return wrap([a](Array b) { return sum(sin(a * b)); })(numbers({3}, 0.5));
    };
  };
  check_close(grad(by_captured([](auto g) { return checkpoint(g); }))(scale),
              grad(by_captured([](auto g) { return g; }))(scale));
  // Trees can have names.
  const auto named = checkpoint_name(std::pair{scale, l.b}, "both");
  check_same(named.first, scale);
  CHECK(count(to_string(make_jaxpr([](Array a, Array b) {
                return checkpoint_name(std::pair{a, b}, "both");
              })(scale, l.b)),
              "name[name=both]") == 2);
}

TEST_CASE("programs print as JAX prints them, and policies are read back", "[checkpoint]") {
  const auto f = [](Array x) { return sin(checkpoint_name(sin(x), "a")); };
  CHECK(to_string(make_jaxpr(checkpoint(f))(Array(1.f) + zeros({}))) ==
        "{ lambda ; a:f32[]. let\n"
        "    b:f32[] = remat2[\n"
        "      differentiated=False\n"
        "      jaxpr={ lambda ; c:f32[]. let\n"
        "          d:f32[] = sin c\n"
        "          e:f32[] = name[name=a] d\n"
        "          f:f32[] = sin e\n"
        "        in (f,) }\n"
        "      policy=None\n"
        "      prevent_cse=True\n"
        "    ] a\n"
        "  in (b,) }");
  for (const CheckpointPolicy& policy : every_policy()) {
    const auto program =
        make_jaxpr(grad([&](Array x) { return checkpoint(f, {.policy = policy})(x); }))(Array(1.));
    CHECK(to_string(parse_jaxpr(to_string(program))) == to_string(program));
    CHECK(CheckpointPolicy::read(policy.text()) == policy);
  }
  const CheckpointPolicy odd = policies::save_only_these_names("it's", "a b", "", "back\\slash");
  CHECK(CheckpointPolicy::read(odd.text()) == odd);
  CHECK(odd.text() == R"(save_only_these_names('','a b','back\\slash','it\'s'))");
  for (const char* wrong : {"", "all", "save_only_these_names", "save_only_these_names(a",
                            "save_only_these_names(a,)", "dots_saveable|", "dots_saveable x"})
    CHECK(!CheckpointPolicy::read(wrong));
}

TEST_CASE("the residuals of a derivative can be read", "[checkpoint]") {
  const auto f = [](Array x, Array w) { return dot(w, checkpoint_name(sin(x), "hidden")); };
  const Array x = ones({3}), w = ones({2, 3});
  const std::string text = to_string(
      saved_residuals(checkpoint(f, {.policy = policies::save_only_these_names("hidden")}), x, w));
  CHECK(holds(text, "f32[3] from the argument args[0]\n"));
  CHECK(holds(text, "f32[2,3] from the argument args[1]\n"));
  CHECK(holds(text, "f32[3] named 'hidden' from checkpoint_test.cpp:"));
  CHECK(count(text, "\n") == 3);
  CHECK(to_string(saved_residuals([](Array a) { return a * 2; }, x)).empty());
}

// ---- memory

namespace {

using Temporaries = double;  // in units of one state
template <class F>
Temporaries held(F f, const Array& state, const Array& w) {
  const auto g = [f](Array s, Array v) { return grad<0, 1>(f)(s, v); };
  return static_cast<double>(jit(g).lower(state, w).compile().memory().temporaries) /
         static_cast<double>(state.size() * 4);
}
// Returns the largest number of rows of states that a program stacks.
int64_t max_rows(const Jaxpr& program, const Shape& state) {
  int64_t rows = 0;
  for_each_program({program}, [&](const JaxprData& j) {
    for (const Type& t : j.types)
      if (t.ndim() == static_cast<int>(state.size()) + 1 && t.shape().erased(0) == state)
        rows = std::max(rows, t.shape()[0]);
  });
  return rows;
}

const double two_roots = 2 * std::sqrt(1000.);
// The carries and their cotangents before and after a step, in units of one state.
constexpr double working = 6;

}  // namespace

TEST_CASE("the gradient of a scan of checkpoints holds 2 sqrt(n) states", "[checkpoint]") {
  const auto steps = [](auto step, int n) {
    return [step, n](Array c) {
      const auto body = [step](Array a, none_t) { return std::pair{step(a), none}; };
      return scan(body, c, none, {.length = n}).first;
    };
  };
  const auto loss = [](auto f) { return [f](Array c, Array) { return sum(square(f(c))); }; };
  const auto check = [&](auto step, const Array& state) {
    const auto plain = loss(steps(step, 1000));
    const auto whole = loss(steps(checkpoint(step), 1000));
    const auto by_hand = loss(steps(checkpoint(steps(checkpoint(step), 32)), 32));
    CHECK(held(whole, state, state) <= two_roots);
    CHECK(held(by_hand, state, state) <= 2 * std::sqrt(1024.) + working);
    const auto rows = [&](auto f) {
      return max_rows(make_jaxpr(grad<0>(f))(state, state).jaxpr, state.shape());
    };
    // The program holds one row for each block, and one for each step of the current block. The
    // 1000 steps are 13 blocks of 43 steps and 21 blocks of 21 steps.
    CHECK(rows(plain) == 1000);
    CHECK(rows(whole) == 43);
    CHECK(rows(by_hand) == 32);
  };
  // These loops run within one lane: only the rows of a few lanes exist at a time.
  check([](Array c) { return sin(c) * 1.1 + cos(c * 0.3); }, sin(arange(4096.)));
  // These loops run in lockstep, around a matrix product. Besides the rows, the carries and their
  // cotangents before and after a step need memory.
  const Array w = cos(arange(128. * 128)).reshape({128, 128}) * 0.05;
  check([w](Array c) { return sin(dot(c, w)) + c * 0.1; },
        sin(arange(512. * 128)).reshape({512, 128}));
}

TEST_CASE("a call in a loop stores no row per step of its operands", "[checkpoint]") {
  const Array w = numbers({4, 4});
  const auto loss = [](Array c, Array v) {
    const auto step = [](Array a, Array b) { return sin(dot(b, a)); };
    const auto body = [&](Array a, none_t) { return std::pair{jit(step)(a, v), none}; };
    return sum(scan(body, c, none, {.length = 9}).first);
  };
  const Jaxpr program = make_jaxpr(grad<0, 1>(loss))(numbers({4}), w).jaxpr;
  CHECK(max_rows(program, {4}) == 9);
  CHECK(max_rows(program, {4, 4}) == 0);
}

TEST_CASE("a long scan of checkpoints has the bits of the scan", "[checkpoint]") {
  const Array start = numbers({5}), w = numbers({5}, 0.6), v = numbers({5, 5}, 0.3);
  // A step reads constants several times, and it has rows and results. Both directions are tested.
  // One length is a square, and others leave a remainder of steps.
  const auto step = [](std::pair<Array, Array> c, Array r, Array a, Array b) {
    const Array x = sin(dot(b, c.first) * a + r) + a * 0.1, y = cos(c.second * a) * x;
    return std::pair{std::pair{x, y}, x * y + a};
  };
  for (const int n : {65, 81, 100, 113})
    for (const bool reverse : {false, true})
      for (const bool results : {false, true}) {
        INFO(n << reverse << results);
        const Array xs = numbers({n, 5}, 0.11);
        const auto loss = [&](auto s) {
          return [=](Array c, Array rows, Array a, Array b) {
            const auto body = [=](std::pair<Array, Array> one, Array r) { return s(one, r, a, b); };
            const auto [last, ys] = scan(body, std::pair{c, c * 2.}, rows, {.reverse = reverse});
            const Array l = sum(last.first * last.second);
            return results ? l + sum(sin(ys)) : l;
          };
        };
        const auto run = [&](auto f) {
          return jit(value_and_grad<0, 1, 2, 3>(f))(start, xs, w, v);
        };
        const auto want = run(loss(step)), got = run(loss(checkpoint(step)));
        check_same(got.first, want.first);
        const auto check_all = [&]<size_t... I>(std::index_sequence<I...>) {
          (check_same(std::get<I>(got.second), std::get<I>(want.second)), ...);
        };
        check_all(std::make_index_sequence<4>{});
      }
}

TEST_CASE("long scans of checkpoints are mapped and differentiated again", "[checkpoint]") {
  const Array xs = numbers({70}, 0.11), starts = numbers({3}), w = array(0.7).astype(F64);
  const auto step = [](Array c, Array r, Array a) { return sin(c * a + r); };
  const auto loss = [&](auto s) {
    return [s, xs](Array c, Array a) {
      return scan([s, a](Array one, Array r) { return std::pair{s(one, r, a), none}; }, c, xs)
          .first;
    };
  };
  const auto f = loss(step);
  const auto c = loss(checkpoint(step));
  check_close(vmap(grad<1>(c), {0, none})(starts, w), vmap(grad<1>(f), {0, none})(starts, w));
  const auto total = [](auto g) {
    return [g](Array s, Array a) { return sum(vmap(g, {0, none})(s, a)); };
  };
  check_close(grad<1>(total(c))(starts, w), grad<1>(total(f))(starts, w));
  check_close(grad<1>(grad<1>(c))(starts[0], w), grad<1>(grad<1>(f))(starts[0], w));
  check_close(jacfwd<1>(grad<0>(c))(starts[0], w), jacfwd<1>(grad<0>(f))(starts[0], w));
  check_close(jvp(c, std::tuple{starts[0], w}, std::tuple{starts[1], w}).second,
              jvp(f, std::tuple{starts[0], w}, std::tuple{starts[1], w}).second);
  check_close(linearize(c, starts[0], w).second(starts[1], w),
              linearize(f, starts[0], w).second(starts[1], w));
}

TEST_CASE("compiled gradients free recomputed values, and recompute them late", "[checkpoint]") {
  // All values of these layers have the same size.
  const Array x = sin(arange(256. * 128)).reshape({256, 128}),
              w = cos(arange(128. * 128)).reshape({128, 128}) * 0.05;
  const auto chain = [](auto layer) {
    return [layer](Array a, Array b) {
      for (int k = 0; k < 12; ++k) a = layer(a, b);
      return sum(square(a));
    };
  };
  const auto layer = [](Array a, Array b) {
    const Array u = checkpoint_name(sin(dot(a, b)), "u");
    return sin(dot(cos(dot(u, b)), b));
  };
  const double plain = held(chain(layer), x, w), kept = held(chain(checkpoint(layer)), x, w),
               merged = held(chain(checkpoint(layer, {.prevent_cse = false})), x, w),
               named =
                   held(chain(checkpoint(layer, {.policy = policies::save_only_these_names("u")})),
                        x, w);
  CAPTURE(plain, kept, merged, named);
  CHECK(plain > 34);     // three products per layer
  CHECK(kept < 12 + 8);  // the input of each layer, and the values of one layer
  CHECK(merged > 34);    // as if there were no checkpoint
  CHECK(named > kept + 10);
  CHECK(named < 24 + 8);
}

// ---- effects

namespace {

int ticks = 0;
// An op with an ordered effect: it counts its runs. It returns its operand, or has no result.
struct Tick {
  bool returns = true;
  WEFT_FIELDS(returns)
};
const Primitive<Tick>& tick_op = define<Tick>([] {
  Def<Tick> d;
  d.name = "test_tick";
  d.doc = "The operand; counts.";
  d.type = [](const Types& in, const Tick& p) { return p.returns ? in : Types(); };
  d.reference = [](const Arrays& x, const Tick& p) {
    ++ticks;
    return p.returns ? x : Arrays();
  };
  d.jvp = [](const JvpArgs<Tick>& j) { return j.params.returns ? j.dx : Arrays(); };
  d.effects = [](const Tick&) { return Effect::ordered; };
  d.implementations = [] {
    return std::vector<Implementation<Tick>>{
        {.name = "native", .make = [](const Use<Tick>&) {
           return NativeCall{[](const NativeArgs& a) {
             ++ticks;
             if (!a.out_bytes.empty())
               std::copy(a.in_bytes[0].begin(), a.in_bytes[0].end(), a.out_bytes[0].begin());
           }};
         }}};
  };
  return d;
}());
Array tick(const Array& x) { return tick_op({x}); }
Array note(const Array& x) {
  tick_op.bind({x}, {false});
  return x;
}

}  // namespace

TEST_CASE("ordered effects happen in the first run alone", "[checkpoint]") {
  const Array x = array({0.1f, 0.2f});
  const auto body = [](Array c, none_t) { return std::pair{sin(tick(sin(c))), none}; };
  const auto runs = [&](auto f) {
    const auto g = grad([f](Array a) { return sum(f(a)); });
    ticks = 0;
    const Array eager = g(x);
    const int first = std::exchange(ticks, 0);
    check_same(jit(g)(x), eager);
    return std::pair{first, ticks};
  };
  const auto flat = [](Array a) { return sin(tick(sin(a))); };
  const auto in_scan = [body](Array a) { return scan(body, a, none, {.length = 3}).first; };
  const auto in_cond = [flat](Array a) {
    return cond(sum(a) > 0.f, flat, [](Array v) { return v; }, a);
  };
  for (const CheckpointPolicy& policy : every_policy()) {
    INFO(policy.text());
    const CheckpointOptions o{.policy = policy};
    CHECK(runs(checkpoint(flat, o)) == std::pair{1, 1});
    CHECK(runs(checkpoint(in_scan, o)) == std::pair{3, 3});
    CHECK(runs(checkpoint(in_cond, o)) == std::pair{1, 1});
    CHECK(runs([&](Array a) {
            return scan([&](Array c, none_t n) { return checkpoint(body, o)(c, n); }, a, none,
                        {.length = 3})
                .first;
          }) == std::pair{3, 3});
  }
  // The gradient of a long loop runs its steps once more, except for effects that must not repeat.
  const auto noted = [](Array c) { return sin(note(sin(c))); };
  const auto long_scan = [noted](Array a) {
    const auto step = checkpoint(noted);
    return scan([step](Array c, none_t) { return std::pair{step(c), none}; }, a, none,
                {.length = 100})
        .first;
  };
  CHECK(runs(long_scan) == std::pair{100, 100});
  const auto loop = [](auto step, int trips) {
    return [=](Array a) {
      return while_loop([](Array c) { return c[0] < 3.f; },
                        [step](Array c) { return c + 0.5f + 0.01f * step(c); }, a,
                        {.max_trips = trips});
    };
  };
  ticks = 0;
  loop(noted, 100)(x);
  const int trips = ticks;
  CHECK(trips > 3);
  for (const int most : {50, 100}) CHECK(runs(loop(noted, most)) == std::pair{trips, trips});
  check_error<DifferentiationError>([&] { runs(loop([](Array c) { return tick(sin(c)); }, 50)); },
                                    "would act twice");
}
