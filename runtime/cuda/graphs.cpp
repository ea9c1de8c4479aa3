// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// runtime/cuda/graphs.cpp: graphs of a GPU: built node by node, launched as one, destroyed when
// their last owner releases them.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

#include "runtime/cuda/gpu.h"
#include "weft/error.h"

namespace weft::cuda {
namespace {

Address address(const void* p) { return std::bit_cast<Address>(p); }

class RecordedGraph final : public Graph {
 public:
  explicit RecordedGraph(Gpu& g) : gpu(g), last_launch(g.last_ended()) {}
  ~RecordedGraph() override {
    if (exec)
      gpu.retire({.exec = exec,
                  .last_launch = last_launch,
                  .kernels = std::move(kernels),
                  .what = std::move(what)});
  }
  Gpu& gpu;
  GraphExecHandle exec = nullptr;
  std::shared_ptr<const std::string> what;  // names of its kernels for errors
  std::vector<Launch::Use> uses;            // one for each address
  mutable std::atomic<uint32_t> last_launch;
  std::vector<std::shared_ptr<const Function>> kernels;  // kept as long as the graph
};

// "'a' or 'b'": each name once; only the first 8 if there are more.
std::string one_of(const std::vector<const char*>& names) {
  constexpr size_t most = 8;
  std::vector<const char*> different;
  for (const char* n : names)
    if (std::find(different.begin(), different.end(), n) == different.end()) different.push_back(n);
  std::string s;
  for (size_t i = 0; i < std::min(most, different.size()); ++i)
    s += fmt::format("{}'{}'",
                     s.empty()                   ? ""
                     : i + 1 == different.size() ? " or "
                                                 : ", ",
                     different[i]);
  if (different.size() > most) s += fmt::format(" or one of {} others", different.size() - most);
  return s;
}

}  // namespace

// The nodes form a chain: each step of a program depends on the steps before it, and drivers launch
// chains fastest.
class Gpu::GraphRecorder final : public Launcher {
 public:
  explicit GraphRecorder(Gpu& g) : gpu_(g), graph_(std::make_shared<RecordedGraph>(g)) {
    gpu_.check(gpu_.driver_.graph_create(&whole_, 0), "cuGraphCreate");
    handle_ = whole_;
  }
  ~GraphRecorder() override { gpu_.retire({.graph = whole_, .last_launch = gpu_.last_ended()}); }

  void launch(const Function& f, const Launch& l, void** arguments, const char* what) override {
    if (!Gpu::has_blocks(l, what)) return;
    Result raised = success;
    {
      const std::lock_guard lock(gpu_.guard_);
      raised = gpu_.raise_shared_limit(f, l);
    }
    gpu_.check(raised, fmt::format("the graph's node of kernel '{}'", what));
    KernelNode n;
    n.kernel = Gpu::handle_of(f);
    n.blocks[0] = static_cast<unsigned>(l.blocks);
    n.threads[0] = static_cast<unsigned>(l.threads);
    n.shared = static_cast<unsigned>(l.shared);
    n.arguments = arguments;
    added(gpu_.driver_.graph_kernel(&node_, handle_, before(), n_before(), &n),
          "cuGraphAddKernelNode");
    for (const Launch::Use& u : l.uses) use(u.at, u.written);
    names_.push_back(what);
    graph_->kernels.push_back(f.shared_from_this());
  }
  void copy_within(void* to, const void* from, int64_t bytes) override {
    if (bytes == 0) return;
    CopyNode n;
    n.from.kind = n.to.kind = number::device_memory;
    n.from.at = address(from);
    n.to.at = address(to);
    n.bytes = static_cast<size_t>(bytes);
    added(gpu_.driver_.graph_copy(&node_, handle_, before(), n_before(), &n, gpu_.context_),
          "cuGraphAddMemcpyNode");
    use(from, false);
    use(to, true);
  }
  void clear(void* at, int64_t bytes) override {
    if (bytes == 0) return;
    SetNode n;
    n.at = address(at);
    n.elements = static_cast<size_t>(bytes);
    added(gpu_.driver_.graph_set(&node_, handle_, before(), n_before(), &n, gpu_.context_),
          "cuGraphAddMemsetNode");
    use(at, true);
  }
  // The condition is evaluated before the node and, for a loop, at the end of each trip.
  void conditional(bool again, const Condition& c, FunctionRef<void(Launcher&)> body) override {
    ConditionHandle condition = 0;
    gpu_.check(
        gpu_.driver_.condition_create(&condition, handle_, gpu_.context_, 0, number::set_at_launch),
        "cuGraphConditionalHandleCreate");
    const auto set = [&] {
      const int32_t* stop = gpu_.stop_word();
      Condition asked = c;
      void* arguments[] = {static_cast<void*>(&stop), &condition, static_cast<void*>(&asked.place),
                           &asked.branch, &asked.branches};
      const Launch::Use word[] = {{c.place, false}};
      launch(c.setter, {.uses = word}, arguments, "a condition");
    };
    set();
    ConditionalNode n;
    n.condition = condition;
    n.kind = again ? number::run_while : number::run_once_if;
    n.context = gpu_.context_;
    added(gpu_.driver_.graph_conditional(&node_, handle_, before(), n_before(), &n),
          "cuGraphAddNode");
    const auto outside =
        std::pair(std::exchange(handle_, n.bodies[0]), std::exchange(last_, nullptr));
    body(*this);
    if (again) set();
    std::tie(handle_, last_) = outside;
  }

