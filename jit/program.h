// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/program.h: one traced function: its program, its executable, and how its results are made.
#pragma once
#include <atomic>
#include <mutex>

#include "runtime/backend.h"
#include "tracer/record_trace.h"
#include "tracer/weak_numbers.h"
#include "weft/device.h"
#include "weft/jit.h"

namespace weft::detail {

// The options of jit that apply to each call. The name lives as long as the process.
struct CallOptions {
  const char* name = "fn";
  double time_limit = 0;
  bool check_nans = false;
  Device* device = nullptr;  // null: the device of the arguments
};

// Returns another Array of the same value or memory. The caller owns every result of a call,
// including one that the call did not compute. Donating that result must not destroy another Array.
Array own_handle(const Array& x);

class Program final : public JitProgram {
 public:
  Program(ClosedJaxpr c, bool keep_unused, const CallOptions& options);
  ~Program() override;

  bool all_concrete(const LeafList& x) const {
    for (size_t i = 0; i < x.size(); ++i)
      if (!x[i].node().concrete()) return false;
    return true;
  }
  // Runs on concrete arguments immediately, as the options say.
  void call(const LeafList& x, Array* out) const;

  // Returns the same program, run by this executable of `written` on its device; null: the host.
  Ref<const Program> run_by(const Ref<const Executable>& e, Device* elsewhere) const;
  // Returns the device on which a call with these arguments runs; null: the host. If `call` is
  // false, the arguments may be traced or donated.
  Device* device_for(const LeafList& x, bool call) const;

  // The approximate number of bytes that it occupies while it does not run.
  int64_t footprint() const;

  const ClosedJaxpr closed;
  const ExactInputs written;  // the program that is run and called
  const CallOptions options;
  std::vector<bool> donated;  // by leaf; empty: none is donated
  std::string cause;          // why it is compiled, in words
  // By input of the program that is run: true if a result or a temporary may reuse its memory.
  std::vector<bool> donated_memory() const;

 private:
  void run(const LeafList& x, Array* out) const;
  void run_here(const LeafList& x, Array* out) const;
  void call_keeping(const LeafList& x, Array* out) const;
  // Ends the donated arguments' lives, except for those that are results (jit/donation.cpp).
  void call_donating(const LeafList& x, Array* out) const;
  class Claims;
  void run_beside(const LeafList& x, Claims* claims, Array* out) const;
  void run_over(Device& d, const LeafList& x, Claims* claims, const std::vector<double>& numbers,
                Array* out) const;
  bool is_donated(int32_t input) const;
  // The values of the additional inputs of `written`.
  std::vector<double> doubles_of(const LeafList& x) const;
  const Array& input(const LeafList& x, int32_t i) const {
    const size_t k = i, n_const = closed.consts.size();
    return k < n_const ? closed.consts[k] : x[k - n_const];
  }
  bool all_here(const LeafList& x) const;  // true if all are on the host
  void run_on(Device& d, const LeafList& x, Array* out) const;
  // Says where a result is taken from.
  struct Result {
    enum { computed, input, literal } from;
    int32_t index;  // index of the input; constants come first
    Type type;
    Array value;  // of a literal
  };
  const Executable& executable() const;  // for the host
  void set_executable(const Executable& e) const;
  // Compiles it. WEFT_LOG=info reports the reason and the time.
  Ref<const Executable> compiled_for(Device& d) const;
  Ref<const Executable> donating_executable(Device& d) const;
  Ref<const Executable> donating_elsewhere(Device& d) const;
  Ref<const Executable> executable_for(Device& d) const;
  Jaxpr pruned_;               // without unused inputs
  std::vector<int32_t> kept_;  // the inputs of written.jaxpr that pruned_ keeps
  std::vector<Result> results_;
  bool only_copies_ = false;  // there is no equation to compile
  mutable std::atomic<const Executable*> exe_{nullptr};
  // The bytes last announced for its temporaries. The need changes with the number of threads.
  mutable int64_t announced_ = 0;
  mutable std::atomic<const Executable*> donating_{nullptr};
  mutable std::mutex compiling_;
  struct Elsewhere {
    Device* device;
    Ref<const Executable> plain, donating;  // `donating` is compiled when it is first needed
  };
  mutable std::vector<Elsewhere> elsewhere_;  // guarded by compiling_
};

// The compiler's view of a program (jit/lowered.cpp).
Ref<const LoweredImpl> make_lowered(const Ref<const Program>& p, Device* elsewhere);
// The same without options or a name, for the default device.
Ref<const LoweredImpl> make_lowered(const ClosedJaxpr& c);

}  // namespace weft::detail
