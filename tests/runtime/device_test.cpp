// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/runtime/device_test.cpp: a device of the test whose addresses cannot be read. It shows that
// no code above runtime/ accesses memory without the device.
#include "weft/device.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>

#include "runtime/backend.h"
#include "support/check.h"

using namespace weft;
using namespace weft::test;

namespace {

using detail::Device;
using detail::Stream;

// Host memory at other addresses, which belong to no process.
constexpr uintptr_t hidden = uintptr_t{1} << 63;
void* hide(void* p) { return std::bit_cast<void*>(std::bit_cast<uintptr_t>(p) ^ hidden); }
void* shown(const void* p) { return std::bit_cast<void*>(std::bit_cast<uintptr_t>(p) ^ hidden); }

struct Counts {
  int live = 0, launched = 0, copied_in = 0, copied_out = 0, synchronized = 0;
} counts;

class CountingStream final : public Stream {
 public:
  void launch(FunctionRef<void()> work) override {
    ++counts.launched;
    work();
  }
  void synchronize() override { ++counts.synchronized; }
};

// Runs a program of the host on memory that the device makes accessible.
class Shown final : public Executable {
 public:
  Shown(Ref<const Executable> e, size_t n_in, size_t n_out, Stream& s)
      : e_(std::move(e)), n_in_(n_in), n_out_(n_out), stream_(s) {}
  void run(const void* const* in, void* const* out) const override {
    std::vector<const void*> from;
    std::vector<void*> to;
    for (size_t i = 0; i < n_in_; ++i) from.push_back(shown(in[i]));
    for (size_t i = 0; i < n_out_; ++i) to.push_back(out[i] ? shown(out[i]) : nullptr);
    stream_.launch([&] { e_->run(from.data(), to.data()); });
  }
  int64_t temporaries() const override { return 0; }
  int64_t footprint() const override { return 0; }

 private:
  Ref<const Executable> e_;
  size_t n_in_, n_out_;
  Stream& stream_;
};

class Hidden final : public Device {
 public:
  explicit Hidden(const char* name) : Device(name) {}
  void* allocate(int64_t bytes, int64_t* capacity) override {
    ++counts.live;
    *capacity = bytes + 64;
    return hide(::operator new(static_cast<size_t>(*capacity), std::align_val_t(64)));
  }
  void release(void* data, int64_t, int64_t) override {
    --counts.live;
    ::operator delete(shown(data), std::align_val_t(64));
  }
  void copy_in(void* to, const void* from, int64_t bytes) override {
    ++counts.copied_in;
    if (bytes) std::memcpy(shown(to), from, static_cast<size_t>(bytes));
  }
  void copy_out(void* to, const void* from, int64_t bytes) override {
    ++counts.copied_out;
    if (bytes) std::memcpy(to, shown(from), static_cast<size_t>(bytes));
  }
  void copy_within(void* to, const void* from, int64_t bytes) override {
    if (bytes) std::memcpy(shown(to), shown(from), static_cast<size_t>(bytes));
  }
  void clear(void* at, int64_t bytes) override {
    if (bytes) std::memset(shown(at), 0, static_cast<size_t>(bytes));
  }
  Stream& stream() override { return stream_; }
  Ref<const Executable> compile(const Jaxpr& j) override {
    return make_ref<const Shown>(backend()(j), static_cast<size_t>(j->n_in), j->out.size(),
                                 stream_);
  }

 private:
  CountingStream stream_;
};

// Adds the two devices, which live as long as the process.
bool added() {
  static const bool once = [] {
    detail::add_device(new Hidden("hidden:0"));
    detail::add_device(new Hidden("hidden:1"));
    return true;
  }();
  return once && backend();
}

// Sets the default device for a scope.
struct Default {
  explicit Default(const char* name) { default_device(name); }
  ~Default() { default_device("cpu"); }
};

}  // namespace

TEST_CASE("the host is the first device, and the default", "[device]") {
  CHECK(devices().at(0) == "cpu");
  CHECK(default_device() == "cpu");
  CHECK(ones({3}).device() == "cpu");
  default_device("cpu:0");
  CHECK(default_device() == "cpu");
  check_error<DeviceError>([] { default_device("tpu:9"); },
                           "there is no device 'tpu:9'; this process has: cpu");
  check_error<DeviceError>([] { device_put(1., "tpu:9"); }, "there is no device 'tpu:9'");
  check_error<DeviceError>([] { jit([](Array x) { return x; }, {.device = "tpu:9"}); },
                           "jit 'fn': there is no device 'tpu:9'");
}

TEST_CASE("device_put to the same device returns the same array", "[device]") {
  const Array x = arange(10.);
  CHECK(&device_put(x, "cpu:0").node() == &x.node());
  CHECK(floats(vmap([](Array v) { return device_put(v, "cpu") * 2; })(x)) == floats(x * 2));
  CHECK(floats(jit([](Array v) { return device_put(v, "cpu") * 2; })(x)) == floats(x * 2));
  CHECK(grad([](Array v) { return device_put(v, "cpu") * v; })(3.).item<float>() == 6);
}

