// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/gpu/programs_test.cpp: programs on a GPU compute the bits of the host in each kind of step.
// These are kernels, scatters, loops over programs, and steps that only the host can run.
#include <functional>
#include <tuple>

#include "gpu/emulated.h"
#include "weft/linalg.h"
#include "weft/weft.h"

using namespace weft;
using namespace weft::test;

namespace {

const Array x = arange(12.) / 7 - 0.5;

// Checks that f computes the same on the GPU as on the host, jitted and eagerly.
void same(const std::function<Array(Array)>& f, const Array& operand = x) {
  const Array here = jit(f)(operand), moved = device_put(operand, "cuda:1");
  const Array there = jit(f)(moved);
  CHECK(there.device() == "cuda:1");
  CHECK(array_equal(here, device_put(there, "cpu"), true).item<bool>());
  const Array eager = f(moved);
  CHECK(eager.device() == "cuda:1");
  CHECK(array_equal(f(operand), device_put(eager, "cpu"), true).item<bool>());
}

}  // namespace

TEST_CASE("kernels of a GPU compute the bits of the host", "[gpu]") {
  same([](Array v) { return sin(v) * 2 + 1; });
  same([](Array v) { return (v * v).sum(); });
  same([](Array v) { return reshape(v, {3, 4}).sum(0) / 3; });
  same([](Array v) {
    return vmap([](Array t) {
      return while_loop([](Array c) { return c < 3; }, [](Array c) { return c * 1.1 + 0.3; }, t);
    })(v);
  });
  same([](Array v) { return matmul(reshape(v, {3, 4}), reshape(v, {4, 3})); });
  same([](Array v) { return grad([](Array t) { return (tanh(t) * t).sum(); })(v); });
  same([](Array v) { return cumsum(v); });
  same([](Array v) { return v.astype(BF16) * 3; });
}

TEST_CASE("sorts of a GPU have the bits of the host", "[gpu]") {
  const Array wild = sin(arange(3000.) * 77) * 5;
  for (const DType d : {F32, F64, BF16, I8, U32, C64}) {
    CAPTURE(d);
    same([](Array v) { return sort(v); }, wild.astype(d));
    same([](Array v) { return argsort(v); }, wild.astype(d));
  }
  same([](Array v) { return sort(v, 0); }, wild.reshape({1000, 3}));
  same([](Array v) { return flip(sort(v.reshape({100, 30})), 1); }, wild);
  same([](Array v) { return top_k(v, 5).first; }, wild.astype(F32));
  same([](Array v) { return top_k(v, 100).second; }, wild.astype(F32));
  same([](Array v) { return median(v); }, wild);
  same([](Array v) { return grad([](Array t) { return (sort(t) * t).sum(); })(v); }, wild);
  check_no_complaints();
}

