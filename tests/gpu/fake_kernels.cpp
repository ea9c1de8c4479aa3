// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/gpu/fake_kernels.cpp: compiles kernels with ORC and runs the threads of a block as fibers.
#include "gpu/fake_kernels.h"

#include <fmt/format.h>
#include <llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/ExecutionEngine/Orc/ThreadSafeModule.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <sys/mman.h>
#include <ucontext.h>
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#endif

#include <csetjmp>
#include <csignal>
#include <cstring>
#include <deque>
#include <span>
#include <utility>

#include "gpu/fake_tensor.h"
#include "jit/emit/compile/orc.h"

namespace fake {
namespace {

constexpr unsigned warp = 32;
constexpr size_t stack_bytes = 256 << 10;
constexpr size_t max_threads = 1024;  // of a block

// ---- running a block

enum class State { Ready, Barrier, Meeting, Done, Exited };
// The operations for which the threads of a warp wait for each other.
enum class Meeting { Shuffle, Ballot, Matrices, Product };

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
// The sanitizers follow switches of contexts. ThreadSanitizer has to be told which stack is in use.
struct Stack {
  ucontext_t context;
#ifdef __SANITIZE_THREAD__
  void* fiber = nullptr;
#endif
};
void go(Stack& from, Stack& to) {
#ifdef __SANITIZE_THREAD__
  __tsan_switch_to_fiber(to.fiber, 0);
#endif
  swapcontext(&from.context, &to.context);
}
void begin_anew(Stack&) {}
#else
// A context is entered once. Later switches use a jump, which makes no system call.
struct Stack {
  ucontext_t context;
  jmp_buf place;
  bool entered = false;
};
__attribute__((noinline)) void go(Stack& from, Stack& to) {
  from.entered = true;
  if (_setjmp(from.place) != 0) return;
  if (to.entered) _longjmp(to.place, 1);
  setcontext(&to.context);
}
void begin_anew(Stack& s) { s.entered = false; }
#endif

struct Fiber {
  Stack stack;
  State state = State::Exited;
  Meeting meeting = Meeting::Shuffle;
  int32_t value = 0;
  uint32_t source = 0;
  MatricesOfThread matrices = {};
  FactorsOfThread factors = {};
};

// Kernels run under the driver's lock, so that only one block runs at a time.
struct Block {
  const KernelCode* kernel = nullptr;
  void** arguments = nullptr;
  unsigned index = 0, thread = 0, threads = 0;
  struct alignas(128) Line {
    std::byte bytes[128];
  };
  std::vector<Line> shared;
  int64_t shared_bytes = 0;
  std::span<Fiber> fibers;
  Stack scheduler;
  std::string wrong;

