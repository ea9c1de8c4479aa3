// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/core/weak_numbers_test.cpp: a number written in C++ keeps its F64 value until it meets a
// dtype, through every transform. Types, texts, keys and recompilations depend only on its F32
// value (docs/decisions/0010).
#include <cmath>
#include <limits>

#include "support/check.h"
#include "tracer/concrete.h"

using namespace weft;
using namespace weft::test;

namespace {

const Array x64 = array({1., 3.}, F64);

// Returns the elements of an F64 array.
std::vector<double> doubles(const Array& x) {
  CHECK(x.dtype() == F64);
  return x.to_vector<double>();
}
// The values of 1 and 3 times 0.1.
const std::vector<double> tenths = {1 * 0.1, 3 * 0.1};

std::string text_of(const Array& x) { return to_string(x.type()); }

}  // namespace

TEST_CASE("numbers meet F64 as doubles", "[weak]") {
  CHECK(doubles(x64 * 0.1) == tenths);
  CHECK(doubles(0.1 * x64) == tenths);
  CHECK(doubles(x64 * 1e300) == std::vector<double>{1e300, 3e300});
  CHECK(doubles(x64 / 0.1) == std::vector<double>{1 / 0.1, 3 / 0.1});
  CHECK(doubles(full({2}, 0.1, F64)) == std::vector<double>{.1, .1});
  CHECK(full({}, 16777217., F64).item<double>() == 16777217.);
  CHECK(full({}, 16777217., I32).item<int32_t>() == 16777217);
  CHECK(full({}, 1e15, I64).item<int64_t>() == 1000000000000000);
  CHECK(full_like(x64, 0.1).to_vector<double>()[1] == 0.1);
  CHECK(doubles(arange(0., 1., 0.1, F64))[3] == 3 * 0.1);
  CHECK(doubles(linspace(0., 0.3, 4, {.dtype = F64}))[3] == 0.3);
  CHECK(doubles(logspace(0., 1., 3, 10., {.dtype = F64}))[1] ==
        Approx(std::sqrt(10.)).epsilon(1e-15));
  CHECK(doubles(clip(array({5.}, F64), 0., 0.1))[0] == 0.1);
  CHECK(doubles(where(array({true, false}), x64, 0.1))[1] == 0.1);
  CHECK(doubles(maximum(x64, 1.1))[0] == 1.1);
  CHECK(doubles(pow(array({2.}, F64), 0.1))[0] == Approx(std::pow(2., 0.1)).epsilon(1e-15));
  CHECK(doubles(pow(0.1, array({1.}, F64)))[0] == Approx(0.1).epsilon(1e-15));
  CHECK(doubles(zeros({2}, F64).at(0).set(0.1))[0] == 0.1);
  CHECK(doubles(zeros({2}, F64).at(1).add(0.1))[1] == 0.1);
  CHECK(doubles(array({x64[0], 0.1}))[1] == 0.1);
  CHECK(doubles(stack({x64[0], 0.1}))[1] == 0.1);
  CHECK(doubles(concatenate({x64, array({0.1}, F64)}))[2] == 0.1);
  CHECK(doubles(asarray(0.1, F64).reshape({1}))[0] == 0.1);
  CHECK(Array(0.1).astype(F64).item<double>() == 0.1);
  CHECK(doubles(x64.sum(0, {.initial = 0.1}).reshape({1}))[0] == 4.1);
  CHECK(doubles(pad(x64, {{1, 0}}, {.constant_values = 0.1}))[0] == 0.1);
  CHECK(doubles(array({5}).astype(I64) * 0.1)[0] == 0.5);
  CHECK((array({1.}, C128) * 0.1).to_vector<complex128_t>()[0].re == 0.1);
  CHECK(array({1700000010.}, F64).item<double>() - 1700000007. == 3);
  CHECK((array({1700000010.}, F64) - 1700000007.).item<double>() == 3);
  CHECK((x64 == 0.1).any().item<bool>() == false);
  CHECK((array({0.1}, F64) == 0.1).item<bool>());
}

