// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/check/access_checker.cpp: finds the accesses of a function and the memory of their
// addresses, and adds the tests.
#include "jit/emit/check/access_checker.h"

#include <fmt/format.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <algorithm>
#include <cstddef>

#include "jit/emit/check/checked.h"
#include "runtime/native/transpose.h"
#include "weft/error.h"

namespace weft::compiler {
namespace {

// Returns the pointer from which an address is computed.
V underlying_pointer(V address) {
  for (;;) {
    if (auto* gep = llvm::dyn_cast<llvm::GEPOperator>(address))
      address = gep->getPointerOperand();
    else if (auto* splat = llvm::dyn_cast<llvm::ShuffleVectorInst>(address))
      address = splat->getOperand(0);
    else if (auto* insert = llvm::dyn_cast<llvm::InsertElementInst>(address))
      address = insert->getOperand(1);
    else
      return address;
  }
}

struct Access {
  llvm::Instruction* at = nullptr;
  V address = nullptr;  // of the first element, or a vector of addresses
  llvm::Type* type = nullptr;
  V mask = nullptr;  // null: all elements
};

bool is_access(llvm::Instruction& i, Access* a) {
  if (V address = llvm::getLoadStorePointerOperand(&i)) {
    *a = {&i, address, llvm::getLoadStoreType(&i), nullptr};
    return true;
  }
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
  if (!call) return false;
  const auto arg = [&](unsigned n) { return call->getArgOperand(n); };
  switch (call->getIntrinsicID()) {
    case llvm::Intrinsic::masked_load:
    case llvm::Intrinsic::masked_gather: *a = {&i, arg(0), call->getType(), arg(2)}; return true;
    case llvm::Intrinsic::masked_store:
    case llvm::Intrinsic::masked_scatter: *a = {&i, arg(1), arg(0)->getType(), arg(3)}; return true;
    default:
      if (call->mayReadOrWriteMemory() && !call->onlyAccessesInaccessibleMemory() &&
          call->getIntrinsicID() != llvm::Intrinsic::prefetch &&
          call->getIntrinsicID() != llvm::Intrinsic::x86_sse_sfence)
        throw InternalError("a kernel accesses memory in a way that WEFT_CHECK does not know: " +
                            call->getCalledFunction()->getName().str());
      return false;
  }
}

// The memory of an address.
struct UnderlyingObject {
  int32_t buffer = 0;  // -1: a local array
  V base = nullptr, bytes = nullptr;
};

// The tests of one function.
class AccessTests {
 public:
  AccessTests(llvm::Function& function, const AccessChecker::Memory& memory,
              const std::string& kernel, V checked, V addresses)
      : function_(function),
        memory_(memory),
        kernel_(kernel),
        b_(function.getContext()),
        checked_(checked),
        addresses_(addresses) {}

  void run() {
    std::vector<Access> accesses;
    std::vector<llvm::CallInst*> calls, records;
    for (llvm::Instruction& i : llvm::instructions(function_)) {
      Access a;
      if (is_access(i, &a))
        accesses.push_back(a);
      else if (auto* c = llvm::dyn_cast<llvm::CallInst>(&i);
               c && c->getCalledFunction()->getName().starts_with(transpose_prefix))
        calls.push_back(c);
      else if (c && c->getCalledFunction()->getName().starts_with(record_prefix))
        records.push_back(c);
    }
    for (const Access& a : accesses) check_access(a.at, a.address, a.type, a.mask);
    for (llvm::CallInst* c : calls) {
      check_rows(c, 0);
      check_rows(c, 2);
    }
    for (llvm::CallInst* c : records) check_record(c);
  }

 private:
  V i64(int64_t v) { return b_.getInt64(static_cast<uint64_t>(v)); }
  V i32(int32_t v) { return b_.getInt32(static_cast<uint32_t>(v)); }
  // Calls a function of the library.
  V call(const std::string& name, llvm::ArrayRef<V> args) {
    llvm::SmallVector<llvm::Type*, 16> types;
    for (V a : args) types.push_back(a->getType());
    auto* type = llvm::FunctionType::get(b_.getInt32Ty(), types, false);
    return b_.CreateCall(function_.getParent()->getOrInsertFunction(name, type), args);
  }

  // Finds the memory of an address: the index of its buffer (-1: local arrays), its base and its
  // size. Returns false for memory that the caller passes (tables, flags) and for constants.
  bool underlying_object(V address, UnderlyingObject* object) {
    const V from = underlying_pointer(address);
    const auto buffer = std::find(memory_.buffers.begin(), memory_.buffers.end(), from);
    if (buffer != memory_.buffers.end()) {
      const auto n = buffer - memory_.buffers.begin();
      const V bytes = b_.CreateLoad(
          b_.getPtrTy(), b_.CreateConstGEP1_64(b_.getInt8Ty(), checked_, offsetof(Checked, bytes)));
      *object = {static_cast<int32_t>(n), from,
                 b_.CreateLoad(b_.getInt64Ty(), b_.CreateConstGEP1_64(b_.getInt64Ty(), bytes, n))};
      return true;
    }
    if (from == function_.getArg(3)) {
      *object = {-1, from, i64(memory_.scratch_bytes)};
      return true;
    }
    if (auto* array = llvm::dyn_cast<llvm::AllocaInst>(from)) {
      *object = {-1, from,
                 i64(static_cast<int64_t>(
                     array->getAllocationSize(function_.getDataLayout())->getFixedValue()))};
      return array != address;  // the first element always exists
    }
    const bool from_caller = from == function_.getArg(0) || from == function_.getArg(1) ||
                             from == function_.getArg(2) || from == memory_.stop_flag ||
                             from == checked_ || llvm::isa<llvm::Constant>(from);
    if (!from_caller)
      throw InternalError(
          fmt::format("WEFT_CHECK does not know what memory of kernel {} is accessed", kernel_));
    return false;
  }

