// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/gpu/emulated.h: helpers that many tests of emulated GPUs share.
#pragma once
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "gpu/fake_cuda.h"
#include "runtime/cuda/gpu.h"
#include "support/check.h"

namespace weft::test {

inline cuda::Device& gpu(int i = 0) {
  return static_cast<cuda::Device&>(detail::find_device(fmt::format("cuda:{}", i), "test"));
}

// Runs the hidden test in a new process with these environment variables and returns its output.
inline std::string in_child(const std::string& environment, const char* test) {
  char self[4096] = {};
  REQUIRE(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
  // The copy of the emulated driver is loaded together with the original library, so that symbols
  // are defined twice.
  const char* twice = "ASAN_OPTIONS=$ASAN_OPTIONS:detect_odr_violation=0";
  const std::string command = fmt::format("{} {} {} {} 2>&1", twice, environment, self, test);
  std::FILE* f = popen(command.c_str(), "r");
  REQUIRE(f);
  std::string text;
  char line[4096];
  while (std::fgets(line, sizeof line, f)) text += line;
  const int status = pclose(f);
  INFO(text);
  CHECK(status == 0);
  return text;
}
// Returns the driver with or without the entry point that writes single words, which old drivers do
// not have.
inline const cuda::Driver& driver(bool word_writes) {
  static const auto* const drivers = [&] {
    auto* made = new cuda::Driver[2];
    const std::string missing = cuda::open_driver(made[0]);
    if (!missing.empty()) throw DeviceError(missing);
    made[1] = made[0];
    made[0].write_word = nullptr;
    return made;
  }();
  return drivers[word_writes];
}

// Returns a new device on a freshly reset device of the emulated driver. Devices live as long as
// the process.
inline cuda::Gpu& fresh_gpu(bool word_writes = true) {
  fake_cuda_reset(fake_cuda_spare());
  cuda::DeviceProperties f;
  f.ordinal = fake_cuda_spare();
  f.major = 9;
  f.threads = FAKE_CUDA_THREADS;
  f.memory_pools = true;
  f.memory = size_t{1} << 30;
  static auto* all = new std::vector<cuda::Gpu*>;
  return *all->emplace_back(new cuda::Gpu(driver(word_writes), f));
}

// Owns memory of a device for a scope.
class There {
 public:
  There(detail::Device& d, int64_t bytes) : device_(d), bytes_(bytes) {
    data_ = d.allocate(bytes, &capacity_);
  }
  template <class T>
  There(detail::Device& d, const std::vector<T>& x)
      : There(d, static_cast<int64_t>(x.size() * sizeof(T))) {
    d.copy_in(data_, x.data(), bytes_);
  }
  ~There() { device_.release(data_, bytes_, capacity_); }
  There(const There&) = delete;
  void* data() const { return data_; }
  template <class T>
  std::vector<T> read() const {
    std::vector<T> x(static_cast<size_t>(bytes_) / sizeof(T));
    device_.copy_out(x.data(), data_, bytes_);
    return x;
  }

 private:
  detail::Device& device_;
  int64_t bytes_, capacity_ = 0;
  void* data_ = nullptr;
};

// Stores each argument in 8 bytes, as a launch reads them.
class Arguments {
 public:
  template <class... T>
  explicit Arguments(T... x) {
    (add(x), ...);
    for (uint64_t& v : values_) places_.push_back(&v);
  }
  void** data() { return places_.data(); }

 private:
  template <class T>
  void add(T x) {
    uint64_t v = 0;
    static_assert(sizeof x <= sizeof v);
    std::memcpy(&v, &x, sizeof x);
    values_.push_back(v);
  }
  std::vector<uint64_t> values_;
  std::vector<void*> places_;
};

// The kernel axpy(n: i64, a: float, x, y) computes y[i] += a * x[i] with n threads in blocks of
// 128.
inline const char* axpy_text() {
  return R"(
declare i32 @weft_emulated_block_index()
declare i32 @weft_emulated_thread_index()
define void @axpy(ptr %p) {
  %b = call i32 @weft_emulated_block_index()
  %t = call i32 @weft_emulated_thread_index()
  %first = mul i32 %b, 128
  %at = add i32 %first, %t
  %i = zext i32 %at to i64
  %n.at = load ptr, ptr %p
  %n = load i64, ptr %n.at
  %inside = icmp slt i64 %i, %n
  br i1 %inside, label %work, label %end
work:
  %a.slot = getelementptr ptr, ptr %p, i64 1
  %a.at = load ptr, ptr %a.slot
  %a = load float, ptr %a.at
  %x.slot = getelementptr ptr, ptr %p, i64 2
  %x.at = load ptr, ptr %x.slot
  %x = load ptr, ptr %x.at
  %y.slot = getelementptr ptr, ptr %p, i64 3
  %y.at = load ptr, ptr %y.slot
  %y = load ptr, ptr %y.at
  %xi.at = getelementptr float, ptr %x, i64 %i
  %xi = load float, ptr %xi.at
  %yi.at = getelementptr float, ptr %y, i64 %i
  %yi = load float, ptr %yi.at
  %ax = fmul float %a, %xi
  %r = fadd float %yi, %ax
  store float %r, ptr %yi.at
  br label %end
end:
  ret void
}
)";
}
inline void launch_axpy(cuda::Launcher& to, const cuda::Function& f, int64_t n, float a,
                        const There& x, const There& y) {
  Arguments arguments(n, a, x.data(), y.data());
  const cuda::Launch::Use uses[] = {{x.data(), false}, {y.data(), true}};
  to.launch(f, {.blocks = (n + 127) / 128, .threads = 128, .uses = uses}, arguments.data(), "axpy");
}

// Checks that no call was invalid for a real driver.
inline void check_no_complaints() {
  CHECK(std::string(fake_cuda_complaints()) == "");
  CHECK(fake_cuda_current() == 0);
  fake_cuda_forget_complaints();
}

}  // namespace weft::test