TEST_CASE("numbers meet narrower floats as floats", "[weak]") {
  CHECK((array({1.f}) * 0.1).to_vector<float>()[0] == 0.1f);
  CHECK(text_of(Array(0.1) * array({1.})) == "f32[1]");
  CHECK(std::isinf((array({1.}) * 1e300).item<float>()));
  CHECK((full({1}, 0.1)).item<double>() == static_cast<double>(0.1f));
  // Arithmetic among numbers computes in F32, and its results no longer have F64 values.
  CHECK((x64[0] * (Array(0.1) + 0.2)).item<double>() == static_cast<double>(0.1f + 0.2f));
  CHECK((x64[0] * -Array(0.1)).item<double>() == static_cast<double>(-0.1f));
  CHECK((Array(0.1) * 2).weak_type());
}

TEST_CASE("numbers stay weak as arguments of jit", "[weak]") {
  int traced = 0;
  const auto f = jit([&](Array x, Array s) {
    ++traced;
    return x * s;
  });
  CHECK(doubles(f(x64, 0.1)) == tenths);
  CHECK(doubles(f(x64, 1e300))[0] == 1e300);
  CHECK(doubles(f(x64, 0.5))[1] == 1.5);
  CHECK(doubles(f(x64, Array(0.1) * 1.))[0] == static_cast<double>(0.1f));
  CHECK(traced == 1);
  CHECK(f(array({1.}), 0.1).item<float>() == 0.1f);
  CHECK(f(array({1.}, C128), 0.1).to_vector<complex128_t>()[0].re == 0.1);
  // The number is used as a float and as a double, and it is returned and passed again.
  const auto both = jit([](Array x, Array y, Array s) {
    return std::tuple(x * s, y * s, s, x.astype(I64) + s.astype(I64));
  });
  const auto [wide, narrow, again, whole] = both(x64, array({1., 3.}), 16777217.);
  CHECK(doubles(wide)[1] == 3 * 16777217.);
  CHECK(narrow.to_vector<float>()[1] == 3 * 16777217.f);
  CHECK(whole.to_vector<int64_t>()[0] == 16777218);
  CHECK(doubles(f(x64, again))[0] == 16777217.);
  // The call is inside an inner jit, with numbers of its own and of the outer function.
  const auto outer = jit([&](Array x, Array s) { return f(x, s) + f(x, 0.1) * s; });
  CHECK(doubles(outer(x64, 0.2))[1] == Approx(0.66).epsilon(1e-15));
  // It is compiled ahead of time, or has many arguments.
  CHECK(doubles(jit([](Array x, Array s) { return x * s; }).lower(x64, 0.5).compile()(x64, 0.1)) ==
        tenths);
  CHECK(doubles(jit([](Array x, std::vector<Array> s) {
          Array y = x;
          for (const Array& a : s) y = y + a;
          return y;
        })(x64, std::vector<Array>(30, 0.1)))[0] > 3.9999999999999);
  // The key and the text contain only the F32 value.
  CHECK(make_jaxpr([](Array x, Array s) { return x * s; })(x64, 0.1).jaxpr->in_types()[1] ==
        Type(F32, {}, true));
}

