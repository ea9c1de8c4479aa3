// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/code_order.cpp: sorts kernels by the time that LLVM takes for them.
#include "jit/code_order.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "core/hash.h"

namespace weft::compiler {
namespace {

struct Job {
  size_t instructions = 0, hash = 0;  // equal kernels have equal ones
  size_t at = 0;
  bool same_code(const Job& o) const { return instructions == o.instructions && hash == o.hash; }
};

Job job_of(const nest::Kernel* k, size_t at) {
  Job job{.at = at};
  if (!k) return job;
  for (const nest::Block& b : k->blocks) job.instructions += b.body.size();
  for (const nest::Inst& i : k->insts)
    job.hash = mix_hash(job.hash, hash_fields(i.op, i.kind, i.imm, i.args));
  return job;
}

}  // namespace

std::vector<size_t> code_order(const std::vector<const nest::Kernel*>& kernels) {
  std::vector<Job> jobs;
  for (size_t k = 0; k < kernels.size(); ++k) jobs.push_back(job_of(kernels[k], k));
  std::ranges::stable_sort(jobs, std::greater(),
                           [](const Job& j) { return std::pair(j.instructions, j.hash); });
  std::vector<size_t> order, again;
  for (size_t k = 0; k < jobs.size(); ++k)
    (k > 0 && jobs[k].same_code(jobs[k - 1]) ? again : order).push_back(jobs[k].at);
  order.insert(order.end(), again.begin(), again.end());
  return order;
}

}  // namespace weft::compiler