TEST_CASE("arrays on a device are computed there", "[device]") {
  REQUIRE(added());
  const int live = counts.live, launched = counts.launched, out = counts.copied_out;
  {
    const Array x = device_put(arange(100.), "hidden");
    CHECK(x.device() == "hidden:0");
    CHECK(counts.live > live);
    const Array y = sin(x) * 2 + array({1.}), s = y.sum();
    CHECK(y.device() == "hidden:0");
    CHECK(s.device() == "hidden:0");
    CHECK(counts.launched > launched);
    CHECK(counts.copied_out == out);  // the results have not been read yet
    y.block_until_ready();
    CHECK(counts.synchronized > 0);
    const Array here = sin(arange(100.)) * 2 + 1.;
    CHECK(floats(y) == floats(here));
    CHECK(y.data<float>()[99] == here.data<float>()[99]);
    CHECK(device_put(y, "cpu").device() == "cpu");
    CHECK(floats(device_put(y, "cpu")) == floats(here));
    CHECK(s.item<float>() == here.sum().item<float>());
  }
  CHECK(counts.live == live);
}

TEST_CASE("transforms and control flow follow the operands", "[device]") {
  REQUIRE(added());
  const auto f = [](Array v) {
    return fori_loop(0, 5, [](Array i, Array c) { return sin(c) + c * i; }, v).sum();
  };
  const auto updated = [](Array v) { return v.at(3).set(7.).at(slice(1, 3)).add(1.); };
  const Array here = arange(20.) / 20., there = device_put(here, "hidden:0");
  const auto same = [&](auto g) {
    const Array a = g(here), b = g(there);
    CHECK(b.device() == "hidden:0");
    CHECK(floats(a) == floats(b));
  };
  same(f);
  same(jit(f));
  same(grad(f));
  same(jit(grad(f)));
  same(vmap([](Array v) {
    return while_loop([](Array c) { return c < 3; }, [](Array c) { return c * 2 + 1; }, v);
  }));
  same(updated);
  same([](Array v) { return sort(v)[slice(2, 9)]; });
  same([](Array v) {
    return cond(v[0] < 1, [](Array x) { return x * 2; }, [](Array x) { return x; }, v);
  });
  // The value moves back and forth within the function, eagerly.
  CHECK(grad([](Array v) { return (device_put(v, "hidden") * v).sum(); })(here).shape() ==
        Shape{20});
}

TEST_CASE("jit runs on the given device, or on that of its arguments", "[device]") {
  REQUIRE(added());
  const auto f = [](Array x, Array y) { return x * y + 1; };
  const Array here = arange(50.), there = device_put(here, "hidden:0");
  const auto plain = jit(f), sent = jit(f, {.device = "hidden:0"}),
             home = jit(f, {.device = "cpu"});
  CHECK(plain(here, here).device() == "cpu");
  CHECK(plain(here, there).device() == "hidden:0");
  CHECK(sent(here, here).device() == "hidden:0");
  CHECK(home(there, there).device() == "cpu");
  const Floats want = floats(here * here + 1);
  for (const Array& r : {plain(here, here), plain(here, there), sent(here, here),
                         home(there, there), vmap(sent)(here, here), vmap(home)(there, there)})
    CHECK(floats(r) == want);
  CHECK(vmap(sent)(here, here).device() == "hidden:0");
  CHECK(vmap(home)(there, there).device() == "cpu");
  // A weak number keeps its F64 value for an F64 operand.
  const auto wide = jit([](Array x, Array n) { return x * n; });
  const Array y = device_put(ones({3}, F64), "hidden");
  CHECK(wide(y, 0.1).to_vector<double>()[0] == 0.1);
  // Donation works there, too.
  const Array gone = device_put(here, "hidden");
  CHECK(floats(jit(f, {.donate_argnums = {0}, .name = "step"})(gone, 1.)) == floats(here + 1));
  check_error<DeviceError>([&] { (void)(gone + 1); }, "donated to 'step'");
}

TEST_CASE("the default device runs calls without another device", "[device]") {
  REQUIRE(added());
  const auto f = jit([](Array x) { return x + 1; });
  const Array x = arange(8.);
  CHECK(f(x).device() == "cpu");
  {
    const Default there("hidden:1");
    CHECK(default_device() == "hidden:1");
    CHECK((x + x).device() == "hidden:1");
    CHECK(f(x).device() == "hidden:1");
    CHECK(floats(f(x))[7] == 8);
    CHECK((device_put(x, "hidden:0") + x).device() == "hidden:0");
  }
  CHECK(f(x).device() == "cpu");
}

TEST_CASE("operands on two devices are an error", "[device]") {
  REQUIRE(added());
  const Array a = device_put(ones({4}), "hidden:0"), b = device_put(ones({4}), "hidden:1");
  const char* const text = "two devices, 'hidden:0' and 'hidden:1'; move them to one";
  check_error<DeviceError>([&] { (void)(a + b); }, text);
  check_error<DeviceError>([&] { jit([](Array x, Array y) { return x + y; })(a, b); }, text);
  CHECK(floats(a + device_put(b, "hidden:0")) == Floats(4, 2));
  // A program runs on one device only.
  const auto f = [](Array x) { return device_put(x, "hidden:1") + 1; };
  check_error<DeviceError>([&] { jit(f)(a); },
                           "device_put to 'hidden:1' in a program that runs on 'hidden:0'");
  check_error<DeviceError>([&] { fori_loop(0, 3, [&](Array, Array c) { return f(c); }, a); },
                           "device_put to 'hidden:1'");
  CHECK(jit(f)(b).device() == "hidden:1");
}

TEST_CASE("names of devices are taken once", "[device]") {
  REQUIRE(added());
  Hidden again("hidden");
  check_error<DeviceError>([&] { detail::add_device(&again); },
                           "there is a device 'hidden' already");
}