TEST_CASE("numbers stay weak inside vmap, grad and loops", "[weak]") {
  const auto scaled = [](Array x, Array s) { return x * s; };
  CHECK(doubles(vmap(scaled, {0, none})(x64, 0.1)) == tenths);
  CHECK(doubles(jit(vmap(scaled, {0, none}))(x64, 0.1)) == tenths);
  const auto energy = [](Array x, Array s) { return (x * s).sum(); };
  CHECK(doubles(grad(energy)(x64, 0.1)) == std::vector<double>{0.1, 0.1});
  CHECK(doubles(jit(grad(energy))(x64, 0.1)) == std::vector<double>{0.1, 0.1});
  CHECK(doubles(jit(jacrev(scaled))(x64, 0.1).reshape({4}))[0] == 0.1);
  CHECK(doubles(jvp([](Array x) { return x * 0.1; }, std::tuple{x64}, std::tuple{x64}).second) ==
        tenths);
  // The derivative is with respect to the number itself.
  const auto [value, slope] = value_and_grad([](Array s) { return x64[1] * s; })(0.1);
  CHECK(value.item<double>() == 3 * 0.1);
  CHECK(slope.item<float>() == 3);
  CHECK(jit(value_and_grad([](Array s) { return x64[1] * s; }))(0.1).first.item<double>() ==
        3 * 0.1);

  const auto twice = [](Array x, Array s) {
    return cond(
        x.sum() > 0, [](Array a, Array b) { return a * b; }, [](Array a, Array) { return a; }, x,
        s);
  };
  CHECK(doubles(twice(x64, 0.1)) == tenths);
  CHECK(doubles(jit(twice)(x64, 0.1)) == tenths);
  CHECK(doubles(vmap([&](Array x) { return twice(x, 0.1); })(x64)) == tenths);
  CHECK(doubles(cond(
                    array({true})[0], [] { return Array(0.1); }, [] { return x64[0]; })
                    .reshape({1}))[0] == 0.1);
  const auto captured = [](Array x, Array s) {
    return fori_loop(0, 2, [&](Array, Array c) { return c * s; }, x);
  };
  CHECK(doubles(captured(x64, 0.1))[0] == 0.1 * 0.1);
  CHECK(doubles(jit(captured)(x64, 0.1))[0] == 0.1 * 0.1);
  // A carry that the body passes through unchanged keeps its F64 value. A computed carry does not.
  using P = std::pair<Array, Array>;
  const auto carried = [](Array x, Array s) {
    return while_loop([](P c) { return c.first[0] * c.second < 0.02; },
                      [](P c) { return P(c.first + c.first * c.second, c.second); }, P(x, s));
  };
  const P kept = carried(array({0.1}, F64), 0.1);
  double want = 0.1;
  while (want * 0.1 < 0.02) want += want * 0.1;
  CHECK(kept.first.item<double>() == Approx(want).epsilon(1e-15));
  CHECK(jit(carried)(array({0.1}, F64), 0.1).first.item<double>() == Approx(want).epsilon(1e-15));
  const auto changed = [](Array x, Array s) {
    return fori_loop(0, 2, [](Array, P c) { return P(c.first * c.second, c.second * 1); }, P(x, s));
  };
  CHECK(doubles(changed(x64, 0.1).first)[0] ==
        static_cast<double>(0.1f) * static_cast<double>(0.1f));
  CHECK(while_loop([](Array v) { return v < 0.05; }, [](Array v) { return v + x64[0]; }, 0.1)
            .item<double>() == 0.1);
  CHECK(doubles(scan([](Array c, Array row) { return P(c + row * 0.1, c * 0.1); }, 0.1, x64)
                    .second)[0] == 0.1 * 0.1);
  // An inner jit inside a loop's body gets a value that the loop captures.
  const auto inner = jit(scaled);
  const auto nested = jit([&](Array x, Array s) {
    return fori_loop(0, 1, [&](Array, Array c) { return inner(c, s); }, x);
  });
  CHECK(doubles(nested(x64, 0.1)) == tenths);

  const auto custom = custom_jvp([](Array x, Array s) { return x * s; },
                                 [](std::tuple<Array, Array> p, std::tuple<Array, Array> t) {
                                   const auto [x, s] = p;
                                   return std::pair(x * s, std::get<0>(t) * s);
                                 });
  CHECK(doubles(custom(x64, 0.1)) == tenths);
  CHECK(doubles(grad([&](Array x) { return custom(x, 0.1).sum(); })(x64))[0] == 0.1);
}

