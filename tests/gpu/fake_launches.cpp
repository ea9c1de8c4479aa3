// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/gpu/fake_launches.cpp: kernels and graphs of the emulated driver: launching them, and
// running the queued work.
#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "gpu/fake_calls.h"

using namespace weft::cuda;

namespace {

// Checks the arguments of a kernel. The test assumes that no number has the value of a device
// address.
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

// A kernel, its arguments, and its grid.
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

// Adds node `n` to the graph if its launch would be valid now.
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

// Runs the nodes. Among the ready nodes it runs the one that was added last, so that a missing edge
// shows.
void run_nodes(Device& d, const std::vector<std::shared_ptr<const NodeOf>>& nodes) {
  std::set<const NodeOf*> done;
  while (done.size() < nodes.size() && !d.context.fault) {
    const auto next = std::find_if(nodes.rbegin(), nodes.rend(), [&](const auto& n) {
      return !done.contains(n.get()) && std::all_of(n->after.begin(), n->after.end(),
                                                    [&](auto* a) { return done.contains(a); });
    });
    (*next)->run();
    done.insert(next->get());
  }
}
Result check_nodes(const std::vector<std::shared_ptr<const NodeOf>>& nodes) {
  for (const auto& n : nodes)
    if (const Result r = n->check()) return r;
  return success;
}

// The conditions that kernels may set, by their handles.
std::map<ConditionHandle, std::weak_ptr<ConditionOf>>& conditions() {
  static std::map<ConditionHandle, std::weak_ptr<ConditionOf>> all;
  return all;
}
std::shared_ptr<ConditionOf> condition_of(ConditionHandle h) {
  const auto it = conditions().find(h);
  return it == conditions().end() ? nullptr : it->second.lock();
}
void all_conditions(const GraphOf& g, std::vector<std::shared_ptr<ConditionOf>>* out) {
  out->insert(out->end(), g.conditions.begin(), g.conditions.end());
  for (const auto& body : g.bodies) all_conditions(*body, out);
}
void forget_bodies(Device& d, const GraphOf& g) {
  for (const auto& body : g.bodies) {
    forget_bodies(d, *body);
    d.graphs.erase(body.get());
  }
}

}  // namespace

void fake::set_condition(uint64_t handle, uint32_t value) {
  if (const auto c = condition_of(handle))
    c->value = value;
  else
    machine().complain("cudaGraphSetConditional: a condition that there is not");
}

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
  *made = new GraphExecOf{c.d->index, g->nodes, {}, 0};
  all_conditions(*g, &(*made)->conditions);
  for (const auto& condition : (*made)->conditions)
    if (!condition->has_node) {
      machine().complain("cuGraphInstantiateWithFlags: a condition of no node");
      delete std::exchange(*made, nullptr);
      return invalid_value;
    }
  c.d->execs.insert(*made);
  return success;
}
Result cuGraphLaunch(GraphExecHandle g, StreamHandle s) {
  const Call c("cuGraphLaunch", s);
  if (c.result) return c.result;
  if (!known(c, c.d->execs, g)) return invalid_handle;
  if (const Result r = check_nodes(g->nodes)) return r;
  ++g->queued;
  s->queue.push_back({[d = c.d, g] {
    --g->queued;
    for (const auto& condition : g->conditions) condition->value = condition->at_launch;
    run_nodes(*d, g->nodes);
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
  forget_bodies(*c.d, *g);
  c.d->graphs.erase(g);
  delete g;
  return success;
}

// ---- conditions

Result cuGraphConditionalHandleCreate(ConditionHandle* made, GraphHandle g, Context context,
                                      unsigned at_launch, unsigned flags) {
  const Call c("cuGraphConditionalHandleCreate");
  if (c.result) return c.result;
  if (!known(c, c.d->graphs, g)) return invalid_handle;
  if (flags != number::set_at_launch || context != &c.d->context) return invalid_value;
  static ConditionHandle last = 0;
  const auto condition = std::make_shared<ConditionOf>(ConditionOf{at_launch, at_launch});
  g->conditions.push_back(condition);
  conditions()[*made = ++last] = condition;
  return success;
}
Result cuGraphAddNode(NodeHandle* made, GraphHandle g, const NodeHandle* after, size_t n_after,
                      ConditionalNode* n) {
  const Call c("cuGraphAddNode");
  if (c.result) return c.result;
  if (!known(c, c.d->graphs, g)) return invalid_handle;
  const ConditionalNode plain;
  const auto condition = condition_of(n->condition);
  if (n->type != plain.type || std::memcmp(n->reserved, plain.reserved, sizeof n->reserved) != 0 ||
      std::memcmp(n->zeros, plain.zeros, sizeof n->zeros) != 0 || n->graphs != 1 ||
      (n->kind != number::run_once_if && n->kind != number::run_while) ||
      n->context != &c.d->context || !condition || condition->has_node)
    return invalid_value;
  condition->has_node = true;
  const auto body = std::make_shared<GraphOf>(GraphOf{c.d->index, {}});
  const auto node = std::make_shared<NodeOf>();
  node->check = [body] { return check_nodes(body->nodes); };
  node->run = [d = c.d, body, condition, again = n->kind == number::run_while] {
    while (condition->value && !d->context.fault) {
      run_nodes(*d, body->nodes);
      if (!again) break;
    }
  };
  const Result r = add_node(c, g, after, n_after, node, made);
  if (r) return r;
  g->bodies.push_back(body);
  c.d->graphs.insert(body.get());
  node->body = body.get();
  n->bodies = &node->body;
  return success;
}
}
#pragma GCC visibility pop
