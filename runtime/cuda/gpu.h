// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/cuda/gpu.h: implements the device of runtime/cuda/device.h with the driver API.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/cuda/async_readbacks.h"
#include "runtime/cuda/blocks.h"
#include "runtime/cuda/device.h"
#include "runtime/cuda/driver.h"
#include "runtime/cuda/launches.h"
#include "runtime/cuda/libraries/handles.h"
#include "runtime/cuda/staging.h"
#include "weft/stop.h"

namespace weft::cuda {

// Properties of a device that the driver reports before it is used.
struct DeviceProperties {
  Ordinal ordinal = 0;
  std::string title;  // "NVIDIA H100"
  int major = 0, minor = 0, multiprocessors = 0;
  int threads = 0;  // most threads per multiprocessor
  bool memory_pools = false;
  size_t memory = 0;
};

class Gpu;

// Makes the context current in this scope; `result` tells if that succeeded.
class PushedContext {
 public:
  PushedContext(const Driver& d, Context c) : result(d.push_context(c)), driver_(d) {}
  ~PushedContext() {
    Context was = nullptr;
    if (result == success) driver_.pop_context(&was);
  }
  PushedContext(const PushedContext&) = delete;
  const Result result;

 private:
  const Driver& driver_;
};

// A module loaded on a device.
struct Module {
  Gpu& gpu;
  ModuleHandle handle;
  std::atomic<uint32_t> last_launch;  // the last launch that used it
  Module(Gpu& g, ModuleHandle h, uint32_t n) : gpu(g), handle(h), last_launch(n) {}
  Module(const Module&) = delete;
  ~Module();
};

// The primary context is retained at the first use and is current only inside calls, because other
// libraries of the process have their own. Plain mutexes suffice, since no GPU is used after a
// fork.
class Gpu final : public Device, private detail::Stream, private Launcher {
 public:
  Gpu(const Driver& d, DeviceProperties f);

  void* allocate(int64_t bytes, int64_t* capacity) override;
  void release(void* data, int64_t bytes, int64_t capacity) override;
  void copy_in(void* to, const void* from, int64_t bytes) override;
  void copy_out(void* to, const void* from, int64_t bytes) override;
  void copy_within(void* to, const void* from, int64_t bytes) override;
  void clear(void* at, int64_t bytes) override;
  void wait_for(const void* data) override;
  void release_idle() override;
  detail::Stream& stream() override { return *this; }
  Ref<const Executable> compile(const Ref<const JaxprData>& j) override;
  std::string describe() const override;

  const std::string& architecture() const override { return architecture_; }
  bool emulated() const override { return driver_.emulated; }
  int64_t multiprocessors() const override { return properties_.multiprocessors; }
  std::vector<std::shared_ptr<const Function>> load(const std::string& image,
                                                    const std::vector<std::string>& names) override;
  Launcher& launcher() override { return *this; }
  bool has_graphs() const override { return driver_.has_graphs(); }
  bool has_conditions() const override { return driver_.has_conditions(); }
  void conditional(bool again, const Condition& c, FunctionRef<void(Launcher&)> body) override;
  std::shared_ptr<const Graph> make_graph(FunctionRef<void(Launcher&)> record) override;
  void launch(const Graph& g) override;
  std::unique_ptr<AsyncReadback> start_readback(const void* at, int64_t bytes) override;
  Occupancy occupancy(const Function& f, const Launch& l) override;
  const int32_t* stop_word() const override;
  std::string missing(std::string_view library) const override;
  std::vector<std::pair<std::string, std::string>> libraries() const override;

