// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/gpu/faults_test.cpp: every entry point of the driver fails, at every call of it. The error
// is the right one, nothing leaks, and the device stays usable if it can.
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <thread>

#include "gpu/emulated.h"
#include "jit/emit/compile/condition.h"

using namespace weft;
using namespace weft::test;

namespace {

constexpr int invalid_value = 1, no_memory = 2, invalid_image = 218, illegal_address = 700;

// Computes y += 2 x by a graph, which starts from a copy of y. The first of the two additions is in
// a loop of one trip.
void add_by_graph(cuda::Gpu& d, const There& x, const There& y) {
  const There copy(d, 800), zeros(d, 800), word(d, 1);
  const auto f = d.load(axpy_text(), {"axpy"}).at(0);
  compiler::TargetInfo target = compiler::gpu_target("sm_90");
  target.emulated = true;
  const auto setter = d.load(compiler::condition_image(target), {compiler::condition_entry}).at(0);
  const auto graph = d.make_graph([&](cuda::Launcher& to) {
    to.clear(zeros.data(), 800);
    to.copy_within(copy.data(), y.data(), 800);
    // This byte is not 0.
    to.copy_within(word.data(), static_cast<const std::byte*>(x.data()) + 3, 1);
    to.conditional(true, {*setter, word.data()}, [&](cuda::Launcher& inner) {
      launch_axpy(inner, *f, 200, 2, x, copy);
      inner.clear(word.data(), 1);
    });
    to.conditional(false, {*setter, word.data()},
                   [&](cuda::Launcher& inner) { launch_axpy(inner, *f, 200, 2, x, copy); });
    launch_axpy(to, *f, 200, 1, zeros, copy);
    to.copy_within(y.data(), copy.data(), 800);
  });
  d.launch(*graph);
}

// Uses every feature of a device and computes y + 4 x.
std::vector<float> small_program(cuda::Gpu& d) {
  const std::vector<float> x(200, 3), y(200, 1);
  const There a(d, x), b(d, y), c(d, 800);
  d.clear(c.data(), 800);
  {
    const auto f = d.load(axpy_text(), {"axpy"}).at(0);
    const int resident = d.occupancy(*f, {.threads = 128}).blocks;
    CHECK(resident == 16);
    launch_axpy(d.launcher(), *f, 200, 1, a, c);
    launch_axpy(d.launcher(), *f, 200, 1, a, c);
    launch_axpy(d.launcher(), *f, 200, 1, b, c);
    Arguments arguments(int64_t{0}, 1.F, a.data(), c.data());
    d.launcher().launch(*f, {.blocks = 1, .threads = 128, .shared = 64 << 10}, arguments.data(),
                        "axpy");
  }
  d.copy_within(b.data(), c.data(), 800);
  add_by_graph(d, a, b);
  const auto readback = d.start_readback(b.data(), 4);
  float first = 0;
  std::memcpy(&first, readback->wait(), 4);
  CHECK(first == 13);
  d.stream().synchronize();
  const std::vector<float> result = b.read<float>();
  d.release_idle();
  return result;
}
const std::vector<float> right(200, 13);

// Returns "" if the program succeeds; otherwise the class and the text of its error.
std::string outcome(cuda::Gpu& d, std::string* kind) {
  kind->clear();
  try {
    const std::vector<float> result = small_program(d);
    CHECK(result == right);
    return {};
  } catch (const OutOfMemoryError& e) {
    *kind = "OutOfMemoryError";
    return e.what();
  } catch (const CompileError& e) {
    *kind = "CompileError";
    return e.what();
  } catch (const DeviceError& e) {
    *kind = "DeviceError";
    return e.what();
  }
}

void check_nothing_left(cuda::Gpu& d) {
  d.release_idle();
  d.stream().synchronize();
  const FakeCudaLive live = fake_cuda_live(fake_cuda_spare());
  CHECK(live.blocks == 0);
  CHECK(live.modules == 0);
  CHECK(live.events == 0);
  CHECK(live.graphs == 0);
  CHECK(live.pinned == 1);  // the words
  CHECK(live.streams == 1);
}

// Returns true for entry points that only the search for devices or the text of an error calls.
bool is_for_looking(const std::string& entry) {
  for (const char* e :
       {"cuInit", "cuDeviceGetCount", "cuDeviceGet", "cuDeviceGetName", "cuDeviceGetAttribute",
        "cuDeviceTotalMem_v2", "cuGetErrorName", "cuGetErrorString"})
    if (entry == e) return true;
  return false;
}

// Makes the nth call fail, and returns true if there was such a call.
bool fails_well(const std::string& entry, int nth, int code) {
  INFO(entry << " call " << nth << " returns " << code);
  cuda::Gpu& d = fresh_gpu(entry != "cuMemsetD32Async");
  fake_cuda_fail(entry.c_str(), nth, code, code == illegal_address);
  std::string kind, text = outcome(d, &kind);
  const bool reached = fake_cuda_calls(entry.c_str()) >= nth;
  fake_cuda_fail(nullptr, 0, 0, false);
  INFO(text);
  if (!reached) CHECK(text.empty());
  if (reached && code == illegal_address) {
    if (text.empty()) text = outcome(d, &kind);  // the last call of a program raises nothing itself
    CHECK(kind == "DeviceError");
    CHECK(holds(text, "device 'cuda:2' is lost: "));
    CHECK(holds(text, "CUDA_ERROR_ILLEGAL_ADDRESS"));
    CHECK(outcome(d, &kind) == text);  // every later use raises it again
    CHECK(kind == "DeviceError");
  } else {
    const char* wanted = code == no_memory ? "OutOfMemoryError"
                         : code == invalid_image && entry.starts_with("cuModule") ? "CompileError"
                                                                                  : "DeviceError";
    if (!text.empty()) CHECK(kind == wanted);
    CHECK(outcome(d, &kind) == "");  // the device still works
    check_nothing_left(d);
  }
  CHECK(std::string(fake_cuda_complaints()) == "");
  fake_cuda_forget_complaints();
  return reached;
}

}  // namespace

