// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/device.h: where memory lies and programs run: devices and their streams. The host is one.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "weft/core/error.h"
#include "weft/core/ref.h"

namespace weft {
namespace ir {
class Executable;
class JaxprData;
}  // namespace ir

// The names of the devices of this process. The host, "cpu", is the first; "X" and "X:0" are one.
// Source: jax.devices.
std::vector<std::string> devices();
// Where everything is computed from now on, in all threads, that neither an operand nor an option
// sends to a device. "cpu" unless set; DeviceError for a name that is not among devices(). Source:
// jax.default_device.
void default_device(const std::string& name, typing::Location at = typing::Location::here());
std::string default_device();

namespace detail {

// What a device does one after another.
class Stream {
 public:
  virtual ~Stream() = default;
  // Starts `work`, or runs it, after all that was launched before.
  virtual void launch(ir::FunctionRef<void()> work) = 0;
  // Returns when all that was launched is done.
  virtual void synchronize() = 0;
};

// What is launched on the host has run when launch() returns: its errors are those of the call.
class HostStream final : public Stream {
 public:
  void launch(ir::FunctionRef<void()> work) override { work(); }
  void synchronize() override {}
};
HostStream& host_stream();

// Addresses of a device mean nothing to anybody else: its memory is written and read by copy_in and
// copy_out. All of it is in the order of the stream, so that memory may be released while what was
// launched still uses it.
class Device {
 public:
  explicit Device(std::string name) : name_(std::move(name)) {}
  virtual ~Device() = default;
  Device(const Device&) = delete;
  const std::string& name() const { return name_; }
  // What it is, for people: make, architecture, memory.
  virtual std::string describe() const { return {}; }
  // Aligned to 64, uninitialised; OutOfMemoryError. *capacity: the bytes that there are in truth.
  virtual void* allocate(int64_t bytes, int64_t* capacity) = 0;
  virtual void release(void* data, int64_t bytes, int64_t capacity) = 0;
  virtual void copy_in(void* to, const void* from, int64_t bytes) = 0;
  virtual void copy_out(void* to, const void* from, int64_t bytes) = 0;  // waits
  // Both of this device, and not overlapping.
  virtual void copy_within(void* to, const void* from, int64_t bytes) = 0;
  virtual void clear(void* at, int64_t bytes) = 0;  // zeros
  // Gives memory that is kept for later back to the system.
  virtual void release_idle() {}
  virtual Stream& stream() = 0;
  // Returns when what was launched to write there is done; raises what became of it.
  virtual void wait_for(const void* data) {
    (void)data;
    stream().synchronize();
  }
  // The program as this device runs it; `in` and `out` of the executable are its addresses.
  virtual ir::Ref<const ir::Executable> compile(const ir::Ref<const ir::JaxprData>& j) = 0;

 private:
  const std::string name_;
};

// The host. Its memory is Buffer's pool, its compiler that of runtime/backend.h.
Device& host();
// One device more, for as long as the process lives. DeviceError if there is one of that name.
void add_device(Device* d);
// Adds devices, and says in a sentence what it is that others need; "" if nothing is missing.
using DeviceSource = std::string (*)();
// Devices whose names begin with `kind` come from here. It is asked once, when devices() or the
// first of these names is asked for, so that nobody else pays for looking.
void install_devices(const char* kind, DeviceSource source);
// What devices need that are not there, in a sentence; "" if nothing is missing. It looks for them.
std::string missing_devices();
// f of each device that was added so far; it asks no source.
void each_device(ir::FunctionRef<void(Device&)> f);
// DeviceError that names those there are; `who` is what asked for it.
Device& find_device(const std::string& name, const std::string& who);
// Where it is computed by default; null: the host.
Device* default_elsewhere();

}  // namespace detail
}  // namespace weft