TEST_CASE("numbers stay weak in functions with custom rules", "[weak]") {
  using Pair = std::tuple<Array, Array>;
  int traced = 0;
  const auto by_jvp = custom_jvp(
      [&](Array x, Array s) {
        ++traced;
        return x * s;
      },
      [](Pair p, Pair t) {
        const auto [x, s] = p;
        return std::pair(x * s, std::get<0>(t) * s + x * std::get<1>(t));
      });
  const auto by_vjp = custom_vjp([](Array x, Array s) { return x * s; },
                                 [](Array x, Array s) { return std::pair(x * s, Pair(x, s)); },
                                 [](Pair r, Array ct) {
                                   const auto [x, s] = r;
                                   return Pair(ct * s, (ct * x).sum().astype(F32));
                                 });
  const auto check = [](auto f) {
    const auto total = [f](Array x, Array s) { return f(x, s).sum(); };
    CHECK(doubles(f(x64, 0.1)) == tenths);
    CHECK(doubles(jit(f)(x64, 0.1)) == tenths);
    CHECK(doubles(vmap(f, {0, none})(x64, 0.1)) == tenths);
    for (const auto& [dx, ds] : {grad<0, 1>(total)(x64, 0.1), jit(grad<0, 1>(total))(x64, 0.1)}) {
      CHECK(doubles(dx) == std::vector<double>{0.1, 0.1});
      CHECK(ds.template item<float>() == 4);
    }
    const auto of_x = grad(total)(x64, 0.1);
    CHECK(doubles(of_x) == std::vector<double>{0.1, 0.1});
    CHECK(doubles(jit(grad(total))(x64, 0.1)) == std::vector<double>{0.1, 0.1});
    CHECK(doubles(jit(vmap(grad(total), {0, none}))(x64, 0.1)) == std::vector<double>{0.1, 0.1});
  };
  check(by_jvp);
  check(by_vjp);
  // No operation needs an F64 value: the rule is traced once, with the arguments alone.
  traced = 0;
  const std::string text =
      to_string(make_jaxpr([&](Array x, Array s) { return by_jvp(x, s); })(array({1.}), 0.1));
  CHECK(traced == 1);
  CHECK(text.find("f64") == std::string::npos);
}

TEST_CASE("programs differ by the digits of a number that they use", "[weak]") {
  const auto program = [](double v, DType d) {
    return make_jaxpr([&](Array x) { return x * v; })(ones({2}, d)).jaxpr;
  };
  const double near = std::nextafter(0.1, 1);
  CHECK(program(0.1, F32) == program(near, F32));
  CHECK(program(0.1, F64) != program(near, F64));
  const auto conversion = [](double v) {
    return make_jaxpr([&](Array x) { return std::pair(x, lax::convert_element_type(v, F64)); })(x64)
        .jaxpr;
  };
  CHECK(conversion(0.1) != conversion(near));
  CHECK(conversion(0.1) == conversion(0.1));
}

TEST_CASE("the text of a program keeps its numbers", "[weak]") {
  for (double v : {0.1, 1e300, -1e-300, 0.5, 1 / 3., static_cast<double>(0.1f), 5e-324,
                   std::numeric_limits<double>::infinity()}) {
    const ClosedJaxpr c = make_jaxpr(
        [&](Array x) { return std::tuple(x, lax::convert_element_type(v, F64), Array(v)); })(x64);
    CAPTURE(to_string(c));
    CHECK(parse_jaxpr(to_string(c)).jaxpr == c.jaxpr);
    CHECK(eval_jaxpr(parse_jaxpr(to_string(c)), {x64})[1].item<double>() == v);
    CHECK(eval_jaxpr(c, {x64})[2].astype(F64).item<double>() == v);
    const std::string hlo =
        jit([&](Array x) { return x * lax::convert_element_type(v, F64); }).lower(x64).stablehlo();
    CAPTURE(hlo);
    CHECK(eval_jaxpr(parse_stablehlo(hlo), {x64})[0].to_vector<double>()[0] == v);
  }
  const std::string text = to_string(make_jaxpr([](Array x) {
    return std::pair(x * 0.1, lax::convert_element_type(0.1, F64));
  })(array({1.})));
  CAPTURE(text);
  CHECK(text.find("mul a 0.10000000149011612:~f32[]") != std::string::npos);
  CHECK(text.find("weak_type=False] 0.1:~f32[]") != std::string::npos);
}

#define TEXT_OF(...) TEXT_OF_EXPANDED(__VA_ARGS__)
#define TEXT_OF_EXPANDED(...) #__VA_ARGS__

namespace {
const int64_t big = 5000000000;
const uint64_t huge = 18446744073709551615u;
const Array i64 = array(std::vector<int64_t>{1, 2}), u64 = array(std::vector<uint64_t>{1, 2});
}  // namespace

