// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/jit/emit/cold_paths_test.cpp: cold paths, which kernels call in the library, give the bits
// of the interpreted nest, whichever lanes take them. The kernel contains no code for them.
#include "runtime/native/cold_paths.h"

#include "core/scalar/math.h"
#include "jit/emit/compare.h"

namespace weft::compiler {
namespace {

template <class T>
constexpr Storage storage = sizeof(T) == 4 ? Storage::F32 : Storage::F64;

template <class T>
num::Ir<T> angles(num::Ir<T> x) {
  return math::sin(x) + math::cos(x) * math::tan(x);
}

template <class T>
nest::Kernel elementwise(Vector v) {
  Builder b("rare");
  const num::Writing writing(b);
  const auto x = num::Ir<T>::at(b.load(b.buffer(storage<T>, false), b.index(0)));
  b.store(b.buffer(storage<T>, true), b.index(0), angles(x).id);
  return b.finish(1, 0, v);
}

// Repeats x = angles(x) * scale. A lane's first number is the number of repetitions.
template <class T>
nest::Kernel repeated() {
  Builder b("rare_loop");
  const num::Writing writing(b);
  const Id x = b.load(b.buffer(storage<T>, false), b.index(0));
  const Kind kind = b.kind(x);
  const auto test = b.open({kind, Kind::I32});
  b.yield({b.pure(Opcode::SLt, Kind::Mask, {b.param(test, 1), b.integer(5, Kind::I32)})});
  b.leave();
  const auto body = b.open({kind, Kind::I32});
  const auto y = angles(num::Ir<T>::at(b.param(body, 0))) * num::Ir<T>(T(1e9));
  const Id big = b.pure(Opcode::Lt, Kind::Mask, {y.id, num::Ir<T>(T(0)).id});
  const Id step =
      b.pure(Opcode::Select, Kind::I32, {big, b.integer(2, Kind::I32), b.integer(1, Kind::I32)});
  b.yield({y.id, b.pure(Opcode::Add, Kind::I32, {b.param(body, 1), step})});
  b.leave();
  const auto r = b.loop_while({x, b.integer(0, Kind::I32)}, test, body);
  b.store(b.buffer(storage<T>, true), b.index(0), r[0]);
  return b.finish(1, 0, Vector::grid);
}

template <class T>
std::vector<T> numbers(size_t n, int one_hard_in) {
  std::mt19937 g(7);
  std::vector<T> x;
  for (size_t i = 0; i < n; ++i) {
    const T unit = static_cast<T>(static_cast<int>(g() % 20001) - 10000) / T(1000);
    const bool hard = one_hard_in && g() % static_cast<unsigned>(one_hard_in) == 0;
    x.push_back(hard ? std::ldexp(unit, static_cast<int>(g() % 100) + 20) : unit);
  }
  if (one_hard_in && n > 2) x[1] = std::numeric_limits<T>::infinity(), x[2] = T(-1e30);
  return x;
}

template <class T>
void check_all() {
  for (const auto& target : targets())
    for (size_t n : {1, 15, 16, 17, 67})
      for (int hard : {0, 1, 9}) {
        const Run run{{raw(numbers<T>(n, hard)), zeros(storage<T>, n)},
                      {},
                      {0, 1, 0, static_cast<int64_t>(n)}};
        CAPTURE(target.cpu, n, hard);
        CHECK(difference(elementwise<T>(Vector::grid), run, target).empty());
        CHECK(difference(elementwise<T>(Vector::none), run, target).empty());
        for (int interleave : {1, 2})
          for (auto refill : {Options::Use::never, Options::Use::always})
            CHECK(difference(repeated<T>(), run, target, {refill, interleave}).empty());
      }
}

size_t lines(const std::string& text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

TEST_CASE("cold paths in the library have the bits of the nest", "[jit][cold]") {
  check_all<float>();
  check_all<double>();
}

TEST_CASE("the library's cold paths are those of the templates", "[jit][cold]") {
  const auto same = [](auto zero, ColdPathId path, auto run) {
    using T = decltype(zero);
    const std::vector<T> x = numbers<T>(37, 1);
    constexpr size_t most = 3;
    std::vector<T> got(x.size() * most);
    native::cold_paths()[static_cast<size_t>(path) - 1].run(x.data(), got.data(),
                                                            static_cast<int64_t>(x.size()));
    for (size_t i = 0; i < x.size(); ++i) {
      const auto want = run(x[i]);
      for (size_t r = 0; r < want.size(); ++r)
        CHECK(std::memcmp(static_cast<const void*>(&got[r * x.size() + i]),
                          static_cast<const void*>(&want[r]), sizeof(T)) == 0);
    }
  };
  using math::detail::HardAngle, math::detail::Unit;
  const auto unit = [&]<Unit u>() {
    const auto run = [](auto x) { return HardAngle<u>::run(x); };
    same(0.f, HardAngle<u>::template path<float>, run);
    same(0., HardAngle<u>::template path<double>, run);
  };
  unit.operator()<Unit::pi>();
  unit.operator()<Unit::pi_less_half>();
  unit.operator()<Unit::half_pi>();
}

TEST_CASE("kernels hold no code of cold paths", "[jit][cold]") {
  const auto code = compile(elementwise<float>(Vector::grid));
  const std::string ir = code->llvm_ir();
  for (const char* name :
       {"weft_angle_pi_f32", "weft_angle_pi_less_half_f32", "weft_angle_half_pi_f32"})
    CHECK(ir.find(std::string("call void @") + name + "(") != std::string::npos);
  // The nest contains these paths (a GPU runs them). A kernel with two copies of them would be
  // longer.
  CHECK(lines(ir) < lines(nest::print(elementwise<float>(Vector::grid))));
}

}  // namespace weft::compiler
