// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/errors/misuse_test.cpp: one table of users' mistakes. Each row has the mistake, the class
// of the error, and the phrase that identifies its text. It is JAX's phrase if JAX has the error.
#include <thread>
#include <typeinfo>

#include "support/check.h"
#include "tracer/concrete.h"

using namespace weft;
using namespace weft::test;

namespace {

struct Params {
  Array w, b;
};
using List = std::vector<Array>;
const auto id = [](Array x) { return x; };
const auto plus = [](Array a, Array b) { return a + b; };
const auto square_it = [](Array x) { return x * x; };
Array v3() { return array({1., 2., 3.}); }
Array m23() { return zeros({2, 3}); }

struct Mistake {
  const char* what;
  const std::type_info* error;
  const char* phrase;
  Function<void()> make;
};
template <class E, class F>
Mistake raises(const char* what, const char* phrase, F f) {
  return {what, &typeid(E), phrase, Function<void()>(std::move(f))};
}

// ---- values, shapes, dtypes

std::vector<Mistake> values() {
  return {
      // This ShapeError has its own class, because transposition rules have to distinguish it.
      raises<EmptyArrayError>("use of an empty handle", "empty Array", [] { Array() + v3(); }),
      raises<ShapeError>("item() of three elements", "item() needs an array of one element",
                         [] { v3().item<float>(); }),
      raises<ShapeError>("bool of three elements", "ambiguous", [] { (void)bool(v3() > 0.); }),
      raises<ShapeError>("rows of unequal length", "rows of unequal length",
                         [] { array({{1, 2}, {3}}); }),
      raises<DTypeError>("an integer that I32 does not hold", "does not fit I32",
                         [] { array({5000000000}); }),
      raises<ShapeError>("a negative size", "negative size -3", [] { zeros({2, -3}); }),
      raises<ShapeError>("sizes whose product overflows", "it has more than 2^62 elements",
                         [] { zeros({int64_t{1} << 40, int64_t{1} << 40}); }),
      raises<ShapeError>("a product of a map that overflows", "overflow",
                         [] {
                           vmap([](Array) { return zeros({int64_t{1} << 31, int64_t{1} << 31}); },
                                0, 0, {.axis_size = int64_t{1} << 10})(zeros({int64_t{1} << 10}));
                         }),
      raises<OutOfMemoryError>("an allocation that fails", "cannot allocate 281474976710656 bytes",
                               [] { full({int64_t{1} << 46}, 1.).block_until_ready(); }),
      raises<OutOfMemoryError>("more than the limit that was set", "set_memory_limit",
                               [] {
                                 struct Limit {
                                   Limit() { set_memory_limit(memory_in_use() + (1 << 20)); }
                                   ~Limit() { set_memory_limit(0); }
                                 } limit;
                                 full({1 << 20}, 1.);
                               }),
      raises<ShapeError>("elements that do not fill the shape", "3 elements do not make",
                         [] { array(std::vector<float>{1, 2, 3}, {2, 2}); }),
      raises<ShapeError>("reshape into another number of elements", "cannot reshape f32[2,3]",
                         [] { m23().reshape({4, 2}); }),
      raises<ShapeError>("shapes that do not broadcast", "incompatible shapes for broadcasting",
                         [] { m23() + zeros({2}); }),
      raises<ShapeError>("product of matrices that do not fit", "are not aligned: 3 against 2",
                         [] { matmul(m23(), m23()); }),
      raises<ShapeError>("concatenate with another size", "does not go with f32[2,3]",
                         [] { concatenate({m23(), zeros({2, 4})}); }),
      raises<ShapeError>("stack of different shapes", "all arrays must have one shape",
                         [] { stack({m23(), v3()}); }),
      raises<ShapeError>("squeeze of an axis that is not 1", "is not of size 1",
                         [] { squeeze(m23(), 0); }),
      raises<ShapeError>("einsum with two sizes for a letter", "the same letter has",
                         [] { einsum("ij,jk", m23(), m23()); }),
      raises<ShapeError>("the largest of nothing", "no identity", [] { max(zeros({0})); }),
      raises<ShapeError>("an axis named twice", "named twice", [] { sum(m23(), {0, -2}); }),
      raises<IndexError>("an axis that is not there", "axis 2 is out of bounds",
                         [] { m23().sum(2); }),
      raises<DTypeError>("bits of floats", "takes bool or integer operands", [] { v3() & v3(); }),
      raises<DTypeError>("a negative power of integers", "negative powers",
                         [] { pow(arange(3), -1); }),
      raises<DTypeError>("lax with two dtypes", "requires arguments to have the same dtypes",
                         [] { lax::add(v3(), arange(3)); }),
      raises<ShapeError>("lax with two shapes", "must have the same shape or be scalars",
                         [] { lax::add(v3(), zeros({4})); }),
      raises<ShapeError>("lax: products along different sizes",
                         "contracting dimensions must have equal sizes",
                         [] { lax::dot_general(m23(), m23(), {{1}, {0}}); }),
      raises<DTypeError>("lax: a float as a start", "starts must be integer scalars",
                         [] { lax::dynamic_slice(v3(), {Array(1.5)}, {1}); }),
      raises<ShapeError>("lax: a window that is too wide", "slice size 7 does not fit axis 0",
                         [] { lax::dynamic_slice(v3(), {0}, {7}); }),
      raises<DTypeError>("a condition of floats", "which must be bool or i32",
                         [] { lax::select(v3(), v3(), v3()); }),
  };
}

// ---- indices

std::vector<Mistake> indices() {
  return {
      raises<IndexError>("a constant index out of range",
                         "index 4 is out of bounds for axis 0 with size 3", [] { v3()[4]; }),
      raises<IndexError>("too many indices", "too many indices for array", [] { v3()[{0, 0}]; }),
      raises<IndexError>("two ellipses", "single ellipsis", [] { m23()[{ellipsis, ellipsis}]; }),
      raises<IndexError>("a slice with step 0", "step cannot be zero",
                         [] { v3()[slice(0, 3, 0)]; }),
      raises<IndexError>("a float as an index", "must be of integer or bool type",
                         [] { v3()[array({1.5})]; }),
      raises<IndexError>("a mask of another size", "does not match axis 0",
                         [] { v3()[array({true, false})]; }),
      raises<IndexError>("a mode that is none", "not \"sideways\"",
                         [] { v3().at(0).set(1., {.mode = "sideways"}); }),
      raises<IndexError>("mode check", "index 9 is out of bounds",
                         [] { v3().at(array({9})).get({.mode = "check"}); }),
      raises<ShapeError>("an update of another shape", "f32[5] does not broadcast to shape (2,)",
                         [] { v3().at(slice(0, 2)).set(zeros({5})); }),
  };
}

// ---- traced values

std::vector<Mistake> traced_values() {
  return {
      raises<ConcretizationError>("if on a traced value under jit", "weft::cond",
                                  [] {
                                    jit([](Array x) {
                                      if (x > 0) return x;
                                      return -x;
                                    })(1.);
                                  }),
      raises<ConcretizationError>("while on a traced value under vmap", "while_loop",
                                  [] {
                                    vmap([](Array x) {
                                      while (x < 10) x = x * 2;
                                      return x;
                                    })(v3());
                                  }),
      raises<ConcretizationError>("item() of a tracer",
                                  "the arguments of the jit that is being traced",
                                  [] { jit([](Array x) { return x * x.item<float>(); })(1.); }),
      raises<ConcretizationError>(
          "to_vector() of a tracer", "the arguments of the vmap that is being traced",
          [] { vmap([](Array x) { return x * x.to_vector<float>()[0]; })(v3()); }),
      raises<ConcretizationError>("a length that is traced", "is not known here",
                                  [] { jit([](Array n) { return arange(n); })(3); }),
      raises<ConcretizationError>("a mask that is traced", "must be known",
                                  [] { jit([](Array x) { return x[x > 1.]; })(v3()); }),
  };
}
std::vector<Mistake> leaks() {
  return {
      raises<LeakedTracerError>("a tracer kept from vmap",
                                "has leaked: the vmap that made it is over",
                                [] {
                                  Array kept;
                                  vmap([&](Array x) {
                                    kept = x;
                                    return x;
                                  })(v3());
                                  kept + 1.;
                                }),
      raises<LeakedTracerError>("a tracer kept from jit",
                                "has leaked: the jit that made it is over",
                                [] {
                                  Array kept;
                                  jit([&](Array x) {
                                    kept = x;
                                    return x;
                                  })(v3());
                                  kept + 1.;
                                }),
      raises<LeakedTracerError>("a tracer kept from grad",
                                "has leaked: the jvp that made it is over",
                                [] {
                                  Array kept;
                                  grad([&](Array x) {
                                    kept = x;
                                    return x * x;
                                  })(1.);
                                  kept + 1.;
                                }),
      raises<LeakedTracerError>("a tracer kept from the body of a loop", "has leaked",
                                [] {
                                  Array kept;
                                  fori_loop(
                                      0, 3,
                                      [&](Array, Array x) {
                                        kept = x;
                                        return x;
                                      },
                                      1.);
                                  kept + 1.;
                                }),
      raises<LeakedTracerError>("a tracer in another thread",
                                "is used outside the jit that made it",
                                [] {
                                  std::exception_ptr failed;
                                  jit([&](Array x) {
                                    std::thread([&] {
                                      try {
                                        x + 1.;
                                      } catch (...) {
                                        failed = std::current_exception();
                                      }
                                    }).join();
                                    return x;
                                  })(1.);
                                  if (failed) std::rethrow_exception(failed);
                                }),
  };
}

// ---- vmap and named axes

std::vector<Mistake> maps() {
  return {
      raises<BatchingError>("sizes that disagree", "axis 0 of args[1] of type f32[4]",
                            [] { vmap(plus)(v3(), zeros({4})); }),
      raises<BatchingError>("sizes that disagree within a struct",
                            "axis 0 of args[0].b of type f32[4]",
                            [] { vmap([](Params p) { return p.w; })({v3(), zeros({4})}); }),
      raises<BatchingError>("axis_size that disagrees", "the `axis_size` argument was 5",
                            [] { vmap(id, 0, 0, {.axis_size = 5})(v3()); }),
      raises<BatchingError>("an axis out of range", "along axis 2, which implies that its rank",
                            [] { vmap(id, 2)(m23()); }),
      raises<BatchingError>("a scalar to map", "rank should be at least 1, but is only 0",
                            [] { vmap(id)(1.); }),
      raises<BatchingError>("a negative axis out of range", "along axis -3",
                            [] { vmap(id, -3)(m23()); }),
      raises<BatchingError>("an out_axis out of range", "axis 2 is out of bounds",
                            [] { vmap(id, 0, 2)(m23()); }),
      raises<BatchingError>("nothing is mapped", "at least one non-None value in in_axes",
                            [] { vmap(plus, none)(1., 2.); }),
      raises<BatchingError>("in_axes for more arguments than there are", "for 2 arguments",
                            [] { vmap(plus, {0, 0, 0})(v3(), v3()); }),
      raises<BatchingError>("in_axes that are no prefix",
                            "tree prefix of the corresponding value: at args[0]",
                            [] { vmap(plus, {{0, 1}, 0})(v3(), v3()); }),
      raises<BatchingError>(
          "in_axes by a name that is not there", "has no entry 'q'",
          [] { vmap([](Params p) { return p.w; }, {{"w", 0}, {"q", 0}})({v3(), v3()}); }),
      raises<BatchingError>("out_axes that are no prefix",
                            "vmap out_axes specification must be a tree prefix",
                            [] { vmap(id, 0, {{"a", 0}})(v3()); }),
      raises<BatchingError>("out_axes none for a result that has lanes",
                            "got axis spec None but output was batched on axis 0",
                            [] { vmap(id, 0, none)(v3()); }),
      raises<BatchingError>("a negative chunk_size", "chunk_size must not be negative",
                            [] { vmap(id, 0, 0, {.chunk_size = -1}); }),
      raises<BatchingError>("a randomness that is none", "randomness must be",
                            [] { vmap(id, 0, 0, {.randomness = "often"}); }),
      raises<BatchingError>("a collective over chunks", "all lanes",
                            [] {
                              vmap([](Array a) { return psum(a, "i"); }, 0, 0,
                                   {.axis_name = "i", .chunk_size = 2})(zeros({4}));
                            }),
      raises<BatchingError>("an unmapped key under randomness error",
                            "draws with a key that is not mapped",
                            [] {
                              vmap([](Array x) { return x + random::uniform(random::key(0)); }, 0,
                                   0, {.randomness = "error"})(v3());
                            }),
      raises<AxisNameError>("a name that no map has", "unbound axis name 'i'",
                            [] { psum(v3(), "i"); }),
      raises<AxisNameError>("another name than the map's", "Names in scope: 'j'",
                            [] {
                              vmap([](Array x) { return axis_index("i") + x; }, 0, 0,
                                   {.axis_name = "j"})(v3());
                            }),
      raises<AxisNameError>("a name twice", "named twice",
                            [] {
                              vmap([](Array x) { return psum(x, {"i", "i"}); }, 0, 0,
                                   {.axis_name = "i"})(v3());
                            }),
      raises<AxisNameError>("lanes over the axis of a mesh", "not spread over the axis of a mesh",
                            [] { vmap(id, 0, 0, {.spmd_axis_name = "data"})(v3()); }),
      raises<BatchingError>("vectorized_map of leading sizes that disagree", "inconsistent sizes",
                            [] {
                              vectorized_map([](std::pair<Array, Array> p) { return p.first; },
                                             std::pair{zeros({2}), zeros({3})});
                            }),
      raises<BatchingError>("a negative number of iterations", "iters must not be negative",
                            [] { pfor(id, -1); }),
  };
}

// ---- derivatives

std::vector<Mistake> transposes() {
  return {
      raises<DifferentiationError>(
          "linear_transpose of what is not linear", "'sin'",
          [] { linear_transpose([](Array x) { return sin(x); }, v3())(v3()); }),
      raises<DifferentiationError>(
          "linear_transpose of a product", "'mul' is not linear",
          [] { linear_transpose([](Array x) { return x * x.sum(); }, v3())(v3()); }),
      raises<DifferentiationError>(
          "linear_transpose of a quotient", "'div' is not linear in its denominator",
          [] { linear_transpose([](Array x) { return 1. / x; }, v3())(v3()); }),
      raises<DifferentiationError>(
          "linear_transpose of a choice", "'select_n' is not linear",
          [] { linear_transpose([](Array x) { return where(x > 0., x, 0.); }, v3())(v3()); }),
      raises<DifferentiationError>(
          "linear_transpose of a branch by the argument", "'cond' is not linear",
          [] {
            linear_transpose(
                [](Array x) {
                  return cond(
                      x[0] > 0., [](Array v) { return v; }, [](Array v) { return v * 2.; }, x);
                },
                v3())(v3());
          }),
      raises<DifferentiationError>(
          "linear_transpose of a loop of products", "'mul' is not linear",
          [] {
            linear_transpose(
                [](Array x) {
                  return scan([](Array c, Array r) { return std::pair{c * r, c}; }, x[0], x).first;
                },
                v3())(1.);
          }),
      raises<DifferentiationError>(
          "a rule of custom_jvp that is not linear in the tangent", "'mul' is not linear",
          [] {
            grad(custom_jvp([](Array x) { return x; },
                            [](auto p, auto t) {
                              return std::pair{std::get<0>(p), std::get<0>(t) * std::get<0>(t)};
                            }))(1.);
          }),
  };
}
std::vector<Mistake> derivatives() {
  return {
      raises<DifferentiationError>("grad of a vector", "only defined for scalar-output functions",
                                   [] { grad(square_it)(v3()); }),
      raises<DifferentiationError>("grad with respect to an integer",
                                   "requires real- or complex-valued inputs",
                                   [] { grad(square_it)(3); }),
      raises<DifferentiationError>("grad with respect to a struct that holds an integer",
                                   "for args[0].b",
                                   [] { grad([](Params p) { return p.w; })({1., 2}); }),
      raises<DifferentiationError>("grad of an integer result", "requires real-valued outputs",
                                   [] { grad([](Array x) { return x.astype(I32); })(1.); }),
      raises<DifferentiationError>("grad of a complex result", "requires real-valued outputs",
                                   [] { grad([](Array x) { return x.astype(C64); })(1.); }),
      raises<DifferentiationError>(
          "a tangent of another shape", "equal types, but they differ",
          [] { jvp(square_it, std::tuple{v3()}, std::tuple{zeros({2})}); }),
      raises<DifferentiationError>("a cotangent of another shape", "but expected f32[3]",
                                   [] { vjp(square_it, v3()).second(zeros({2})); }),
      raises<DifferentiationError>(
          "a cotangent of another structure", "tree structure",
          [] { vjp([](Array x) { return List{x, x}; }, 1.).second({1.}); }),
      raises<DifferentiationError>("grad through an unbounded loop", "max_trips",
                                   [] {
                                     grad([](Array x) {
                                       return while_loop([](Array c) { return c < 10.; },
                                                         [](Array c) { return c * 2.; }, x);
                                     })(1.);
                                   }),
      raises<DifferentiationError>(
          "a custom rule with another shape", "Custom JVP rule must produce",
          [] {
            custom_jvp(square_it, [](std::tuple<Array> x, std::tuple<Array>) {
              return std::pair{std::get<0>(x), zeros({2})};
            })(1.f + zeros({}));
          }),
      raises<DifferentiationError>("jacrev of integers", "requires real-valued outputs",
                                   [] { jacrev([](Array x) { return x.astype(I32); })(v3()); }),
      raises<ShapeError>("batch_jacobian without a batch", "must keep the leading axis",
                         [] { batch_jacobian([](Array x) { return x.sum(); })(m23()); }),
  };
}

// ---- branches and loops

std::vector<Mistake> control_flow() {
  const auto one = [] { return 1.; };
  return {
      raises<ShapeError>("a predicate that is not a scalar", "Pred must be a scalar, got f32[2]",
                         [=] { cond(zeros({2}), one, one); }),
      raises<DTypeError>("a float as a branch number", "the index must be an integer scalar",
                         [] { switch_(Array(0.5), {[] { return Array(1.); }}); }),
      raises<ShapeError>("branches of two types", "equal types, but they differ: result is",
                         [] { cond(true, [] { return v3(); }, [] { return zeros({4}); }); }),
      raises<ShapeError>("branches of two structures", "the same pytree structure",
                         [] { cond(true, [] { return List{1.}; }, [] { return List{1., 2.}; }); }),
      raises<ShapeError>(
          "a carry of scan that grows", "the input carry component carry has type f32[2]",
          [] {
            scan([](Array c, Array) { return std::pair{concatenate({c, c}, 0), none}; }, zeros({2}),
                 v3());
          }),
      raises<ShapeError>("a carry of while_loop that changes its dtype",
                         "carry.b has type f32[] but the corresponding output carry component has",
                         [] {
                           while_loop([](Params) { return true; },
                                      [](Params p) { return Params{p.w, p.b.astype(F64)}; },
                                      Params{1.f + zeros({}), zeros({})});
                         }),
      raises<ShapeError>("a carry of fori_loop that changes its structure",
                         "must have the same pytree structure",
                         [] {
                           fori_loop(
                               0, 3,
                               [](Array, List l) {
                                 l.push_back(l[0]);
                                 return l;
                               },
                               List{1.});
                         }),
      raises<DTypeError>("a condition that is a number", "cond_fun must return a boolean scalar",
                         [] { while_loop(id, id, 1.); }),
      raises<ShapeError>(
          "a negative max_trips", "max_trips must not be negative",
          [] { while_loop([](Array x) { return x > 0; }, id, 1., {.max_trips = -1}); }),
      raises<DTypeError>("a float as a bound", "the lower bound must be an integer scalar",
                         [] { fori_loop(0.5, 3, [](Array, Array x) { return x; }, 1.); }),
      raises<ShapeError>(
          "a length that disagrees", "disagrees with leading axis sizes [3]",
          [] { scan([](Array c, Array) { return std::pair{c, none}; }, 0., v3(), {.length = 4}); }),
      raises<ShapeError>(
          "nothing to scan over", "`length` not provided",
          [] { scan([](Array c, none_t) { return std::pair{c, none}; }, 0., none); }),
      raises<ShapeError>("a scalar to scan over", "no leading axis to scan over",
                         [] { scan([](Array c, Array) { return std::pair{c, none}; }, 0., 1.); }),
  };
}

// ---- programs, files, keys

std::vector<Mistake> programs() {
  return {
      raises<DeviceError>("a device that is not there", "there is no device 'tpu:9'",
                          [] { jit(id, {.device = "tpu:9"})(4.); }),
      raises<DeviceError>("a donated array", "donated to 'step'",
                          [] {
                            const Array x = ones({100});
                            jit(square_it, {.donate_argnums = {0}, .name = "step"})(x);
                            x.to_vector<float>();
                          }),
      raises<DeviceError>("an argument to donate that is not there", "names argument 1",
                          [] { jit(id, {.donate_argnums = {1}})(1.); }),
      raises<CompileError>("a negative time limit", "time_limit must be a number of seconds",
                           [] { jit(id, {.time_limit = -1})(4.); }),
      raises<CompileError>("a function that calls itself", "calls itself",
                           [] {
                             Function<Array(Array)> self;
                             const auto f = jit([&](Array x) { return self(x) + 1; });
                             self = f;
                             struct End {
                               Function<Array(Array)>& f;
                               ~End() { f = {}; }
                             } end{self};
                             f(1.);
                           }),
      raises<CheckError>(
          "a NaN under check_nans", "made by 'sqrt' on f32[]",
          [] { jit([](Array x) { return sqrt(x) + 1; }, {.check_nans = true})(-4.); }),
      raises<InterruptedError>(
          "a loop that does not end", "the time limit is over",
          [] {
            jit([](Array x) { return while_loop([](Array v) { return v > 0.; }, id, x); },
                {.time_limit = 0.02})(1.);
          }),
      raises<ShapeError>("a compiled program with another shape", "f32[4]",
                         [] { jit(id).lower(v3()).compile()(zeros({4})); }),
      raises<DTypeError>("a compiled program with another dtype", "convert it with astype()",
                         [] { jit(id).lower(v3()).compile()(zeros({3}, I32)); }),
      raises<DTypeError>("a program with another dtype", "argument 0 must be f32[3], got i32[3]",
                         [] { eval_jaxpr(make_jaxpr(id)(v3()), {zeros({3}, I32)}); }),
      raises<ShapeError>("a program with another shape", "argument 0 must be f32[3], got f32[4]",
                         [] { eval_jaxpr(make_jaxpr(id)(v3()), {zeros({4})}); }),
      raises<ParseError>("text that is not a program", "line 1, column 26: unknown op 'b'",
                         [] { parse_jaxpr("{ lambda ; a:f32[3]. let b = in (b,) }"); }),
      raises<ParseError>(
          "text with an op that is none", "frobnicate",
          [] { parse_jaxpr("{ lambda ; a:f32[3]. let b:f32[3] = frobnicate a in (b,) }"); }),
      raises<ParseError>(
          "text with a wrong type", "f32[4]",
          [] { parse_jaxpr("{ lambda ; a:f32[3]. let b:f32[4] = neg a in (b,) }"); }),
      raises<FormatError>("a file that is not there", "no_such_file.npy",
                          [] { io::load_npy("no_such_file.npy"); }),
      raises<FormatError>("a file that is not an array", "/dev/null",
                          [] { io::load_npy("/dev/null"); }),
      raises<DTypeError>("bfloat16 in a format that has none", "astype(F32)",
                         [] { io::save_npy("/tmp/none.npy", ones({2}, BF16)); }),
      raises<ShapeError>("several keys where one is needed", "accepts a single key",
                         [] { random::normal(random::split(random::key(0), 3)); }),
      raises<DTypeError>("numbers as a key", "must be a key", [] { random::normal(arange(2)); }),
      raises<DTypeError>("a float as a seed", "a seed must be an integer",
                         [] { random::key(Array(1.5)); }),
      raises<DTypeError>("random numbers of an integer dtype", "dtype must be a float",
                         [] { random::uniform(random::key(0), {2}, {.dtype = I32}); }),
      raises<ShapeError>("more choices than there are", "without replacement",
                         [] { random::choice(random::key(0), 3, {4}, {.replace = false}); }),
  };
}

// Returns "" if the mistake raises its own error with its phrase, at a line of this file.
std::string wrong(const Mistake& m) {
  try {
    m.make();
  } catch (const std::exception& e) {
    const std::string text = e.what();
    if (typeid(e) != *m.error)
      return "another class, " + std::string(typeid(e).name()) + ": " + text;
    if (!holds(text, m.phrase)) return "another text: " + text;
    // bool() knows only the place at which its value was made.
    return holds(text, "at misuse_test.cpp:") ? "" : "no place: " + text;
  }
  return "no error";
}

}  // namespace

TEST_CASE("each mistake has its own error, by class and phrase", "[errors][table]") {
  size_t count = 0;
  for (const auto& part : {values(), indices(), traced_values(), leaks(), maps(), transposes(),
                           derivatives(), control_flow(), programs()}) {
    for (const Mistake& m : part) {
      INFO(m.what << ": \"" << m.phrase << "\"");
      CHECK(wrong(m) == "");
      // The error has no lasting effect: the next call works.
      CHECK((Array(1.) + 1).item<float>() == 2);
    }
    count += part.size();
  }
  WARN(count << " mistakes");
  CHECK(count >= 60);
}