TEST_CASE("integers beyond I32 combine with 64-bit types", "[weak]") {
  CHECK((i64 * 3000000000).to_vector<int64_t>()[1] == 6000000000);
  CHECK((u64 + huge).to_vector<uint64_t>()[0] == 0);
  CHECK((u64 & uint64_t{0xffffffffu}).to_vector<uint64_t>()[1] == 2);
  CHECK((x64 + big).to_vector<double>()[0] == 5000000001.);
  CHECK((array({1.}, C128) + big).to_vector<complex128_t>()[0].re == 5000000001.);
  CHECK(where(array({true, false}), i64, big).to_vector<int64_t>()[1] == big);
  CHECK(full({}, big, I64).item<int64_t>() == big);
  CHECK(full({}, huge, U64).item<uint64_t>() == huge);
  CHECK(full({}, huge, F64).item<double>() == 18446744073709551616.);
  CHECK(array({big, int64_t{1}}, I64).to_vector<int64_t>()[0] == big);
  CHECK(array({huge}, U64).to_vector<uint64_t>()[0] == huge);
  CHECK(array({huge}, F64).to_vector<double>()[0] == 18446744073709551616.);
  CHECK(array({i64[0], big}).to_vector<int64_t>()[1] == big);
  CHECK(arange(big, big + 3, 1, I64).to_vector<int64_t>() ==
        std::vector<int64_t>{big, big + 1, big + 2});
  const int64_t far = int64_t{1} << 60;
  CHECK(arange(far, far + 3, 1, I64).to_vector<int64_t>() ==
        std::vector<int64_t>{far, far + 1, far + 2});
  CHECK(arange(far + 3, far, -2, I64).to_vector<int64_t>() ==
        std::vector<int64_t>{far + 3, far + 1});
  CHECK(arange(far + 3, far, 1, I64).size() == 0);
  CHECK(zeros({1}, I64).at(0).set(big).item<int64_t>() == big);
  CHECK(clip(i64, 0, big).to_vector<int64_t>()[1] == 2);

  int traced = 0;
  const auto f = jit([&](Array x, Array n) {
    ++traced;
    return x + n;
  });
  CHECK(f(i64, big).to_vector<int64_t>()[0] == big + 1);
  CHECK(f(i64, big + 5).to_vector<int64_t>()[0] == big + 6);
  CHECK(traced == 1);
  CHECK(f(i64, 3).to_vector<int64_t>()[0] == 4);  // the type includes whether the value fits I32
  CHECK(traced == 2);
  CHECK_THROWS_AS(f(array({1}), big), DTypeError);
  CHECK(vmap([&](Array a) { return a + big; })(i64).to_vector<int64_t>()[1] == big + 2);
}

