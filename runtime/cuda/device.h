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

#include "weft/core/loops/implementation.h"
#include "weft/runtime/device.h"

namespace weft::cuda {

// What a launch needs beside its arguments.
struct Launch {
  int64_t blocks = 1;  // of a one-dimensional grid
  int threads = 1;     // of a block
  int64_t shared = 0;  // bytes of a block, beside what the kernel declares
  // Memory of the device that its arguments point to, and whether it is written.
  struct Use {
    const void* at;
    bool written;
  };
  std::span<const Use> uses = {};
};

// A kernel on a device, kept by who launches it. Its module is unloaded when the last of its
// kernels is gone and what was launched is done.
class Function : public std::enable_shared_from_this<Function> {
 public:
  virtual ~Function() = default;
  // As the driver reports them. Local memory is a thread's: its arrays, and registers spilled.
  int registers = 0, local_bytes = 0, most_threads = 0;
  int64_t shared_bytes = 0;
};

// Of a launch, if it has the device to itself.
struct Occupancy {
  int blocks = 0;    // that a multiprocessor runs at a time
  double share = 0;  // of the threads that it could run, those are
};

// What a graph asks the device: whether the Bool at a place holds, or, of several branches, whether
// the I32 there, clamped to 0 … branches - 1, is `branch`. `setter` is the kernel, of one thread,
// that finds out: of (word to stop, the graph's condition, place, branch, branches).
struct Condition {
  const Function& setter;
  const void* place;
  int64_t branch = 0, branches = 0;
};

// What takes work in order: the stream of a device, or a graph that is being made.
class Launcher {
 public:
  virtual ~Launcher() = default;
  // arguments[i] points to argument i, each 8 bytes; they are read before it returns. `what` names
  // the kernel in errors and lives as long as the process.
  virtual void launch(const Function& f, const Launch& l, void** arguments, const char* what) = 0;
  // As detail::Device has them.
  virtual void copy_within(void* to, const void* from, int64_t bytes) = 0;
  virtual void clear(void* at, int64_t bytes) = 0;
  // What `body` launches, once if the condition holds when all before it is done, or, `again`, as
  // long as it does: for graphs of a device that has_conditions().
  virtual void conditional(bool again, const Condition& c, FunctionRef<void(Launcher&)> body) = 0;
};

// Launches, copies and clears at fixed addresses, which are started as one. It keeps their kernels,
// and lasts in the driver until what was launched of it is over.
class Graph {
 public:
  virtual ~Graph() = default;
};

// A few bytes of a device on their way to the host.
class Peek {
 public:
  static constexpr int64_t most_bytes = 64;
  virtual ~Peek() = default;
  // Where the host reads them, as long as this lives, as they were when what was launched before
  // was done. It waits, and raises what became of that.
  virtual const void* wait() = 0;
};

// Libraries are NVIDIA's, by the names of runtime/cuda/libraries/open.h.
class Device : public detail::Device, public Libraries {
 public:
  using detail::Device::Device;
  virtual const std::string& architecture() const = 0;  // "sm_90"
  virtual bool emulated() const = 0;                    // takes images of jit/emit/image.h
  virtual int64_t multiprocessors() const = 0;
  // The kernels of those names in an image (PTX, or the text of an emulated module). CompileError
  // with what the driver says of it.
  virtual std::vector<std::shared_ptr<const Function>> load(
      const std::string& image, const std::vector<std::string>& names) = 0;
  virtual Launcher& launcher() = 0;  // of the stream
  // Whether the driver knows graphs; if not, none are made.
  virtual bool has_graphs() const = 0;
  // Whether they may have nodes with conditions.
  virtual bool has_conditions() const = 0;
  // What `record` launches becomes a graph instead of being run. DeviceError, OutOfMemoryError.
  virtual std::shared_ptr<const Graph> make_graph(FunctionRef<void(Launcher&)> record) = 0;
  // All of it is one launch: a fault names the kernels that it has, a stop leaves all that it
  // writes without its values.
  virtual void launch(const Graph& g) = 0;
  // Starts a copy of at most Peek::most_bytes; who asked launches more before it waits.
  virtual std::unique_ptr<Peek> peek(const void* at, int64_t bytes) = 0;
  // Name and version of each library, or what is missing; opens them.
  virtual std::vector<std::pair<std::string, std::string>> libraries() const = 0;
  virtual Occupancy occupancy(const Function& f, const Launch& l) = 0;
  // A word in memory of the host that kernels may read: not 0 when they are to stop. Its address is
  // that of the device. It is set while somebody waits for the stream: by interrupt(), and when the
  // time limit of who waits is over. Whoever waits then for all that was launched gets
  // InterruptedError; so does, from then on, who reads what a kernel that was under way should have
  // written (Launch::uses), or launches something that uses it.
  virtual const int32_t* stop_word() const = 0;
};

}  // namespace weft::cuda