  void blame(const std::string& what) {
    if (wrong.empty()) wrong = fmt::format("kernel '{}': {}", kernel->name, what);
  }
  void wait(State s) {
    Fiber& f = fibers[thread];
    f.state = s;
    go(f.stack, scheduler);
  }
};
Block* running = nullptr;

int32_t block_index() { return static_cast<int32_t>(running->index); }
int32_t thread_index() { return static_cast<int32_t>(running->thread); }
void barrier() { running->wait(State::Barrier); }
int32_t barrier_and(int32_t value) {
  Fiber& f = running->fibers[running->thread];
  f.value = value;
  running->wait(State::Barrier);
  return f.value;
}
int32_t shuffle(int32_t value, int32_t source) {
  Fiber& f = running->fibers[running->thread];
  f.value = value;
  f.source = static_cast<uint32_t>(source);
  f.meeting = Meeting::Shuffle;
  running->wait(State::Meeting);
  return f.value;
}
int32_t ballot(int32_t yes) {
  Fiber& f = running->fibers[running->thread];
  f.value = yes;
  f.meeting = Meeting::Ballot;
  running->wait(State::Meeting);
  return f.value;
}
void ldmatrix(const void* line, uint32_t* words, int32_t matrices, int32_t transposed) {
  Fiber& f = running->fibers[running->thread];
  f.matrices = {line, words, matrices, transposed};
  f.meeting = Meeting::Matrices;
  running->wait(State::Meeting);
}
void add_products(float* sums, const uint32_t* words, int32_t half) {
  Fiber& f = running->fibers[running->thread];
  f.factors = {sums, words, half};
  f.meeting = Meeting::Product;
  running->wait(State::Meeting);
}
// Ends this thread. No other thread waits for it.
void exit_thread() { running->wait(State::Exited); }
void* shared(int64_t offset) {
  Block& b = *running;
  if (offset >= 0 && offset < b.shared_bytes) return b.shared[0].bytes + offset;
  b.blame(fmt::format("byte {} of {} bytes of shared memory", offset, b.shared_bytes));
  static std::byte somewhere[4096];
  return somewhere;
}

void run_fiber() {
  for (;;) {
    running->kernel->run(running->arguments);
    running->wait(State::Done);  // waits until the next block starts
  }
}

// Returns a stack for thread i. There are as many stacks as the largest block so far had threads.
// Below each stack is an inaccessible page.
void* stack_of(size_t i) {
  static std::vector<void*> stacks;
  while (stacks.size() <= i) {
    void* const s = mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    mprotect(s, 4096, PROT_NONE);
    stacks.push_back(s);
  }
  return stacks[i];
}

// Sets one bit for each thread that passes yes.
void set_ballots(std::span<Fiber> lanes) {
  uint32_t bits = 0;
  for (size_t i = 0; i < lanes.size(); ++i)
    bits |= static_cast<uint32_t>(lanes[i].state == State::Meeting && lanes[i].value) << i;
  for (Fiber& f : lanes)
    if (f.state == State::Meeting) f.value = static_cast<int32_t>(bits);
}
// Gives the threads that wait for a shuffle the values that they requested.
void pass_on(Block& b, std::span<Fiber> lanes) {
  std::vector<int32_t> got;
  for (const Fiber& f : lanes) {
    const State s = f.source < lanes.size() ? lanes[f.source].state : State::Done;
    const bool there = f.source < warp && s == State::Meeting;
    if (f.state == State::Meeting && f.source < warp && !there && s != State::Exited)
      b.blame(fmt::format("lane {} of a shuffle is not there", f.source));
    got.push_back(there ? lanes[f.source].value : f.value);
  }
  for (size_t i = 0; i < lanes.size(); ++i)
    if (lanes[i].state == State::Meeting) lanes[i].value = got[i];
}
// Runs an operation that needs a whole warp. If some threads have ended, no thread reads its
// result, so that it is not computed.
template <class Of>
void together(Block& b, std::span<const Fiber> lanes, Of Fiber::* brought,
              void (*compute)(std::span<const Of>)) {
  std::vector<Of> all;
  bool left = false;
  for (const Fiber& f : lanes) {
    if (f.state == State::Meeting) all.push_back(f.*brought);
    left = left || f.state == State::Exited;
  }
  if (all.size() == warp)
    compute(all);
  else if (!left)
    b.blame("tensor cores that not all lanes of the warp reach");
}

// Runs the operation for which all threads of a warp wait.
bool exchange(Block& b, size_t begin, size_t end) {
  const std::span<Fiber> lanes = b.fibers.subspan(begin, end - begin);
  bool done = false;
  const Fiber* first = nullptr;
  for (const Fiber& f : lanes) {
    if (f.state == State::Ready || f.state == State::Barrier) return false;
    done = done || f.state == State::Done;
    if (f.state != State::Meeting) continue;
    if (!first) first = &f;
    if (f.meeting != first->meeting) b.blame("the lanes of a warp meet for different things");
  }
  if (!first) return false;
  if (done && first->meeting != Meeting::Ballot)
    b.blame("a shuffle that not all lanes of the warp reach");
  switch (first->meeting) {
    case Meeting::Shuffle: pass_on(b, lanes); break;
    case Meeting::Ballot: set_ballots(lanes); break;
    case Meeting::Matrices: together(b, lanes, &Fiber::matrices, load_matrices); break;
    case Meeting::Product: together(b, lanes, &Fiber::factors, multiply); break;
  }
  for (Fiber& f : lanes)
    if (f.state == State::Meeting) f.state = State::Ready;
  return true;
}

bool pass_barrier(Block& b) {
  size_t waiting = 0, done = 0, left = 0;
  for (const Fiber& f : b.fibers) {
    waiting += f.state == State::Barrier;
    done += f.state == State::Done;
    left += f.state == State::Exited;
  }
  if (!waiting || waiting + done + left != b.fibers.size()) return false;
  if (done) b.blame("a barrier that not all threads of the block reach");
  int32_t all = 1;
  for (const Fiber& f : b.fibers)
    if (f.state == State::Barrier && !f.value) all = 0;
  for (Fiber& f : b.fibers)
    if (f.state == State::Barrier) {
      f.value = all;
      f.state = State::Ready;
    }
  return true;
}

#ifdef __SANITIZE_THREAD__
void* fiber_of(size_t i) {
  static std::vector<void*> fibers;
  while (fibers.size() <= i) fibers.push_back(__tsan_create_fiber(0));
  return fibers[i];
}
#endif

void run_fibers(Block& b) {
  static const std::unique_ptr<Fiber[]> all(new Fiber[max_threads]);
  b.fibers = {all.get(), b.threads};
#ifdef __SANITIZE_THREAD__
  b.scheduler.fiber = __tsan_get_current_fiber();
#endif
  for (size_t i = 0; i < b.threads; ++i) {
    Fiber& f = b.fibers[i];
    if (std::exchange(f.state, State::Ready) == State::Done) continue;
    // The fiber has not run yet, or it ended in the middle of the kernel.
    begin_anew(f.stack);
    ucontext_t& c = f.stack.context;
    getcontext(&c);
    c.uc_stack.ss_sp = stack_of(i);
    c.uc_stack.ss_size = stack_bytes;
    c.uc_link = nullptr;
    makecontext(&c, run_fiber, 0);
#ifdef __SANITIZE_THREAD__
    f.stack.fiber = fiber_of(i);
#endif
  }
  for (;;) {
    for (b.thread = 0; b.thread < b.threads; ++b.thread)
      if (b.fibers[b.thread].state == State::Ready) go(b.scheduler, b.fibers[b.thread].stack);
    bool goes_on = false, waits = false;
    for (size_t w = 0; w < b.threads; w += warp)
      goes_on = exchange(b, w, std::min<size_t>(w + warp, b.threads)) || goes_on;
    goes_on = goes_on || pass_barrier(b);
    for (const Fiber& f : b.fibers)
      waits = waits || (f.state != State::Done && f.state != State::Exited);
    if (!waits) return;
    if (!goes_on) {
      b.blame("its threads wait for one another");
      return;
    }
  }
}

// ---- invalid addresses

// The place at which this thread continues after its kernel has accessed an invalid address. It is
// null while no kernel runs on the thread.
thread_local sigjmp_buf* way_out = nullptr;

// While a kernel runs, SIGSEGV and SIGBUS of its thread end the kernel. For other threads the
// previous handlers run. The sanitizers cannot report such an address, because they do not know the
// device's memory.
class Guarded {
 public:
  Guarded() {
    stack_t there = {};
    sigaltstack(nullptr, &there);
    // Fibers have small stacks, which the kernel may have exhausted.
    if (there.ss_flags & SS_DISABLE) {
      thread_local std::vector<std::byte> memory(64 << 10);
      stack_t mine = {};
      mine.ss_sp = memory.data();
      mine.ss_size = memory.size();
      sigaltstack(&mine, nullptr);
    }
    struct sigaction a = {};
    a.sa_sigaction = handle;
    a.sa_flags = SA_SIGINFO | SA_ONSTACK;
    for (size_t i = 0; i < 2; ++i) sigaction(signals[i], &a, &before[i]);
  }
  ~Guarded() {
    way_out = nullptr;
    for (size_t i = 0; i < 2; ++i) sigaction(signals[i], &before[i], nullptr);
  }
  Guarded(const Guarded&) = delete;

