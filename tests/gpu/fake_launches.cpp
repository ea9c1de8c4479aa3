// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/gpu/fake_launches.cpp: kernels and graphs of the emulated driver: what launches them, and
// what runs when the queue is worked off.
#include <algorithm>
#include <bit>
#include <cstring>

#include "gpu/fake_calls.h"

using namespace weft::cuda;

namespace {

// What a kernel may not be given: numbers do not look like addresses of the device.
bool good_arguments(Device& d, const std::string& kernel, const std::vector<uint64_t>& arguments) {
  for (const auto& other : machine().devices)
    if (other.get() != &d)
      for (const uint64_t a : arguments)
        if (other->memory->contains(a)) {
          machine().complain(fmt::format("kernel '{}': memory of another device", kernel));
          return false;
        }
  return std::all_of(arguments.begin(), arguments.end(), [&](uint64_t a) {
    return !d.memory->contains(a) ||
           machine().is_inside(fmt::format("kernel '{}'", kernel).c_str(), d, a, 1);
  });
}

void run_kernel(Device& d, KernelOf& k, const std::vector<uint64_t>& arguments, unsigned blocks,
                unsigned threads, unsigned shared) {
  if (const Result r = machine().enter("kernel", &d)) {
    d.context.fault = r;
    return;
  }
  const fake::Ran ran = fake::run_grid(*k.code, arguments, blocks, threads, shared);
  if (ran.illegal) d.context.fault = illegal_address;
  if (ran.wrong.empty()) return;
  machine().complain(ran.wrong);
  d.context.fault = launch_failed;
}

// A kernel, what it gets, and its grid.
struct Grid {
  KernelOf* kernel = nullptr;
  std::vector<uint64_t> arguments;
  unsigned blocks = 1, threads = 1, shared = 0;
  bool is_possible() const {
    return blocks && threads && threads <= 1024 &&
           static_cast<int64_t>(shared) + kernel->code->shared <= kernel->dynamic_shared;
  }
  void read(void** from) {
    arguments.resize(kernel->code->arguments);
    for (size_t i = 0; i < arguments.size(); ++i) std::memcpy(&arguments[i], from[i], 8);
  }
  bool has_good_arguments(Device& d) const {
    return good_arguments(d, kernel->code->name, arguments);
  }
  void run(Device& d) const { run_kernel(d, *kernel, arguments, blocks, threads, shared); }
};

// Adds a node that is what `n` says, if it could be launched now.
Result add_node(const Call& c, GraphOf* g, const NodeHandle* after, size_t n_after,
                const std::shared_ptr<NodeOf>& n, NodeHandle* made) {
  if (!known(c, c.d->graphs, g)) return invalid_handle;
  for (size_t i = 0; i < n_after; ++i) {
    const auto is = [&](const auto& other) { return other.get() == after[i]; };
    if (std::none_of(g->nodes.begin(), g->nodes.end(), is)) {
      machine().complain(fmt::format("{}: a node that is none of the graph", c.entry));
      return invalid_value;
    }
    n->after.push_back(after[i]);
  }
  if (const Result r = n->check()) return r;
  g->nodes.push_back(n);
  *made = n.get();
  return success;
}

// Of those that may run now the one that was added last, so that what lacks an edge shows.
void run_nodes(Device& d, const GraphExecOf& g) {
  std::set<const NodeOf*> done;
  while (done.size() < g.nodes.size() && !d.context.fault) {
    const auto next = std::find_if(g.nodes.rbegin(), g.nodes.rend(), [&](const auto& n) {
      return !done.contains(n.get()) && std::all_of(n->after.begin(), n->after.end(),
                                                    [&](auto* a) { return done.contains(a); });
    });
    (*next)->run();
    done.insert(next->get());
  }
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

Result cuLaunchKernel(KernelHandle k, unsigned x, unsigned y, unsigned z, unsigned threads,
                      unsigned threads_y, unsigned threads_z, unsigned shared, StreamHandle s,
                      void** arguments, void** extra) {
  const Call c("cuLaunchKernel", s);
  if (c.result) return c.result;
  if (!known(c, c.d->modules, k->module)) return invalid_handle;
  Grid g{k, {}, x, threads, shared};
  if (!g.is_possible() || y != 1 || z != 1 || threads_y != 1 || threads_z != 1 || extra)
    return invalid_value;
  g.read(arguments);
  if (!g.has_good_arguments(*c.d)) return invalid_value;
  ++k->module->queued;
  s->queue.push_back({[d = c.d, g] {
    --g.kernel->module->queued;
    g.run(*d);
  }});
  return success;
}

// ---- graphs

Result cuGraphCreate(GraphHandle* g, unsigned flags) {
  const Call c("cuGraphCreate");
  if (c.result) return c.result;
  if (flags) return invalid_value;
  *g = new GraphOf{c.d->index, {}};
  c.d->graphs.insert(*g);
  return success;
}
Result cuGraphAddKernelNode(NodeHandle* made, GraphHandle g, const NodeHandle* after,
                            size_t n_after, const KernelNode* n) {
  const Call c("cuGraphAddKernelNode");
  if (c.result) return c.result;
  if (!known(c, c.d->modules, n->kernel->module)) return invalid_handle;
  Grid grid{n->kernel, {}, n->blocks[0], n->threads[0], n->shared};
  if (!grid.is_possible() || n->blocks[1] != 1 || n->blocks[2] != 1 || n->threads[1] != 1 ||
      n->threads[2] != 1 || n->extra)
    return invalid_value;
  grid.read(n->arguments);
  const auto node = std::make_shared<NodeOf>();
  node->set_module(n->kernel->module);
  node->check = [d = c.d, grid] { return grid.has_good_arguments(*d) ? success : invalid_value; };
  node->run = [d = c.d, grid] { grid.run(*d); };
  return add_node(c, g, after, n_after, node, made);
}
Result cuGraphAddMemcpyNode(NodeHandle* made, GraphHandle g, const NodeHandle* after,
                            size_t n_after, const CopyNode* n, Context context) {
  const Call c("cuGraphAddMemcpyNode");
  if (c.result) return c.result;
  for (const CopyNode::End& e : {n->from, n->to})
    if (e.kind != number::device_memory || e.host || e.array || e.reserved || e.x || e.y || e.z)
      return invalid_value;
  if (n->rows != 1 || n->depth != 1 || !n->bytes || context != &c.d->context) return invalid_value;
  const Address from = n->from.at, to = n->to.at;
  const size_t bytes = n->bytes;
  const auto node = std::make_shared<NodeOf>();
  node->check = [d = c.d, from, to, bytes] {
    if (to < from + bytes && from < to + bytes)
      machine().complain("cuGraphAddMemcpyNode: what overlaps");
    return machine().is_inside("cuGraphAddMemcpyNode", *d, from, bytes) &&
                   machine().is_inside("cuGraphAddMemcpyNode", *d, to, bytes)
               ? success
               : invalid_value;
  };
  node->run = [from, to, bytes] {
    std::memmove(std::bit_cast<void*>(to), std::bit_cast<void*>(from), bytes);
  };
  return add_node(c, g, after, n_after, node, made);
}
Result cuGraphAddMemsetNode(NodeHandle* made, GraphHandle g, const NodeHandle* after,
                            size_t n_after, const SetNode* n, Context context) {
  const Call c("cuGraphAddMemsetNode");
  if (c.result) return c.result;
  if (n->rows != 1 || n->element_bytes != 1 || n->value > 255 || !n->elements ||
      context != &c.d->context)
    return invalid_value;
  const auto node = std::make_shared<NodeOf>();
  node->check = [d = c.d, n = *n] {
    return machine().is_inside("cuGraphAddMemsetNode", *d, n.at, n.elements) ? success
                                                                             : invalid_value;
  };
  node->run = [n = *n] {
    std::memset(std::bit_cast<void*>(n.at), static_cast<int>(n.value), n.elements);
  };
  return add_node(c, g, after, n_after, node, made);
}
Result cuGraphInstantiateWithFlags(GraphExecHandle* made, GraphHandle g, unsigned long long flags) {
  const Call c("cuGraphInstantiateWithFlags");
  if (c.result) return c.result;
  if (!known(c, c.d->graphs, g)) return invalid_handle;
  if (flags) return invalid_value;
  *made = new GraphExecOf{c.d->index, g->nodes, 0};
  c.d->execs.insert(*made);
  return success;
}
Result cuGraphLaunch(GraphExecHandle g, StreamHandle s) {
  const Call c("cuGraphLaunch", s);
  if (c.result) return c.result;
  if (!known(c, c.d->execs, g)) return invalid_handle;
  for (const auto& n : g->nodes)
    if (const Result r = n->check()) return r;
  ++g->queued;
  s->queue.push_back({[d = c.d, g] {
    --g->queued;
    run_nodes(*d, *g);
  }});
  return success;
}
Result cuGraphExecDestroy(GraphExecHandle g) {
  const Call c("cuGraphExecDestroy");
  if (c.result) return c.result;
  if (!known(c, c.d->execs, g)) return invalid_handle;
  if (g->queued) {
    machine().complain("cuGraphExecDestroy: a launch of it is under way");
    return invalid_value;
  }
  c.d->execs.erase(g);
  delete g;
  return success;
}
Result cuGraphDestroy(GraphHandle g) {
  const Call c("cuGraphDestroy");
  if (c.result) return c.result;
  if (!known(c, c.d->graphs, g)) return invalid_handle;
  c.d->graphs.erase(g);
  delete g;
  return success;
}
}
#pragma GCC visibility pop
