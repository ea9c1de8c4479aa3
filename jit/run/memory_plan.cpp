// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/run/memory_plan.cpp: puts results into operands' memory, and temporaries into an arena and
// donated inputs.
#include "jit/run/memory_plan.h"

#include <algorithm>
#include <set>

#include "runtime/red_zones.h"

namespace weft::compiler {
namespace {

struct Live {
  int64_t at, size;
  int until;
};

class Planner {
 public:
  Planner(const JaxprData& j, const std::vector<StepUse>& steps, const std::vector<bool>* donated)
      : j_(j),
        steps_(steps),
        donated_(donated),
        first_(j.types.size(), -1),
        last_(j.types.size(), -1),
        last_read_(j.types.size(), -1),
        results_(j.types.size(), 0) {
    for (size_t s = 0; s < steps.size(); ++s) {
      for (int32_t v : steps[s].writes) {
        if (first_[v] < 0) first_[v] = static_cast<int>(s);
        last_[v] = static_cast<int>(s);
      }
      for (int32_t v : steps[s].reads) last_[v] = last_read_[v] = static_cast<int>(s);
    }
    for (Atom a : j.out)
      if (!a.is_literal()) ++results_[a.index];
    plan_.aliased_result.assign(j.types.size(), -1);
    plan_.slot.resize(j.types.size());
    plan_.in_place.assign(j.out.size(), -1);
    plan_.may_alias.assign(j.out.size(), -1);
    plan_.overwritten.assign(j.n_in, false);
    heads_.assign(j.out.size(), -1);
  }
  MemoryPlan plan() {
    for (size_t k = 0; k < j_.out.size(); ++k) share_places(k);
    for (size_t k = 0; donated_ && k < j_.out.size(); ++k) reuse_read(k);
    if (!donated_) alias_inputs();
    place_temporaries();
    return std::move(plan_);
  }