 private:
  static void handle(int signal, siginfo_t*, void*) {
    if (!way_out) {  // the signal is raised again when this returns
      for (size_t i = 0; i < 2; ++i) sigaction(signals[i], &before[i], nullptr);
      return;
    }
#ifdef __SANITIZE_THREAD__
    if (running->scheduler.fiber) __tsan_switch_to_fiber(running->scheduler.fiber, 0);
#endif
    siglongjmp(*way_out, signal);
  }
  static constexpr int signals[] = {SIGSEGV, SIGBUS};
  // One set is enough because kernels run one after another.
  static inline struct sigaction before[2];
};

// ---- modules

llvm::orc::LLJIT& jit() {
  static auto& j = *[] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    auto host = llvm::cantFail(llvm::orc::JITTargetMachineBuilder::detectHost());
    host.getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
    host.setCodeGenOptLevel(llvm::CodeGenOptLevel::Less);
    host.setRelocationModel(llvm::Reloc::PIC_);
    host.setCodeModel(llvm::CodeModel::Small);
    // No unwind information is registered, since nothing unwinds through kernels.
    auto made = llvm::cantFail(
        llvm::orc::LLJITBuilder()
            .setJITTargetMachineBuilder(std::move(host))
            .setObjectLinkingLayerCreator([](llvm::orc::ExecutionSession& s, const llvm::Triple&) {
              return std::make_unique<llvm::orc::ObjectLinkingLayer>(s);
            })
            .create());
    made->getExecutionSession().setErrorReporter(
        [](llvm::Error e) { llvm::consumeError(std::move(e)); });
    return made.release();
  }();
  return j;
}

// The functions that kernels may call are in their own library.
llvm::orc::JITDylib& calls() {
  static auto& library = [&]() -> llvm::orc::JITDylib& {
    auto& s = jit().getExecutionSession();
    auto& l = s.createBareJITDylib("calls");
    llvm::orc::SymbolMap symbols;
    const auto add = [&](const char* name, auto* f) {
      symbols[jit().mangleAndIntern(name)] = {
          llvm::orc::ExecutorAddr::fromPtr(f),
          llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
    };
    add("weft_emulated_block_index", block_index);
    add("weft_emulated_thread_index", thread_index);
    add("weft_emulated_barrier", barrier);
    add("weft_emulated_barrier_and", barrier_and);
    add("weft_emulated_shuffle", shuffle);
    add("weft_emulated_ballot", ballot);
    add("weft_emulated_ldmatrix", ldmatrix);
    add("weft_emulated_mma", add_products);
    add("weft_emulated_exit", exit_thread);
    add("cudaGraphSetConditional", set_condition);
    add("weft_emulated_shared", shared);
    weft::compiler::for_each_library_function(add);
    llvm::cantFail(l.define(llvm::orc::absoluteSymbols(std::move(symbols))));
    return l;
  }();
  return library;
}

// Returns how many arguments a kernel reads, because it gets only a pointer to their array.
size_t arguments_of(const llvm::Function& f, std::string* log) {
  const llvm::DataLayout& layout = f.getParent()->getDataLayout();
  size_t n = 0;
  for (const llvm::User* u : f.getArg(0)->users()) {
    int64_t at = 0;
    if (const auto* g = llvm::dyn_cast<llvm::GEPOperator>(u)) {
      llvm::APInt offset(64, 0);
      if (!g->accumulateConstantOffset(layout, offset))
        at = -1;
      else
        at = offset.getSExtValue();
    } else if (!llvm::isa<llvm::LoadInst>(u)) {
      at = -1;
    }
    if (at < 0 || at % 8) {
      *log = fmt::format("kernel '{}' reads its arguments otherwise than at constant places",
                         f.getName().str());
      return 0;
    }
    n = std::max(n, static_cast<size_t>(at / 8) + 1);
  }
  return n;
}

bool read_kernels(const llvm::Module& m, Compiled& c, std::string* log) {
  const auto used = [&](const char* name) {
    const llvm::Function* f = m.getFunction(name);
    return f && !f->use_empty();
  };
  const bool meets = used("weft_emulated_barrier") || used("weft_emulated_shuffle") ||
                     used("weft_emulated_ballot") || used("weft_emulated_mma");
  for (const llvm::Function& f : m) {
    if (f.isDeclaration() || f.hasLocalLinkage() || f.arg_size() != 1) continue;
    KernelCode k;
    k.name = f.getName().str();
    k.meets = meets;
    k.arguments = arguments_of(f, log);
    if (!log->empty()) return false;
    const llvm::Attribute a = f.getFnAttribute("weft-shared");
    if (a.isStringAttribute()) k.shared = std::stoll(a.getValueAsString().str());
    c.kernels[k.name] = k;
  }
  return true;
}

}  // namespace

struct Code {
  llvm::orc::JITDylib* library = nullptr;
  ~Code() {
    if (library) llvm::consumeError(jit().getExecutionSession().removeJITDylib(*library));
  }
};

namespace {
std::shared_ptr<const Compiled> compile_anew(const std::string& text, std::string* log) {
  auto context = std::make_unique<llvm::LLVMContext>();
  llvm::SMDiagnostic problem;
  auto module = llvm::parseIR(llvm::MemoryBufferRef(text, "image"), problem, *context);
  llvm::raw_string_ostream out(*log);
  if (!module) {
    problem.print("image", out, false);
    return {};
  }
  if (module->getDataLayout().isDefault()) module->setDataLayout(jit().getDataLayout());
  auto c = std::make_shared<Compiled>();
  if (llvm::verifyModule(*module, &out) || !read_kernels(*module, *c, log)) return {};
  const auto failed = [&](llvm::Error e) {
    if (!e) return false;
    *log = llvm::toString(std::move(e));
    return true;
  };
  static int number = 0;
  auto made = jit().getExecutionSession().createJITDylib(fmt::format("image{}", number++));
  if (!made) {
    failed(made.takeError());
    return {};
  }
  c->code = std::make_shared<Code>();
  c->code->library = &*made;
  made->addToLinkOrder(calls());
  if (failed(jit().addIRModule(*made, {std::move(module), std::move(context)}))) return {};
  for (auto& [name, k] : c->kernels) {
    auto found = jit().lookup(*made, name);
    if (!found) {
      failed(found.takeError());
      return {};
    }
    k.run = found->toPtr<void (*)(void**)>();
  }
  return c;
}
}  // namespace

// The last 32 are kept, like the cache of a real driver.
std::shared_ptr<const Compiled> compile_text(const std::string& text, std::string* log) {
  struct Kept {
    std::string text;
    std::shared_ptr<const Compiled> code;
  };
  static auto& kept = *new std::deque<Kept>;
  for (const Kept& k : kept)
    if (k.text == text) return k.code;
  auto c = compile_anew(text, log);
  if (c) kept.push_back({text, c});
  if (kept.size() > 32) kept.pop_front();
  return c;
}

Ran run_grid(const KernelCode& k, const std::vector<uint64_t>& arguments, unsigned blocks,
             unsigned threads, int64_t shared_bytes) {
  std::vector<uint64_t> values = arguments;
  std::vector<void*> places;
  for (uint64_t& v : values) places.push_back(&v);
  Block b;
  b.kernel = &k;
  b.arguments = places.data();
  b.threads = threads;
  b.shared_bytes = k.shared + shared_bytes;
  b.shared.resize(static_cast<size_t>(b.shared_bytes + 127) / 128);
  running = &b;
  const Guarded guarded;
  sigjmp_buf out;
  if (sigsetjmp(out, 1) != 0) {
    running = nullptr;
    return {b.wrong, true};
  }
  way_out = &out;
  for (b.index = 0; b.index < blocks; ++b.index) {
    // A block must not rely on the content that an earlier block has left in shared memory.
    if (b.shared_bytes) std::memset(b.shared.data(), 0xa5, static_cast<size_t>(b.shared_bytes));
    if (k.meets)
      run_fibers(b);
    else
      for (b.thread = 0; b.thread < threads; ++b.thread) k.run(b.arguments);
  }
  running = nullptr;
  return {b.wrong, false};
}

}  // namespace fake