TEST_CASE("integers beyond I32 combine with no other types", "[weak]") {
  CHECK_THROWS_AS(array({1}) + big, DTypeError);
  CHECK_THROWS_AS(array({1.}) * big, DTypeError);
  CHECK_THROWS_AS(array({true}) & big, DTypeError);
  CHECK_THROWS_AS(Array(big) + 1, DTypeError);
  CHECK_THROWS_AS(Array(big) * 0.5, DTypeError);
  CHECK_THROWS_AS(weft::sin(big), DTypeError);
  CHECK_THROWS_AS(pow(Array(big), 2), DTypeError);
  CHECK_THROWS_AS(pow(array({2}), big), DTypeError);
  CHECK_THROWS_AS(stack({Array(big), 1}), DTypeError);
  CHECK_THROWS_AS(stack({array({1})[0], big}), DTypeError);
  CHECK_THROWS_AS(full({}, big), DTypeError);
  CHECK_THROWS_AS(full({}, big, I32), DTypeError);
  CHECK_THROWS_AS(full({}, huge, I64), DTypeError);
  CHECK_THROWS_AS(i64 + huge, DTypeError);
  CHECK_THROWS_AS(array({big}), DTypeError);
  CHECK_THROWS_AS(array({huge}, I64), DTypeError);
  CHECK_THROWS_AS(array({1.5, static_cast<double>(big)}, F32) + Array(big), DTypeError);
  CHECK_THROWS_AS(arange(big), DTypeError);
  CHECK_THROWS_AS(Array(big).astype(I32), DTypeError);

  // The replacements that the message suggests compile and work.
#define ADVICE full({}, int64_t{5000000000}, I64)
#define ADVICE_U full({}, uint64_t{18446744073709551615u}, U64)
  const auto message = [](auto f) -> std::string {
    try {
      f();
    } catch (const DTypeError& e) {
      return e.what();
    }
    return "";
  };
  const std::string said = message([&] { return array({1}) + big; });
  CAPTURE(said);
  CHECK(said.find("5000000000 does not fit I32") != std::string::npos);
  CHECK(said.find(TEXT_OF(ADVICE)) != std::string::npos);
  CHECK(said.find("astype(I64)") != std::string::npos);
  CHECK((array({1}) + ADVICE).item<int64_t>() == 5000000001);
  CHECK((array({1}).astype(I64) + big).item<int64_t>() == 5000000001);
  const std::string unsigned_said = message([&] { return array({1}) + huge; });
  CAPTURE(unsigned_said);
  CHECK(unsigned_said.find(TEXT_OF(ADVICE_U)) != std::string::npos);
  CHECK((zeros({1}, U64) + ADVICE_U).item<uint64_t>() == huge);
  CHECK(message([&] { return array({big}); }).find("array({{…}}, I64)") == std::string::npos);
  CHECK(message([&] { return array({big}); }).find("array({…}, I64)") != std::string::npos);
}

TEST_CASE("numbers that are passed on keep their doubles", "[weak]") {
  const auto exact = [](auto step) {
    const Array one = ones({}, F64);
    for (const Array& r :
         {step(one, 0.1), jit(step)(one, 0.1), jit(jit(step))(one, 0.1),
          jit([step](Array w) { return step(w, 0.1); })(one),
          jit(vmap(step, {0, none}))(ones({2}, F64), 0.1)[1],
          jit(grad([step](Array w, Array lr) { return step(w, lr) * w; }))(one, 0.1) - 1. + 0.1})
      CHECK(r.item<double>() == Approx(0.9).epsilon(1e-15));
  };
  const auto decay = [](Array w, Array lr) { return w - lr * w; };
  exact(decay);
  exact(sequential_vmap(decay));
  exact(custom_vmap(decay, [](int64_t, std::array<tree::Mask, 2> mapped, Array w, Array lr) {
    return std::pair{w - lr * w, mapped[0]};
  }));
  exact([](Array w, Array lr) { return w - checkpoint_name(lr, "rate") * w; });
  exact(checkpoint([](Array w, Array lr) { return w - checkpoint_name(lr, "rate") * w; }));
  exact([](Array w, Array lr) { return w - jit([](Array x) { return x; })(lr) * w; });
  exact([](Array w, Array) { return w - jit([](Array) { return Array(0.1); })(w) * w; });
  exact([](Array w, Array lr) { return w - stop_gradient(lr) * w; });
  exact([](Array w, Array lr) { return w - lr.reshape({}) * w; });
  exact([](Array w, Array lr) { return w - lax::squeeze(lr, {}) * w; });

  // If a number has no derivative, its F64 value has none either.
  const auto stopped = [](Array lr, Array w) { return w - stop_gradient(lr) * w; };
  for (const Array& g : {grad(stopped)(0.1, ones({}, F64)), grad(jit(stopped))(0.1, ones({}, F64)),
                         jit(grad(jit(stopped)))(0.1, ones({}, F64))})
    CHECK(g.item<double>() == 0);
}

TEST_CASE("a conversion of a computed number follows the op that forwards it", "[weak]") {
  const auto stopped = [](Array lr, Array w) { return w - stop_gradient(lr * 2) * w; };
  for (const Array& g : {grad(stopped)(0.1, ones({}, F64)), grad(jit(stopped))(0.1, ones({}, F64)),
                         jit(grad(jit(stopped)))(0.1, ones({}, F64))})
    CHECK(g.item<double>() == 0);
  CHECK(jit(stopped)(0.1, ones({}, F64)).item<double>() == 1 - static_cast<double>(0.1f * 2));
}
