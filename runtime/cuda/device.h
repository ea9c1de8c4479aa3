// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/cuda/device.h: a GPU as a device: its memory, its stream, its modules.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/loops/implementation.h"
#include "weft/device.h"

namespace weft::cuda {

// The launch configuration and the memory that a launch uses.
struct Launch {
  int64_t blocks = 1;  // number of blocks of a one-dimensional grid
  int threads = 1;     // per block
  int64_t shared = 0;  // dynamic shared memory in bytes per block
  // A memory range that the arguments point to, and whether the kernel writes it.
  struct Use {
    const void* at;
    bool written;
  };
  std::span<const Use> uses = {};
};

// A kernel on a device, owned by the code that launches it. Its module is unloaded when the last of
// its kernels has been released and all launches have finished.
class Function : public std::enable_shared_from_this<Function> {
 public:
  virtual ~Function() = default;
  // As reported by the driver. Local memory is counted per thread: its arrays and spilled
  // registers.
  int registers = 0, local_bytes = 0, max_threads = 0;
  int64_t shared_bytes = 0;
};

// The occupancy of a launch that has the device to itself.
struct Occupancy {
  int blocks = 0;    // resident blocks per multiprocessor
  double share = 0;  // resident threads over the most that the multiprocessor can hold
};

// A condition that a graph evaluates on the device: whether the Bool at `place` is true. With
// several branches: whether the I32 at `place`, clamped to 0 … branches - 1, equals `branch`.
// `setter` is a kernel of one thread that evaluates it. Its arguments are the stop word, the
// graph's condition handle, place, branch and branches.
struct Condition {
  const Function& setter;
  const void* place;
  int64_t branch = 0, branches = 0;
};

// Accepts work in order: the stream of a device, or a graph under construction.
class Launcher {
 public:
  virtual ~Launcher() = default;
  // arguments[i] points to argument i, of 8 bytes; they are read before the call returns. `what`
  // names the kernel in errors and must stay valid until the process ends.
  virtual void launch(const Function& f, const Launch& l, void** arguments, const char* what) = 0;
  // See detail::Device.
  virtual void copy_within(void* to, const void* from, int64_t bytes) = 0;
  virtual void clear(void* at, int64_t bytes) = 0;
  // Runs the launches of `body` once if the condition holds when all preceding work has finished.
  // With `again`, repeats them as long as it holds. Only for graphs of a device with
  // has_conditions().
  virtual void conditional(bool again, const Condition& c, FunctionRef<void(Launcher&)> body) = 0;
};

// Launches, copies and clears at fixed addresses, which are started as one launch. The graph owns
// its kernels. The driver keeps the graph until all its launches have finished.
class Graph {
 public:
  virtual ~Graph() = default;
};

// A copy of a few bytes from a device to the host, in flight.
class AsyncReadback {
 public:
  static constexpr int64_t max_bytes = 64;
  virtual ~AsyncReadback() = default;
  // Waits for the copy and returns its address on the host, valid while this object exists. The
  // bytes are those after all work launched before the copy. Throws if that work failed.
  virtual const void* wait() = 0;
};

// Libraries are NVIDIA's; runtime/cuda/libraries/open.h lists their names.
class Device : public detail::Device, public Libraries {
 public:
  using detail::Device::Device;
  virtual const std::string& architecture() const = 0;  // "sm_90"
  virtual bool emulated() const = 0;  // true if it runs images of jit/emit/compile/image.h
  virtual int64_t multiprocessors() const = 0;
  // Loads the named kernels from an image (PTX, or the text of an emulated module). Throws
  // CompileError with the driver's message.
  virtual std::vector<std::shared_ptr<const Function>> load(
      const std::string& image, const std::vector<std::string>& names) = 0;
  virtual Launcher& launcher() = 0;  // of the stream
  // Returns true if the driver supports graphs; otherwise no graphs are made.
  virtual bool has_graphs() const = 0;
  // Returns true if graphs may have conditional nodes.
  virtual bool has_conditions() const = 0;
  // Turns the launches of `record` into a graph instead of running them. Throws DeviceError,
  // OutOfMemoryError.
  virtual std::shared_ptr<const Graph> make_graph(FunctionRef<void(Launcher&)> record) = 0;
  // The graph counts as one launch: a fault names all of its kernels, and a stop invalidates
  // everything that it writes.
  virtual void launch(const Graph& g) = 0;
  // Starts a copy of at most AsyncReadback::max_bytes. The caller can launch more work before it
  // waits.
  virtual std::unique_ptr<AsyncReadback> start_readback(const void* at, int64_t bytes) = 0;
  // Name and version of each library, or what is missing. Opens the libraries.
  virtual std::vector<std::pair<std::string, std::string>> libraries() const = 0;
  virtual Occupancy occupancy(const Function& f, const Launch& l) = 0;
  // The device address of a word in host memory that kernels may read; nonzero means that they must
  // stop. It is set only while a thread waits for the stream: by interrupt(), or when that thread's
  // time limit is over. A thread that then waits for all launched work gets InterruptedError. From
  // then on InterruptedError is also thrown for every read or use of memory that an interrupted
  // kernel should have written (Launch::uses).
  virtual const int32_t* stop_word() const = 0;
};

}  // namespace weft::cuda