 private:
  int64_t bytes(int32_t v) const { return j_.types[v].bytes(); }
  bool alone(size_t k) const {
    return !j_.out[k].is_literal() && results_[j_.out[k].index] == 1 && j_.out[k].index >= j_.n_in;
  }
  // Returns true for an input that is not yet overwritten.
  bool free(int32_t u) const {
    return results_[u] == 0 && !plan_.overwritten[u] && (!donated_ || (*donated_)[u]);
  }
  // Returns true if step s is the last that reads u, and reads it as a single operand.
  bool ends(int32_t u, int s) const {
    const auto& in = steps_[s].reads;
    return last_read_[u] == s && results_[u] == 0 && std::count(in.begin(), in.end(), u) == 1;
  }
  // Returns the operand whose memory v may share in the step that writes v, or -1.
  int32_t aliased_operand(int32_t v, const StepUse::Pairs& pairs) const {
    for (const auto& [written, u] : pairs) {
      if (written != v || !ends(u, first_[v])) continue;
      if (u < j_.n_in ? free(u) : plan_.aliased_result[u] < 0) return u;
    }
    return -1;
  }
  // Walks from a result back through the steps that may write it into an operand's memory. It stops
  // at an operand that has other or later readers.
  void share_places(size_t k) {
    if (!alone(k)) return;
    for (int32_t v = j_.out[k].index;;) {
      heads_[k] = v;
      const int s = first_[v];
      if (s < 0) return;
      int32_t u = aliased_operand(v, steps_[s].in_place);
      if (u < 0 && donated_) {
        u = aliased_operand(v, steps_[s].may_alias);
        // The memory of a donated input is there already, that of a temporary is not.
        if (u >= j_.n_in && reuse_read(k)) return;
      }
      if (u < 0) return;
      if (u < j_.n_in) return take(k, u);
      plan_.aliased_result[u] = j_.out[k].index;
      v = u;
    }
  }
  void take(size_t k, int32_t u) {
    plan_.in_place[k] = u;
    plan_.overwritten[u] = true;
  }
  // Takes a donated input, if there is one whose last read precedes the first write of the result
  // and which has about its size. A much larger input would stay allocated for a small result.
  bool reuse_read(size_t k) {
    if (!alone(k) || plan_.in_place[k] >= 0 || first_[heads_[k]] < 0) return false;
    const int64_t need = bytes(j_.out[k].index);
    for (int32_t u = 0; u < j_.n_in; ++u)
      if (free(u) && bytes(u) >= need && bytes(u) - bytes(u) / 8 <= need &&
          last_read_[u] < first_[heads_[k]])
        return take(k, u), true;
    return false;
  }
  // For callers that can give up an input.
  void alias_inputs() {
    for (size_t k = 0; k < j_.out.size(); ++k) {
      if (!alone(k) || plan_.in_place[k] >= 0 || heads_[k] != j_.out[k].index) continue;
      const int s = first_[heads_[k]];
      const int32_t u = s < 0 ? -1 : aliased_operand(heads_[k], steps_[s].may_alias);
      if (u < 0 || u >= j_.n_in) continue;
      plan_.may_alias[k] = u;
      plan_.overwritten[u] = true;
    }
    plan_.overwritten.assign(plan_.overwritten.size(), false);
  }
  // Returns the largest workspace of the steps that run while v is live.
  int64_t workspace_while_live(int32_t v) const {
    int64_t most = 0;
    for (const auto& [step, bytes] : workspaces_)
      if (step >= first_[v] && step <= last_[v]) most = std::max(most, bytes);
    return most;
  }
  // Places by first fit: a temporary is live from the step that writes it to the last one that
  // reads it.
  void place_temporaries() {
    in_input_.resize(j_.n_in);
    for (size_t s = 0; s < steps_.size(); ++s)
      if (const int64_t bytes = steps_[s].workspace) {
        workspaces_.emplace_back(static_cast<int>(s), padded_bytes(bytes));
        plan_.arena = std::max(plan_.arena, padded_bytes(bytes));
      }
    for (size_t s = 0; s < steps_.size(); ++s)
      for (int32_t v : steps_[s].writes) {
        if (results_[v] || plan_.aliased_result[v] >= 0 || first_[v] != static_cast<int>(s) ||
            plan_.slot[v].at >= 0)
          continue;
        plan_.has_slots = true;
        if (place_in_operand(v) || (donated_ && place_in_input(v))) continue;
        const int64_t size = padded_bytes(bytes(v));
        const int64_t at = fit(in_arena_, v, workspace_while_live(v), size, INT64_MAX);
        plan_.slot[v] = {-1, at};
        plan_.arena = std::max(plan_.arena, at + size);
      }
  }
  // Updates a temporary in place: v takes its slot. The slot stays above the workspaces.
  bool place_in_operand(int32_t v) {
    const int32_t u = aliased_operand(v, steps_[first_[v]].in_place);
    if (u < 0 || plan_.slot[u].at < 0 || last_[u] != first_[v] || updated_.contains(u) ||
        bytes(u) != bytes(v))
      return false;
    const MemoryPlan::Slot slot = plan_.slot[u];
    if (slot.input < 0 && slot.at < workspace_while_live(v)) return false;
    if (slot.input >= 0 && last_read_[slot.input] >= first_[v]) return false;
    std::vector<Live>& live = slot.input < 0 ? in_arena_ : in_input_[slot.input];
    for (Live& l : live)
      if (l.at == slot.at && l.until == last_[u]) l.until = last_[v];
    updated_.insert(u);
    plan_.slot[v] = slot;
    return true;
  }
  bool place_in_input(int32_t v) {
    for (int32_t u = 0; u < j_.n_in; ++u) {
      const bool taken_by_result =
          std::find(plan_.in_place.begin(), plan_.in_place.end(), u) != plan_.in_place.end();
      if (!(*donated_)[u] || results_[u] || taken_by_result || last_read_[u] >= first_[v]) continue;
      const int64_t at = fit(in_input_[u], v, 0, padded_bytes(bytes(v)) - red_zone, bytes(u));
      if (at < 0) continue;
      plan_.slot[v] = {u, at};
      plan_.overwritten[u] = true;
      return true;
    }
    return false;
  }
  // Returns the first offset from `at` on where v fits among the values that are then live, or -1
  // if there is no room.
  int64_t fit(std::vector<Live>& live, int32_t v, int64_t at, int64_t size, int64_t end) const {
    const int now = first_[v];
    std::erase_if(live, [&](const Live& l) { return l.until < now; });
    std::sort(live.begin(), live.end(), [](const Live& a, const Live& b) { return a.at < b.at; });
    for (const Live& l : live) {
      if (l.at - at >= size) break;
      at = std::max(at, l.at + l.size);
    }
    if (at > end - bytes(v)) return -1;
    live.push_back({at, size, last_[v]});
    return at;
  }

  const JaxprData& j_;
  const std::vector<StepUse>& steps_;
  const std::vector<bool>* donated_;  // null: none
  // By variable: the first step that writes it, and the last that reads or writes it.
  std::vector<int> first_, last_;
  std::vector<int> last_read_;
  std::vector<int> results_;    // how often it is a result
  std::vector<int32_t> heads_;  // by result: the first variable that is written to its memory
  std::vector<std::pair<int, int64_t>> workspaces_;  // of the steps that need one, in order
  std::set<int32_t> updated_;                        // temporaries whose slot another one has taken
  std::vector<Live> in_arena_;
  std::vector<std::vector<Live>> in_input_;
  MemoryPlan plan_;
};

}  // namespace

MemoryPlan plan_memory(const JaxprData& j, const std::vector<StepUse>& steps) {
  return Planner(j, steps, nullptr).plan();
}
MemoryPlan plan_memory(const JaxprData& j, const std::vector<StepUse>& steps,
                       const std::vector<bool>& donated) {
  return Planner(j, steps, &donated).plan();
}

}  // namespace weft::compiler
