// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/emit_grid.cpp: the function of a kernel and its loops over the grid. What is the same
// for all points is computed in front of the loops; the last axis runs in packs, its end under a
// mask.
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsNVPTX.h>
#include <llvm/IR/IntrinsicsX86.h>

#include <algorithm>

#include "weft/core/error.h"
#include "weft/jit/emit/emit.h"

namespace weft::compiler {

using nest::Id;
using nest::Inst;
using nest::Opcode;

namespace {
// Beyond this many instructions the masked loop serves whole packs too: half the code. Without mask
// registers masked loads of narrow types run lane by lane, so there it takes more.
constexpr int64_t most_written_twice = 48, most_without_masks = 1600;

// Whether most of the floating-point arithmetic is that of doubles, so that packs of half as many
// lanes fill the registers.
bool mostly_wide(const nest::Kernel& k) {
  int64_t wide = 0, narrow = 0;
  for (const nest::Block& b : k.blocks)
    for (Id v : b.body) {
      wide += k.insts[v].kind == nest::Kind::F64;
      narrow += k.insts[v].kind == nest::Kind::F32;
    }
  return wide > narrow;
}
}  // namespace

void Emitter::emit_cpu(const std::string& name, const Options& options) {
  auto* ptr = b_.getPtrTy();
  auto* type = llvm::FunctionType::get(b_.getVoidTy(), {ptr, ptr, ptr, ptr}, false);
  fn_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, m_);
  fn_->setDoesNotThrow();
  fn_->addParamAttr(3, llvm::Attribute::NoAlias);
  fn_->addFnAttr("prefer-vector-width", "512");
  if (machine_.lanes > 4 && mostly_wide(k_)) machine_.lanes /= 2;
  switch (k_.schedule.vector) {
    case nest::Schedule::Vector::none: divergence_ = analyse_divergence(k_, Mode::scalar); break;
    case nest::Schedule::Vector::grid:
      divergence_ = analyse_divergence(k_, k_.rank ? Mode::grid : Mode::scalar);
      break;
    case nest::Schedule::Vector::inner: divergence_ = analyse_divergence(k_, Mode::inner); break;
  }
  entry();
  if (options.checked) {
    checked_ = b_.CreateLoad(ptr, b_.CreateConstGEP1_64(b_.getInt64Ty(), fn_->getArg(1),
                                                        static_cast<uint64_t>(k_.extents)));
    addresses_ = stack(ptr, 64, "addresses");
  }
  V range[4] = {i64(0), i64(1), i64(0), i64(1)};
  for (int r = k_.rank == 2 ? 0 : 2; r < 4 && k_.rank; ++r)
    range[r] =
        b_.CreateLoad(b_.getInt64Ty(), b_.CreateConstGEP1_64(b_.getInt64Ty(), fn_->getArg(2), r));
  lanes_ = divergence_.mode == Mode::grid ? machine_.lanes : 1;
  const Id refill = plan_packs(options);
  find_next_rows();
  auto* run = block("run");
  const V some =
      b_.CreateAnd(b_.CreateICmpSLT(range[0], range[1]), b_.CreateICmpSLT(range[2], range[3]));
  b_.CreateCondBr(some, run, exit_);
  at(run);
  if (refill == nest::no_id)
    grid_rows(range[0], range[1], range[2], range[3]);
  else
    refill_grid(refill, range[0], range[1], range[2], range[3]);
  jump(exit_);
  if (options.checked) emit_checks();
}

// Arguments, and the frame: slots are made in the first block, whatever is being emitted.
void Emitter::entry() {
  auto* first = block("entry");
  auto* start = block("start");
  exit_ = block("exit");
  at(exit_);
  // Other threads see such stores only after a fence.
  const auto& buffers = k_.buffers;
  if (machine_.past_cache && std::any_of(buffers.begin(), buffers.end(),
                                         [](const nest::Buffer& b) { return b.past_cache; }))
    call(llvm::Intrinsic::x86_sse_sfence, {}, {});
  b_.CreateRetVoid();
  at(first);
  frame_ = b_.CreateBr(start);
  at(start);
  auto* ptr = b_.getPtrTy();
  for (size_t i = 0; i < k_.buffers.size(); ++i)
    buffers_.push_back(b_.CreateLoad(ptr, b_.CreateConstGEP1_64(ptr, fn_->getArg(0), i)));
  for (int i = 0; i < k_.extents; ++i)
    extents_.push_back(
        b_.CreateLoad(b_.getInt64Ty(), b_.CreateConstGEP1_64(b_.getInt64Ty(), fn_->getArg(1), i)));
  if (any_inst(k_, 0, [](const Inst& i) { return is_structured(i.op) && i.op != Opcode::If; }) ||
      k_.schedule.vector != nest::Schedule::Vector::grid) {
    stop_ = b_.CreateLoad(ptr, b_.CreateGEP(ptr, fn_->getArg(0), i64(-1)));
    budget_ = stack(b_.getInt32Ty(), 1, "budget");
    b_.CreateStore(i32(3'000'000), budget_);
  }
}

void Emitter::emit_level(int level) {
  for (Id v : k_.blocks[0].body)
    if (divergence_.level[v] == level) emit_inst(v);
}