  std::shared_ptr<const Graph> done() {
    gpu_.check(gpu_.driver_.graph_instantiate(&graph_->exec, whole_, 0),
               "cuGraphInstantiateWithFlags");
    graph_->what = std::make_shared<std::string>(one_of(names_));
    // A kernel that several nodes use is kept once.
    auto& k = graph_->kernels;
    std::sort(k.begin(), k.end());
    k.erase(std::unique(k.begin(), k.end()), k.end());
    return std::move(graph_);
  }

 private:
  const NodeHandle* before() const { return last_ ? &last_ : nullptr; }
  size_t n_before() const { return last_ ? 1 : 0; }
  void added(Result r, const char* entry) {
    gpu_.check(r, entry);
    last_ = node_;
  }
  void use(const void* at, bool written) {
    auto& all = graph_->uses;
    const auto it = std::find_if(all.begin(), all.end(), [&](const auto& u) { return u.at == at; });
    if (it == all.end())
      all.push_back({at, written});
    else
      it->written = it->written || written;
  }
  Gpu& gpu_;
  std::shared_ptr<RecordedGraph> graph_;
  // The graph, and the graph to which nodes are added.
  GraphHandle whole_ = nullptr, handle_ = nullptr;
  NodeHandle last_ = nullptr, node_ = nullptr;
  std::vector<const char*> names_;
};

// The stream has no conditional work: programs on it copy the condition to the host instead.
void Gpu::conditional(bool, const Condition&, FunctionRef<void(Launcher&)>) {
  throw InternalError(
      "work that depends on a condition of the device was launched without a graph");
}

std::shared_ptr<const Graph> Gpu::make_graph(FunctionRef<void(Launcher&)> record) {
  const CurrentContext current(*this);
  GraphRecorder recorder(*this);
  record(recorder);
  return recorder.done();
}

void Gpu::launch(const Graph& graph) {
  const auto& g = static_cast<const RecordedGraph&>(graph);
  const CurrentContext current(*this);
  Result launched = success, numbered = success;
  {
    const std::lock_guard lock(guard_);
    require_valid(g.uses);
    launched = driver_.graph_launch(g.exec, queue_);
    if (launched == success) {
      record_launch(g.what->c_str(), /*graph=*/true, g.uses);
      g.last_launch = launches_.last();
      numbered = queue_number(launches_.last());
    }
  }
  check(launched, "cuGraphLaunch");
  check(numbered, "the number of a graph");
}

}  // namespace weft::cuda