TEST_CASE("a small program uses every entry point", "[gpu]") {
  for (const bool word_writes : {true, false}) {
    cuda::Gpu& d = fresh_gpu(word_writes);
    fake_cuda_fail(nullptr, 0, 0, false);
    CHECK(small_program(d) == right);
    CHECK((fake_cuda_calls("cuStreamWriteValue32_v2") == 5) == word_writes);
    CHECK((fake_cuda_calls("cuMemsetD32Async") == 5) == !word_writes);
    for (const char* const* e = fake_cuda_entries(); *e; ++e)
      if (!is_for_looking(*e) && std::string(*e) != "cuStreamWriteValue32_v2" &&
          std::string(*e) != "cuMemsetD32Async") {
        INFO(*e);
        CHECK(fake_cuda_calls(*e) > 0);
      }
    check_nothing_left(d);
    check_no_complaints();
  }
}

TEST_CASE("cuStreamWriteValue32 is called once on a device that lacks it", "[gpu]") {
  cuda::Gpu& d = fresh_gpu();
  fake_cuda_fail("cuStreamWriteValue32_v2", 1, cuda::not_supported, false);
  CHECK(small_program(d) == right);
  CHECK(fake_cuda_calls("cuStreamWriteValue32_v2") == 1);
  CHECK(fake_cuda_calls("cuMemsetD32Async") == 5);
  fake_cuda_fail(nullptr, 0, 0, false);
  check_nothing_left(d);
  check_no_complaints();
}

TEST_CASE("every call of the driver may fail", "[gpu]") {
  for (const char* const* e = fake_cuda_entries(); *e; ++e)
    if (!is_for_looking(*e))
      for (const int code : {invalid_value, no_memory, invalid_image, illegal_address}) {
        int nth = 1;
        while (fails_well(*e, nth, code)) ++nth;
        CHECK(nth > 1);
      }
}

TEST_CASE("a kernel that faults is named, with its line, and only its device is lost", "[gpu]") {
  cuda::Gpu& d = fresh_gpu();
  const There x(d, std::vector<float>(10, 1)), y(d, std::vector<float>(10, 1));
  const auto f = d.load(axpy_text(), {"axpy"}).at(0);
  Arguments arguments(int64_t{10}, 1.F, x.data(), y.data());
  fake_cuda_fail("kernel", 3, illegal_address, true);
  int line = 0;
  for (const char* name : {"first", "second", "third", "fourth"}) {
    const SourceScope source(Location{"model.cpp", ++line});
    d.launcher().launch(*f, {.blocks = 1, .threads = 128}, arguments.data(), name);
  }
  const char* const text =
      "device 'cuda:2' is lost: kernel 'third' (at model.cpp:3) failed: CUDA_ERROR_ILLEGAL_ADDRESS "
      "(an illegal memory access was encountered). Its arrays are gone; the host and other "
      "devices work on. Start the process anew to use it again.";
  check_error<DeviceError>([&] { d.stream().synchronize(); }, text);
  check_error<DeviceError>([&] { (void)x.read<float>(); }, text);
  check_error<DeviceError>([&] { There(d, 100); }, text);
  check_error<DeviceError>([&] { d.load(axpy_text(), {"axpy"}); }, text);
  check_error<DeviceError>([&] { d.launcher().launch(*f, {}, arguments.data(), "fifth"); }, text);
  fake_cuda_fail(nullptr, 0, 0, false);
  d.release_idle();  // nothing is left to release
  CHECK(floats(device_put(arange(3.), "cuda:0")) == Floats{0, 1, 2});
  CHECK((ones({3}) + 1.f).sum().item<float>() == 6);
  check_no_complaints();
}