  // For the parts of the device, inside a scope of CurrentContext.
  const Driver& driver() const { return driver_; }
  StreamHandle queue() const { return queue_; }
  // Throws the error for a result of the driver function `what`, unless it is success.
  void check(Result r, std::string_view what);
  // Runs `done`, which waits for some of the launched work. Meanwhile interrupt() and the time
  // limit of this thread stop running kernels and throw InterruptedError. Returns true if another
  // thread stopped some work meanwhile.
  bool wait(FunctionRef<void()> done);
  // Waits for an event after which memory is read. Throws InterruptedError if the work that should
  // have written the memory was stopped.
  void wait_for_event(EventHandle e, Address read);
  // A driver object to destroy when all launches up to the last that used it have finished. Exactly
  // one of the three handles is set. A graph also holds its kernels and the name that errors use.
  struct Retired {
    ModuleHandle module = nullptr;
    GraphExecHandle exec = nullptr;
    GraphHandle graph = nullptr;
    uint32_t last_launch = 0;
    std::vector<std::shared_ptr<const Function>> kernels = {};
    std::shared_ptr<const std::string> what = {};
  };
  void retire(Retired r);
  // A launch that has already ended: the initial value for objects that have not been launched.
  uint32_t last_ended();

  // For library calls (runtime/cuda/libraries/call.h).
  Handles& handles() { return handles_; }
  // Throws InterruptedError if the launch that should have written this memory was stopped.
  void require_usable(std::span<const Launch::Use> uses);
  // Records the work that a library has queued as a launch, so that errors can name it.
  void record_library_call(const char* function, std::span<const Launch::Use> uses);
  // Runs f in the context, unless the device is unusable.
  void if_usable(FunctionRef<void()> f);

 private:
  friend class CurrentContext;
  class GraphRecorder;
  void launch(FunctionRef<void()> work) override { work(); }  // `work` only queues
  void synchronize() override;
  bool wait_for_all();
  // Under the guard. Throws InterruptedError if the launch that should have written there was
  // stopped.
  void require_valid(const void* data) const;
  void require_valid(std::span<const Launch::Use> uses) const;
  void record_stop(const StopToken& mine);

  bool usable() const;
  void open();
  void map_words();
  void mark_lost(Result r);
  // Retries releases that failed earlier, and destroys retired objects that are no longer in use.
  void release_retired();
  Result try_allocate(Address* a, size_t bytes);
  Result queue_number(uint32_t n);
  Result destroy(const Retired& r);
  void launch(const Function& f, const Launch& l, void** arguments, const char* what) override;
  // Returns false for an empty grid. Throws InternalError for a grid that is not possible.
  static bool has_blocks(const Launch& l, const char* what);
  static KernelHandle handle_of(const Function& f);
  // Raises the kernel's dynamic shared memory limit to what the launch needs. Under the guard.
  Result raise_shared_limit(const Function& f, const Launch& l);
  // Records a launch as under way. Under the guard.
  void record_launch(const char* what, bool graph, std::span<const Launch::Use> uses);
  std::shared_ptr<const Function> kernel_of(const std::shared_ptr<Module>& m,
                                            const std::string& name);

  const Driver& driver_;
  const DeviceProperties properties_;
  const std::string architecture_;
  const int generation_;  // fork generation in which it was opened

  std::mutex opening_;
  std::atomic<bool> opened_{false};
  Context context_ = nullptr;
  StreamHandle queue_ = nullptr;
  PoolHandle pool_ = nullptr;

  // Host memory mapped into the device: the number of the last launch that ended, and the stop
  // word.
  struct Words {
    alignas(64) uint32_t ended;
    alignas(64) int32_t stop;
  };
  Words* words_ = nullptr;
  Address words_address_ = 0;

  Staging in_{*this}, out_{*this};
  AsyncReadbacks readbacks_{*this};
  Handles handles_;
  std::atomic<int64_t> in_use_{0};  // allocated bytes

  std::mutex guard_;  // guards the members below
  LaunchTracker launches_;
  MemoryBlocks blocks_;
  std::vector<const StopToken*> waiting_;  // tokens of waiting threads
  bool no_word_writes_ = false;            // the device cannot write single words
  uint64_t stops_ = 0;                     // number of stops so far
  std::vector<Retired> retired_;
  std::vector<Address> unreleased_;
  std::string lost_text_;
  std::atomic<bool> lost_{false};
};

// Makes the context current in this scope. Throws DeviceError if the device cannot be used.
class CurrentContext {
 public:
  explicit CurrentContext(Gpu& g);
  CurrentContext(const CurrentContext&) = delete;

 private:
  static Context usable_context(Gpu& g);
  const PushedContext pushed_;
};

}  // namespace weft::cuda