void Emitter::grid_rows(V outer_begin, V outer_end, V inner_begin, V inner_end) {
  emit_level(0);
  if (k_.rank < 2) return grid_row(inner_begin, inner_end);
  if (const int64_t rows = plan_tiles())
    return grid_tiles(rows, outer_begin, outer_end, inner_begin, inner_end);
  rows_one_by_one(outer_begin, outer_end, inner_begin, inner_end);
}

void Emitter::rows_one_by_one(V outer_begin, V outer_end, V inner_begin, V inner_end) {
  loop(
      outer_begin, outer_end, i64(1), {},
      [&](V row, const Vs&) {
        indices_[0] = row;
        emit_level(1);
        grid_row(inner_begin, inner_end);
        return Vs{};
      },
      "row");
}

void Emitter::grid_row(V begin, V end) {
  if (k_.rank == 0) return emit_points(nullptr, {});
  if (divergence_.mode == Mode::grid) return grid_points(begin, end);
  loop(
      begin, end, i64(1), {},
      [&](V i, const Vs&) {
        poll(weight(k_, 0));
        emit_points(i, {});
        return Vs{};
      },
      "point");
}

void Emitter::grid_points(V begin, V end) {
  const auto masked = [&](V from) {
    loop(
        from, end, i64(lanes_ * packs_), {},
        [&](V i, const Vs&) {
          Masks m;
          for (int p = 0; p < packs_; ++p)
            m.push_back(first_lanes(b_.CreateSub(end, b_.CreateAdd(i, i64(p * lanes_)))));
          emit_points(i, m);
          return Vs{};
        },
        "rest");
  };
  if (weight(k_, 0) > (machine_.mask_registers ? most_written_twice : most_without_masks))
    return masked(begin);
  const int step = lanes_ * packs_;
  const V whole = b_.CreateSub(end, i64(step - 1));
  const Loop l = loop(
      begin, whole, i64(step), {},
      [&](V i, const Vs&) {
        emit_points(i, {});
        return Vs{};
      },
      "pack");
  few_lanes_left_ = packs_ == 1;
  packs_ = 1;
  masked(l.index);
}

void Emitter::emit_points(V begin, const Masks& m) {
  if (k_.rank) indices_[k_.rank - 1] = begin;
  note_point(k_.rank == 2 ? indices_[0] : nullptr, k_.rank ? begin : nullptr);
  active_ = with_point_ = m;
  unroll_left_ = most_unrolled;
  emit_level(2);
  active_.clear();
  with_point_.clear();
}

// One thread a point, the last axis fastest, so that neighbouring threads touch neighbours.
void Emitter::emit_gpu(const std::string& name) {
  auto* ptr = llvm::PointerType::get(c_, 1);
  std::vector<llvm::Type*> params(k_.buffers.size(), ptr);
  params.insert(params.end(), k_.extents + k_.rank, b_.getInt64Ty());
  fn_ = llvm::Function::Create(llvm::FunctionType::get(b_.getVoidTy(), params, false),
                               llvm::Function::ExternalLinkage, name, m_);
  fn_->setCallingConv(llvm::CallingConv::PTX_Kernel);
  fn_->setDoesNotThrow();
  auto* node =
      llvm::MDNode::get(c_, {llvm::ConstantAsMetadata::get(fn_), llvm::MDString::get(c_, "kernel"),
                             llvm::ConstantAsMetadata::get(b_.getInt32(1))});
  m_.getOrInsertNamedMetadata("nvvm.annotations")->addOperand(node);
  divergence_ = analyse_divergence(k_, Mode::scalar);
  auto* first = block("entry");
  auto* start = block("start");
  exit_ = block("exit");
  at(exit_);
  b_.CreateRetVoid();
  at(first);
  frame_ = b_.CreateBr(start);
  at(start);
  size_t arg = 0;
  for (size_t i = 0; i < k_.buffers.size(); ++i) buffers_.push_back(fn_->getArg(arg++));
  for (int i = 0; i < k_.extents; ++i) extents_.push_back(fn_->getArg(arg++));
  const auto special = [&](llvm::Intrinsic::ID id) {
    return b_.CreateZExt(call(id, {}, {}), b_.getInt64Ty());
  };
  const V block_start = b_.CreateMul(special(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x),
                                     special(llvm::Intrinsic::nvvm_read_ptx_sreg_ntid_x));
  const V thread = b_.CreateAdd(block_start, special(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x));
  V points = i64(1);
  for (int r = 0; r < k_.rank; ++r) points = b_.CreateMul(points, fn_->getArg(arg + r));
  auto* run = block("run");
  b_.CreateCondBr(b_.CreateICmpULT(thread, points), run, exit_);
  at(run);
  if (k_.rank == 1) indices_[0] = thread;
  if (k_.rank == 2) {
    indices_[0] = b_.CreateUDiv(thread, fn_->getArg(arg + 1));
    indices_[1] = b_.CreateSub(thread, b_.CreateMul(indices_[0], fn_->getArg(arg + 1)));
  }
  for (int level = 0; level < 3; ++level) emit_level(level);
  jump(exit_);
}

}  // namespace weft::compiler