// There are too many updates for one thread, and updates may have equal indices.
TEST_CASE("sums of segments on a GPU have the bits of the host", "[gpu]") {
  const Array wild = sin(arange(3000.) * 77) * 5;
  const auto ids = [](const Array& v, int64_t n) {
    return remainder(arange(static_cast<double>(v.shape()[0])) * 31, static_cast<double>(n))
        .astype(I32);
  };
  for (const DType d : {F32, F64, I32}) {
    CAPTURE(d);
    same([&](Array v) { return segment_sum(v, ids(v, 100), {.num_segments = 90}); },
         wild.astype(d));
    same([&](Array v) { return segment_max(v, ids(v, 3), {.num_segments = 4}); }, wild.astype(d));
  }
  same([&](Array v) { return segment_sum(v, ids(v, 70), {.num_segments = 70}); },
       wild.reshape({600, 5}));
  same([&](Array v) { return v.at(ids(v, 100)).set(v * 2); }, wild);
  same([&](Array v) { return v.at(ids(v, 100)).multiply(v); }, wild);
  // A thread cannot hold this many updates.
  const Array many = sin(arange(70'000.) * 77);
  same([&](Array v) { return segment_sum(v, ids(v, 1000), {.num_segments = 1000}); },
       many.astype(F32));
  // The windows cover a part of an axis.
  same(
      [&](Array v) {
        return lax::scatter_add(zeros({50, 5, 2}, v.dtype()), ids(v, 55).reshape({3000, 1}),
                                broadcast_to(v.reshape({3000, 1, 1}), {3000, 3, 2}),
                                {{1, 2}, {0}, {0}});
      },
      wild);
  const auto by_id = [&](Array v) {
    return jit([](Array a, Array i) { return segment_sum(a, i, {.num_segments = 100}); },
               {.device = "cuda:0"})
        .lower(v, ids(v, 100))
        .report();
  };
  CHECK(!holds(by_id(wild), "scatter), grid []"));
  CHECK(count(by_id(wild), "kernel (scatter)") > 2);
  check_no_complaints();
}

// The threads of a warp share a row. The lengths cover each way to fold, with every kind of
// remaining partial sum.
TEST_CASE("rows that threads share have the bits of the host", "[gpu]") {
  for (const int64_t n : {1, 15, 16, 17, 31, 32, 33, 47, 100, 1023, 1024, 1060, 4096, 5000}) {
    CAPTURE(n);
    const Array rows = sin(arange(3. * static_cast<double>(n))).reshape({3, n});
    same([](Array v) { return v.sum(1); }, rows);
    same([](Array v) { return nn::softmax(v); }, rows.astype(F32));
    same(
        [](Array v) {
          const Array d = v - v.mean(1, {.keepdims = true});
          return d / sqrt((d * d).mean(1, {.keepdims = true}));
        },
        rows);
    same([](Array v) { return argmax(v, 1) + argmin(v, 1); }, rows.astype(F16));
    same([](Array v) { return (v > 0).any(1); }, rows);
    same([](Array v) { return (v * 100).astype(I8).max(1); }, rows);
    same([](Array v) { return v.sum(); }, rows);
  }
  check_no_complaints();
}

// From 1,000 terms on, many threads compute the fold in runs.
TEST_CASE("running folds on a GPU have the bits of the host", "[gpu]") {
  for (const int64_t n : {2, 33, 999, 1001, 40'000}) {
    CAPTURE(n);
    const Array rows = sin(arange(2. * static_cast<double>(n))).reshape({2, n});
    same([](Array v) { return cumsum(v, 1); }, rows);
    same([](Array v) { return lax::cummax(v, 1, true); }, rows.astype(F32));
    same([](Array v) { return cumsum(v.astype(BF16), 1) + cumprod(v.astype(F16), 1); }, rows);
    same([](Array v) { return lax::cumsum(v, 1, true); }, (rows * 100).astype(I32));
  }
  const Array longer = device_put(zeros({1'000'000}, F32), "cuda:1");
  const auto f = jit([](Array v) { return cumsum(v); });
  f(longer).block_until_ready();
  fake_cuda_fail(nullptr, 0, 0, false);  // counts from here on
  f(longer).block_until_ready();
  CHECK(fake_cuda_calls("cuLaunchKernel") > 1);
  check_no_complaints();
}

// The loop is long enough to reach the check of the stop flag several times.
TEST_CASE("a loop of a GPU continues after each check of the stop word", "[gpu]") {
  using Trio = std::tuple<Array, Array, Array>;
  const auto long_one = [](Array n) {
    const auto [i, a, b] = while_loop([&](Trio s) { return std::get<0>(s) < n; },
                                      [](Trio s) {
                                        const auto [i, a, b] = s;
                                        return Trio(i + 1, b, a * 0.75f + 1.f);
                                      },
                                      Trio(Array(0), Array(1.f), Array(2.f)));
    return a + b * 0.5f + i;
  };
  const auto nested = [](Array n) {
    const auto to_seven = [](Array c) {
      return while_loop([](Array d) { return d % 7 != 0; }, [](Array d) { return d + 1; }, c + 1);
    };
    return while_loop([&](Array c) { return c < n; }, to_seven, Array(0));
  };
  const auto loops_in_test = [](Array n) {
    const auto rest = [](Array c) {
      return while_loop([](Array d) { return d > 10; }, [](Array d) { return d - 3; }, c);
    };
    return while_loop([&](Array c) { return rest(c) + c < n; }, [](Array c) { return c + 1; },
                      Array(0));
  };
  const auto on_both = [](auto f, const Array& n) {
    const Array here = jit(vmap(f))(n), there = jit(vmap(f))(device_put(n, "cuda:1"));
    CHECK(array_equal(here, device_put(there, "cpu")).item<bool>());
  };
  on_both(long_one, array({0, 1, 5, 700000, 1000003}));
  on_both(nested, array({0, 1, 20, 4000000}));
  on_both(loops_in_test, array({0, 1, 20, 3000}));
}

TEST_CASE("scatters, loops over programs and calls of the host on a GPU", "[gpu]") {
  const Array places = array({3, 3, 0, 11, 3, 7});
  same([=](Array v) { return v.at(places).add(v.at({slice(0, 6)}).get()); });
  // The updates are rows, the lanes have updates, and indices are declared unique.
  same([=](Array v) {
    return zeros({12, 3}, F64).at(places).add(outer(v.at({slice(0, 6)}).get(), arange(3.) + 1));
  });
  same([=](Array v) {
    return vmap([=](Array t) { return zeros({12}, F64).at(places).add(t * arange(6.)); })(v);
  });
  same([](Array v) {
    const Array turned = flip(astype(arange(12), I32));
    return v.at(turned).add(v * 3, {.unique_indices = true});
  });
  same([](Array v) { return sort(v); });
  same([](Array v) { return sort(v) + argsort(-v); });
  same([](Array v) { return real(linalg::eigvals(outer(v, v) + sin(outer(v, v + 1)))); });
  // Each step mixes the elements of the carry, so that the loop stays on the host.
  same([](Array v) {
    return while_loop([](Array c) { return c.max() < 40; },
                      [](Array c) { return sort(roll(c, 1)) * 1.5 + 1; }, v);
  });
  same([](Array v) {
    return scan([](Array c, Array row) { return std::pair(sort(c * 0.5 + row), c.sum()); }, v,
                reshape(concatenate({v, v}), {2, 12}))
        .first;
  });
  same([](Array v) {
    return cond(
        v.sum() > 100, [](Array t) { return sort(t); }, [](Array t) { return -sort(t); }, v);
  });
  CHECK(std::string(fake_cuda_complaints()).empty());
}

TEST_CASE("a program of a GPU keeps a time limit", "[gpu]") {
  const auto endless = [](Array v) {
    return vmap([](Array t) {
      return while_loop([](Array c) { return c < 1; }, [](Array c) { return c * 0.5; }, t);
    })(v);
  };
  const auto f = jit(endless, {.device = "cuda:1", .time_limit = 0.2});
  check_error<InterruptedError>([&] { f(zeros({4})); }, "time limit");
  // The threads that share a row stop one by one.
  const auto rows = [](Array v) {
    return vmap([](Array t) {
             return while_loop([](Array c) { return c < 1; }, [](Array c) { return c * 0.5; }, t);
           })(v.reshape({400}))
        .reshape({4, 100})
        .sum(1);
  };
  const auto g = jit(rows, {.device = "cuda:1", .time_limit = 0.2});
  check_error<InterruptedError>([&] { g(zeros({4, 100})); }, "time limit");
  check_no_complaints();
  CHECK(jit([](Array v) { return v + 1; })(device_put(x, "cuda:1")).device() == "cuda:1");
}

TEST_CASE("a kernel that the driver refuses is a CompileError that says so", "[gpu]") {
  const Array v = device_put(x, "cuda:1");
  fake_cuda_fail("cuModuleLoadDataEx", 1, 218, false);  // CUDA_ERROR_INVALID_PTX
  check_error<CompileError>([&] { jit([](Array t) { return cos(t) - 5; })(v); },
                            "refuses the program");
  fake_cuda_fail(nullptr, 0, 0, false);
  CHECK(jit([](Array t) { return cos(t) - 5; })(v).device() == "cuda:1");
}

TEST_CASE("sparsity patterns of Jacobians are computed on the host", "[gpu]") {
  const auto calls = [] {
    int64_t n = 0;
    for (const char* const* e = fake_cuda_entries(); *e; ++e) n += fake_cuda_calls(*e);
    return n;
  };
  const Array factors = device_put(x, "cuda:1");
  const auto f = [&](Array v) {
    return fori_loop(0, 50, [&](Array i, Array u) { return u * factors + i; }, v);
  };
  make_jaxpr(jacobian(f))(x);
  default_device("cuda:1");
  fake_cuda_fail(nullptr, 0, 0, false);  // counts from here on
  make_jaxpr(jacobian(f, {.sparsity = detect}))(x);
  const int64_t made = calls();
  default_device("cpu");
  CHECK(made < 50);  // the factors are read only once
}
