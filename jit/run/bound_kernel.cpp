// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/run/bound_kernel.cpp: checks a kernel against the memory of its variables, and builds its
// table of buffers.
#include "jit/run/bound_kernel.h"

#include <fmt/format.h>

#include "core/loops/nest_bounds.h"
#include "core/text/print.h"
#include "jit/emit/check/checked.h"
#include "weft/error.h"

namespace weft::compiler {
namespace {

// Describes variable v for errors: an argument, or the result of an equation.
std::string made_by(const JaxprData& j, int32_t v) {
  for (size_t e = 0; e < j.eqns.size(); ++e)
    if (v >= j.eqns[e].out && v < j.eqns[e].out + j.eqns[e].n_out) return equation_text(j, e);
  return fmt::format("{} (argument {})", program_type(j.types[v]), v);
}

void keep_to_memory(const nest::Kernel& k, const std::vector<KernelNest::Buffer>& buffers,
                    const std::vector<int64_t>& grid, const JaxprData& j) {
  nest::Binding b{grid, {}, {}};
  for (int64_t n : b.grid)
    if (n == 0) return;  // no point, no access
  for (const auto& x : buffers) {
    const Type& t = j.types[x.var];
    b.elements.push_back(t.elements() * components(t.dtype()));
  }
  const nest::OutOfBounds bad = nest::find_out_of_bounds(k, b);
  if (bad.access == nest::no_id) return;
  const nest::Inst& i = k.insts[bad.access];
  const bool buffer = i.op == nest::Opcode::Load || i.op == nest::Opcode::Store;
  throw InternalError(fmt::format("a kernel would leave its memory: it {}\n{}\n{}", bad.text,
                                  buffer ? made_by(j, buffers[i.imm].var) : "an array of its lanes",
                                  print(k)));
}

}  // namespace

BoundKernel::BoundKernel(KernelNest nest, Schedule schedule, const JaxprData& j)
    : kernel_(std::move(nest.kernel)),
      schedule_(std::move(schedule)),
      target_(current_target()),
      buffers_(std::move(nest.buffers)) {
  keep_to_memory(kernel_, buffers_, nest.grid, j);
  for (const auto& b : buffers_) (b.written ? written_ : read_) += j.types[b.var].bytes();
  if (target_.device) {
    std::string made;
    for (const auto& b : buffers_)
      if (b.written && made.empty()) made = made_by(j, b.var);
    gpu_ = std::make_unique<GpuLaunch>(static_cast<cuda::Device&>(*target_.device),
                                       std::move(nest.grid), "the kernel of " + made);
    return;
  }
  if (!target_.checked) return;
  for (const auto& b : buffers_) {
    bytes_.push_back(j.types[b.var].bytes());
    names_.push_back(made_by(j, b.var));
  }
}

// Nothing is compiled for a GPU that is not present: its programs are only inspected.
void BoundKernel::compile() {
  if (gpu_)
    gpu_->compile(kernel_, schedule_, target_);
  else if (!target_.gpu())
    code_ = compiler::compile(kernel_, schedule_, target_, target_.checked);
  else
    return;
  kernel_ = {};  // the code keeps one for all its users
  schedule_ = {};
}

int64_t BoundKernel::code_bytes() const {
  return code_ ? code_->bytes() : gpu_ && gpu_->code() ? gpu_->code()->bytes : 0;
}
long BoundKernel::code_users() const {
  return code_ ? code_.use_count() : gpu_ && gpu_->code() ? gpu_->code().use_count() : 0;
}

std::string BoundKernel::describe() const {
  std::string choices = to_string(schedule());
  choices.pop_back();
  for (size_t at; (at = choices.find('\n')) != choices.npos;) choices.replace(at, 1, ", ");
  std::string s = fmt::format("schedule {}: {}", nest_hash(kernel()), choices);
  if (gpu_)
    s += fmt::format("; {}, reads {} bytes, writes {} bytes; {}", gpu_->shape(), read_, written_,
                     gpu_->describe());
  return s;
}

BoundKernel::Run::Run(const BoundKernel& k, void* const* ptrs, const int32_t* stop) : k_(k) {
  const size_t n = k.buffers_.size();
  if (n > few) {
    many_.resize(n + 1);
    table_ = many_.data();
  }
  table_[0] = const_cast<int32_t*>(stop);
  for (size_t i = 0; i < n; ++i) table_[i + 1] = ptrs[k.buffers_[i].var];
}

void BoundKernel::Run::run_range_checked(const int64_t (&range)[4]) const {
  Checked c;
  c.bytes = k_.bytes_.data();
  const int64_t extents[] = {reinterpret_cast<int64_t>(&c)};
  k_.code_->run(table_ + 1, extents, range);
  if (!c.failed) return;
  throw InternalError(fmt::format(
      "a kernel was about to access {} bytes at byte {} of {} of\n{}\nin element {} of a vector of "
      "points. The vector begins at point {} of the last grid axis and {} of the others (-1: none, "
      "or any order)\n{}",
      c.size, c.offset, c.memory_bytes,
      c.buffer < 0 ? "an array of its lanes" : k_.names_[static_cast<size_t>(c.buffer)], c.element,
      c.point[1], c.point[0], print(k_.kernel())));
}

}  // namespace weft::compiler