TEST_CASE("a kernel that accesses invalid memory loses its device", "[gpu]") {
  // Tests threads that run one after another, and threads that wait for each other, which have
  // separate stacks.
  const std::string meets = R"(
declare void @weft_emulated_barrier()
define void @stray(ptr %p) {
  call void @weft_emulated_barrier()
  %at = load ptr, ptr %p
  %x = load ptr, ptr %at
  store i32 1, ptr %x
  call void @weft_emulated_barrier()
  ret void
}
)";
  const std::string alone = R"(
define void @stray(ptr %p) {
  %at = load ptr, ptr %p
  %x = load ptr, ptr %at
  %v = load i32, ptr %x
  %w = add i32 %v, 1
  store i32 %w, ptr %x
  ret void
}
)";
  for (const std::string& stray : {meets, alone})
    for (const bool other_thread : {false, true}) {
      cuda::Gpu& d = fresh_gpu();
      const There x(d, std::vector<float>(10, 1)), y(d, std::vector<float>(10, 1));
      const auto f = d.load(axpy_text(), {"axpy"}).at(0), g = d.load(stray, {"stray"}).at(0);
      launch_axpy(d.launcher(), *f, 10, 1, x, y);
      {
        const SourceScope source(Location{"model.cpp", 12});
        Arguments arguments(uint64_t{64});
        d.launcher().launch(*g, {.blocks = 2, .threads = 64}, arguments.data(), "stray");
      }
      launch_axpy(d.launcher(), *f, 10, 1, x, y);
      const auto wait = [&] {
        check_error<DeviceError>([&] { d.stream().synchronize(); },
                                 "device 'cuda:2' is lost: kernel 'stray' (at model.cpp:12) "
                                 "failed: CUDA_ERROR_ILLEGAL_ADDRESS");
      };
      if (other_thread)
        std::thread(wait).join();
      else
        wait();
      check_error<DeviceError>([&] { (void)x.read<float>(); }, "kernel 'stray' (at model.cpp:12)");
      CHECK(floats(device_put(arange(3.), "cuda:0") + 1) == Floats{1, 2, 3});
    }
  check_no_complaints();
}

TEST_CASE("arrays on a lost device raise where they are read", "[.][loses_a_device]") {
  const Array a = device_put(arange(3.), "cuda:1"), other = device_put(arange(3.), "cuda:0");
  a.block_until_ready();
  fake_cuda_fail("cuMemcpyHtoDAsync_v2", 1, illegal_address, true);
  check_error<DeviceError>([] { device_put(arange(4.), "cuda:1"); }, "device 'cuda:1' is lost");
  check_error<DeviceError>([&] { (void)floats(a); }, "device 'cuda:1' is lost");
  check_error<DeviceError>([&] { a.block_until_ready(); }, "device 'cuda:1' is lost");
  CHECK(floats(other) == Floats{0, 1, 2});
  CHECK(a.device() == "cuda:1");
}
TEST_CASE("devices are lost, and begin, for a process", "[gpu]") {
  char self[4096] = {};
  REQUIRE(readlink("/proc/self/exe", self, sizeof self - 1) > 0);
  for (const char* test : {"[loses_a_device]", "[breaks_a_graph]", "[forks_first]"})
    CHECK(std::system(fmt::format("{} {} > /dev/null", self, test).c_str()) == 0);
}

TEST_CASE("a device begins after a fork", "[.][forks_first]") {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) _exit(floats(device_put(arange(3.), "cuda:1")) == Floats{0, 1, 2} ? 0 : 1);
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(floats(device_put(arange(3.), "cuda:1")) == Floats{0, 1, 2});
}

TEST_CASE("a device does not outlive a fork, but may begin after it", "[gpu]") {
  const Array a = device_put(arange(3.), "cuda:0");
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const std::string text = error_of<DeviceError>([&] { device_put(arange(3.), "cuda:0"); });
    bool good = holds(text, "device 'cuda:0' was opened before this process was forked");
    good = good && holds(error_of<DeviceError>([&] { (void)floats(a); }), "fork");
    good = good && (ones({3}) + 1.f).sum().item<float>() == 6;
    _exit(good ? 0 : 1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(floats(a) == Floats{0, 1, 2});
}
