// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/device.cpp: the devices of the process, and the host as one of them.
#include "weft/device.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <atomic>
#include <cstring>
#include <mutex>

#include "core/fork_mutex.h"
#include "runtime/backend.h"
#include "runtime/fork.h"
#include "weft/buffer.h"

namespace weft {
namespace detail {
namespace {

class Host final : public Device {
 public:
  Host() : Device("cpu") {}
  void* allocate(int64_t bytes, int64_t* capacity) override {
    return HostMemory::allocate(bytes, capacity);
  }
  void release(void* data, int64_t bytes, int64_t capacity) override {
    HostMemory::release(data, bytes, capacity);
  }
  void copy_in(void* to, const void* from, int64_t bytes) override { copy_out(to, from, bytes); }
  void copy_out(void* to, const void* from, int64_t bytes) override {
    if (bytes) std::memcpy(to, from, bytes);
  }
  void copy_within(void* to, const void* from, int64_t bytes) override {
    copy_out(to, from, bytes);
  }
  void clear(void* at, int64_t bytes) override {
    if (bytes) std::memset(at, 0, bytes);
  }
  Stream& stream() override { return host_stream(); }
  Ref<const Executable> compile(const Ref<const JaxprData>& j) override { return backend()(j); }
};

struct Registry {
  ForkMutex guard;
  std::vector<Device*> all{&host()};
  // The source of further devices. `asking` is held while it searches: see ask().
  const char* kind = nullptr;
  DeviceSource source = nullptr;
  std::mutex asking;
  std::atomic<bool> asked{false};
  std::string missing;
};
Registry& registry() {
  static auto* r = new Registry;
  return *r;
}

std::atomic<Device*> chosen{nullptr};

// "X:0" and "X" name the same device.
std::string short_name(const std::string& name) {
  return name.ends_with(":0") ? name.substr(0, name.size() - 2) : name;
}
Device* device_called(const Registry& r, const std::string& name) {
  for (Device* d : r.all)
    if (short_name(d->name()) == short_name(name)) return d;
  return nullptr;
}

// Runs the source once. A driver takes its own locks and may start processes, so forks of other
// threads wait meanwhile.
const std::string& ask() {
  Registry& r = registry();
  if (r.source && !r.asked.load(std::memory_order_acquire)) {
    const NoFork no_fork;
    const std::lock_guard lock(r.asking);
    if (!r.asked.load()) r.missing = r.source();
    r.asked.store(true, std::memory_order_release);
  }
  return r.missing;
}
bool of_source(const std::string& name) {
  const char* const kind = registry().kind;
  return kind && name.starts_with(kind);
}

}  // namespace

HostStream& host_stream() {
  static auto* s = new HostStream;
  return *s;
}
Device& host() {
  static auto* h = new Host;
  return *h;
}

void add_device(Device* d) {
  Registry& r = registry();
  const std::lock_guard lock(r.guard);
  if (device_called(r, d->name()))
    throw DeviceError(fmt::format("there is a device '{}' already", d->name()));
  r.all.push_back(d);
}

void install_devices(const char* kind, DeviceSource source) {
  registry().kind = kind;
  registry().source = source;
}

std::string missing_devices() { return ask(); }

void each_device(FunctionRef<void(Device&)> f) {
  std::vector<Device*> all;
  {
    const std::lock_guard lock(registry().guard);
    all = registry().all;
  }
  for (Device* d : all) f(*d);
}

Device& find_device(const std::string& name, const std::string& who) {
  if (of_source(name)) ask();
  {
    Registry& r = registry();
    const std::lock_guard lock(r.guard);
    if (Device* d = device_called(r, name)) return *d;
  }
  const std::string missing = of_source(name) && !ask().empty() ? ". " + ask() : "";
  throw DeviceError(fmt::format("{}: there is no device '{}'; this process has: {}{}", who, name,
                                fmt::join(devices(), ", "), missing));
}

Device* default_elsewhere() { return chosen.load(std::memory_order_relaxed); }

}  // namespace detail

std::vector<std::string> devices() {
  detail::ask();
  detail::Registry& r = detail::registry();
  const std::lock_guard lock(r.guard);
  std::vector<std::string> names;
  for (const detail::Device* d : r.all) names.push_back(d->name());
  return names;
}

void default_device(const std::string& name, Location at) {
  const SourceScope source(at);
  detail::Device& d = detail::find_device(name, "default_device");
  detail::chosen.store(&d == &detail::host() ? nullptr : &d);
}
std::string default_device() {
  const detail::Device* d = detail::default_elsewhere();
  return (d ? *d : detail::host()).name();
}

}  // namespace weft
