// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/program.h: one traced function: its program, its executable, and how results are made.
#pragma once
#include <atomic>
#include <mutex>

#include "weft/jit/jit.h"
#include "weft/runtime/backend.h"
#include "weft/runtime/device.h"
#include "weft/tracer/record_trace.h"
#include "weft/tracer/written_inputs.h"

namespace weft::detail {

// What the options of jit say about each call. The name lives as long as the process.
struct CallOptions {
  const char* name = "fn";
  double time_limit = 0;
  bool check_nans = false;
  Device* device = nullptr;  // null: where the arguments are
};

// Another array of the same number or memory: what a call returns that it did not compute is the
// caller's own all the same, so that to donate it does away with nothing else.
Array own_handle(const Array& x);

class Program final : public JitProgram {
 public:
  Program(Closed c, bool keep_unused, const CallOptions& options);
  ~Program() override;

  bool all_concrete(const LeafList& x) const {
    for (size_t i = 0; i < x.size(); ++i)
      if (!x[i].node().concrete()) return false;
    return true;
  }
  // On concrete arguments, now, as the options say.
  void call(const LeafList& x, Array* out) const;

  // The same, run by this executable of `written` where it is for; null: the host.
  Ref<const Program> run_by(const Ref<const Executable>& e, Device* elsewhere) const;
  // Where a call with these arguments runs, null: the host. If it is only asked for, not called,
  // they may be traced, or donated.
  Device* device_for(const LeafList& x, bool call) const;

  // About how many bytes it occupies while it does not run.
  int64_t footprint() const;

  const Closed closed;
  const WrittenInputs written;  // the program as it is run and called
  const CallOptions options;
  std::vector<bool> donated;  // a leaf each; empty: none
  std::string cause;          // why it is compiled, in words
  // By input of the program that is run, whether its memory may be a result's or a temporary's.
  std::vector<bool> donated_memory() const;

 private:
  void run(const LeafList& x, Array* out) const;
  void run_here(const LeafList& x, Array* out) const;
  void call_keeping(const LeafList& x, Array* out) const;
  // The donated arguments are gone afterwards, but for those that are results (jit/donation.cpp).
  void call_donating(const LeafList& x, Array* out) const;
  class Claims;
  void run_beside(const LeafList& x, Claims* claims, Array* out) const;
  void run_over(Device& d, const LeafList& x, Claims* claims, const std::vector<double>& numbers,
                Array* out) const;
  bool is_donated(int32_t input) const;
  void read_numbers(const LeafList& x, std::vector<double>* numbers) const;
  const Array& input(const LeafList& x, int32_t i) const {
    const auto k = static_cast<size_t>(i), n_const = closed.consts.size();
    return k < n_const ? closed.consts[k] : x[k - n_const];
  }
  bool all_here(const LeafList& x) const;  // on the host
  void run_on(Device& d, const LeafList& x, Array* out) const;
  // Where a result comes from.
  struct Result {
    enum { computed, input, literal } from;
    int32_t index;  // of the input: constants first
    Type type;
    Array value;  // of a literal
  };
  const Executable& executable() const;  // for the host
  void set_executable(const Executable& e) const;
  // Compiles it; WEFT_LOG=info says why and in what time.
  Ref<const Executable> compiled_for(Device& d) const;
  Ref<const Executable> donating_executable(Device& d) const;
  Ref<const Executable> donating_elsewhere(Device& d) const;
  Ref<const Executable> executable_for(Device& d) const;
  Jaxpr pruned_;               // without inputs that are not read
  std::vector<int32_t> kept_;  // inputs of written.jaxpr that pruned_ has
  std::vector<Result> results_;
  bool only_copies_ = false;  // no equation: nothing to compile
  mutable std::atomic<const Executable*> exe_{nullptr};
  // What its temporaries were said to need: the number of threads, and so the need, may change.
  mutable int64_t announced_ = 0;
  mutable std::atomic<const Executable*> donating_{nullptr};
  mutable std::mutex compiling_;
  struct Elsewhere {
    Device* device;
    Ref<const Executable> plain, donating;  // the latter when it is first needed
  };
  mutable std::vector<Elsewhere> elsewhere_;  // under compiling_
};

// The compiler's view of a program (jit/lowered.cpp).
Ref<const LoweredImpl> make_lowered(const Ref<const Program>& p, Device* elsewhere);
// Without options or a name, for the device that is the default.
Ref<const LoweredImpl> make_lowered(const Closed& c);

}  // namespace weft::detail
