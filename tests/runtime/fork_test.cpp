// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/runtime/fork_test.cpp: children of fork() can compute, whatever other threads of the parent
// do.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "support/build.h"
#include "support/check.h"

namespace weft {
namespace {

// Returns true if f is true in a child process. The child is killed if it takes too long.
template <class F>
bool in_child(F f) {
  const pid_t p = fork();
  if (p == 0) {
    alarm(20);
    bool ok = false;
    try {
      ok = f();
    } catch (...) {
      ok = false;
    }
    _exit(ok ? 0 : 1);
  }
  int status = 0;
  waitpid(p, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// A thread that repeats a function.
template <class F>
class Busy {
 public:
  explicit Busy(F f)
      : thread_([this, f] {
          while (!over_) f();
        }) {}
  ~Busy() {
    over_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> over_{false};
  std::thread thread_;
};

bool skipped() {
  if (test::sanitized)
    WARN(
        "skipped: sanitizers hold locks of their own over a fork, and know no threads of its "
        "child");
  return test::sanitized;
}

Array endless(Array x) {
  return while_loop([](Array v) { return v > 0.; }, [](Array v) { return v * 1.; }, x);
}

}  // namespace

TEST_CASE("a fork while other threads run kernels and compile", "[fork]") {
  if (skipped()) return;
  const auto f = jit([](Array x) { return sin(x) * 2.; });
  const Array x = ones({200000});
  const float want = f(x)[0].item<float>();
  std::atomic<int> n{0};
  const Busy kernels([&] { f(x); });
  const Busy products([&] { matmul(ones({300, 300}), ones({300, 300})); });
  const Busy programs([&] { jit([](Array v) { return cumsum(v) + 1.; })(ones({2 + n++})); });
  for (int i = 0; i < 20; ++i) {
    CAPTURE(i);
    CHECK(in_child([&] {
      const Array y = jit([i](Array v) { return v * static_cast<double>(i) + 1.; })(x);
      return f(x)[0].item<float>() == want && y[0].item<float>() == static_cast<float>(i + 1);
    }));
  }
}

TEST_CASE("a time limit holds in a child", "[fork]") {
  if (skipped()) return;
  const auto f = jit(endless, {.time_limit = 0.05});
  const auto ends = [&] {
    return test::error_of<InterruptedError>([&] { f(1.); }).find("time limit") != std::string::npos;
  };
  CHECK(ends());  // now the thread that enforces time limits exists
  CHECK(in_child(ends));
  const Busy limited([&] { (void)ends(); });
  for (int i = 0; i < 5; ++i) CHECK(in_child(ends));
}

TEST_CASE("a child of fork() can trace a function that a thread of its parent is tracing",
          "[fork]") {
  const pid_t parent = getpid();
  std::atomic<bool> tracing{false}, over{false};
  const auto f = jit([&](Array x) {
    tracing = true;
    while (!over && getpid() == parent) std::this_thread::yield();
    return x + 1.;
  });
  std::thread slow([&] { f(ones({3})); });
  while (!tracing) std::this_thread::yield();
  CHECK(in_child([&] { return f(ones({3}))[0].item<float>() == 2; }));
  over = true;
  slow.join();
}

}  // namespace weft
