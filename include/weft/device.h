// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/device.h: devices, which hold memory and run programs, and their streams. The host
// is one.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "weft/detail/ref.h"
#include "weft/error.h"

namespace weft {
namespace ir {
class Executable;
class JaxprData;
}  // namespace ir

// The names of the devices of this process. The host, "cpu", comes first; "X" and "X:0" are the
// same device. Source: jax.devices.
std::vector<std::string> devices();
// Sets the device, for all threads, of computations that neither an operand nor an option places.
// It is "cpu" unless set. Throws DeviceError for a name that is not among devices(). Source:
// jax.default_device.
void default_device(const std::string& name, typing::Location at = typing::Location::here());
std::string default_device();

namespace detail {

// The queue of a device: its work runs in order.
class Stream {
 public:
  virtual ~Stream() = default;
  // Starts or runs `work` after all work that was launched before.
  virtual void launch(ir::FunctionRef<void()> work) = 0;
  // Returns when all launched work has finished.
  virtual void synchronize() = 0;
};

// On the host, work has finished when launch() returns, so its errors are thrown by that call.
class HostStream final : public Stream {
 public:
  void launch(ir::FunctionRef<void()> work) override { work(); }
  void synchronize() override {}
};
HostStream& host_stream();

// Addresses of a device are valid only there: its memory is written by copy_in and read by
// copy_out. All operations are in stream order, so memory may be released while launched work still
// uses it.
class Device {
 public:
  explicit Device(std::string name) : name_(std::move(name)) {}
  virtual ~Device() = default;
  Device(const Device&) = delete;
  const std::string& name() const { return name_; }
  // A description for people: make, architecture, memory.
  virtual std::string describe() const { return {}; }
  // Aligned to 64, uninitialised. Throws OutOfMemoryError. *capacity receives the number of bytes
  // that are really allocated.
  virtual void* allocate(int64_t bytes, int64_t* capacity) = 0;
  virtual void release(void* data, int64_t bytes, int64_t capacity) = 0;
  virtual void copy_in(void* to, const void* from, int64_t bytes) = 0;
  virtual void copy_out(void* to, const void* from, int64_t bytes) = 0;  // waits
  // Both ranges are on this device and do not overlap.
  virtual void copy_within(void* to, const void* from, int64_t bytes) = 0;
  virtual void clear(void* at, int64_t bytes) = 0;  // fills with zeros
  // Returns idle memory that is kept for reuse to the system.
  virtual void release_idle() {}
  virtual Stream& stream() = 0;
  // Returns when the work that writes there has finished; throws if that work failed.
  virtual void wait_for(const void* data) {
    (void)data;
    stream().synchronize();
  }
  // Compiles the program for this device; `in` and `out` of the executable are addresses of this
  // device.
  virtual ir::Ref<const ir::Executable> compile(const ir::Ref<const ir::JaxprData>& j) = 0;

 private:
  const std::string name_;
};

// The host. Its memory is Buffer's pool, its compiler the one of runtime/backend.h.
Device& host();
// Registers a device until the process ends. Throws DeviceError if there is already a device with
// that name.
void add_device(Device* d);
// Adds devices, and returns a sentence that says what other devices would need; "" if nothing is
// missing.
using DeviceSource = std::string (*)();
// Registers the source of devices whose names begin with `kind`. The source runs once, when
// devices() or the first such name is used, so that other programs do not pay for the search.
void install_devices(const char* kind, DeviceSource source);
// Says in a sentence what unavailable devices need; "" if nothing is missing. Runs the source if
// necessary.
std::string missing_devices();
// Calls f with each device that has been added so far; does not run the source.
void each_device(ir::FunctionRef<void(Device&)> f);
// Throws DeviceError that lists the existing devices; `who` names the caller.
Device& find_device(const std::string& name, const std::string& who);
// The default device; null: the host.
Device* default_elsewhere();

}  // namespace detail
}  // namespace weft