  // Exits from the kernel before `at` if `bad` is not 0.
  void exit_if(V bad, llvm::Instruction* at) {
    auto* failed = llvm::SplitBlockAndInsertIfThen(b_.CreateICmpNE(bad, i32(0)), at->getIterator(),
                                                   /*Unreachable=*/true);
    llvm::BranchInst::Create(memory_.exit, failed->getIterator());
    failed->eraseFromParent();
  }

  void check_access(llvm::Instruction* at, V address, llvm::Type* t, V mask) {
    b_.SetInsertPoint(at);
    UnderlyingObject object;
    if (!underlying_object(address, &object)) return;
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(t);
    const unsigned elements = vector ? vector->getNumElements() : 1;
    llvm::Type* element = vector ? vector->getElementType() : t;
    const int64_t size = static_cast<int64_t>(function_.getDataLayout().getTypeStoreSize(element));
    V bits = llvm::ConstantInt::get(b_.getInt64Ty(),
                                    elements >= 64 ? UINT64_MAX : (uint64_t{1} << elements) - 1);
    if (mask) bits = b_.CreateZExt(b_.CreateBitCast(mask, b_.getIntNTy(elements)), b_.getInt64Ty());
    b_.CreateStore(address, addresses_);
    exit_if(call("weft_check_access", {checked_, i32(object.buffer), object.base, object.bytes,
                                       addresses_, bits, i32(static_cast<int32_t>(elements)),
                                       i64(size), i32(address->getType()->isVectorTy() ? 0 : 1)}),
            at);
  }

  // Tests a call that moves records, all elements together.
  void check_record(llvm::CallInst* moving) {
    b_.SetInsertPoint(moving);
    const llvm::StringRef name = moving->getCalledFunction()->getName();
    const bool stores = name.starts_with(record_prefix + std::string("store"));
    const V address = moving->getArgOperand(stores ? 0 : 1), elements = moving->getArgOperand(2);
    UnderlyingObject object;
    if (!underlying_object(address, &object)) return;
    const bool wide = name.contains("_8_4_") || name.contains("_8_8_");
    b_.CreateStore(address, addresses_);
    const V some = b_.CreateZExt(b_.CreateICmpNE(elements, i64(0)), b_.getInt64Ty());
    exit_if(call("weft_check_access",
                 {checked_, i32(object.buffer), object.base, object.bytes, addresses_, some, i32(1),
                  b_.CreateMul(elements, i64(wide ? 8 : 4)), i32(1)}),
            moving);
  }

  // Tests a call that moves rows. Argument `arg` is their memory, the next one their starts.
  void check_rows(llvm::CallInst* moving, unsigned arg) {
    b_.SetInsertPoint(moving);
    UnderlyingObject object;
    const V address = moving->getArgOperand(arg);
    if (!underlying_object(address, &object) || object.buffer < 0) return;
    const llvm::StringRef name = moving->getCalledFunction()->getName();
    int64_t bytes = 0, elements = 0;
    for (const int64_t b : {1, 2, 4, 8})
      for (const int l : {4, 8, 16})
        if (name == transpose_name(b, l)) bytes = b * l, elements = l;
    exit_if(call("weft_check_rows",
                 {checked_, i32(object.buffer), object.base, object.bytes, address,
                  moving->getArgOperand(arg + 1), i32(static_cast<int32_t>(elements)), i64(bytes)}),
            moving);
  }

  llvm::Function& function_;
  const AccessChecker::Memory& memory_;
  const std::string& kernel_;
  llvm::IRBuilder<> b_;
  V checked_, addresses_;
};

}  // namespace

void AccessChecker::record_point(llvm::IRBuilder<>& b, V outer, V inner) const {
  for (const auto& [axis, index] : {std::pair{0, outer}, {1, inner}})
    b.CreateStore(index ? index : b.getInt64(static_cast<uint64_t>(-1)),
                  b.CreateConstGEP1_64(
                      b.getInt8Ty(), checked_,
                      offsetof(Checked, point) + sizeof(int64_t) * static_cast<size_t>(axis)));
}

void AccessChecker::run(llvm::Function& function, const Memory& memory) const {
  AccessTests(function, memory, kernel_, checked_, addresses_).run();
}

}  // namespace weft::compiler
