// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/emit/compile/orc.cpp: passes, code generation and linking, with LLVM's ORC.
#include "jit/emit/compile/orc.h"

#include <fmt/format.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/ExecutionEngine/JITLink/JITLinkMemoryManager.h>
#include <llvm/ExecutionEngine/Orc/Core.h>
#include <llvm/ExecutionEngine/Orc/ExecutorProcessControl.h>
#include <llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/SmallVectorMemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Scalar.h>
#include <llvm/Transforms/Utils.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "jit/emit/check/checked.h"
#include "jit/emit/compile/depth_first.h"
#include "jit/emit/compile/fences.h"
#include "runtime/native/cold_paths.h"
#include "runtime/native/transpose.h"
#include "weft/error.h"

namespace weft::compiler {
namespace {

// A kernel of a long program has thousands of small blocks. LLVM's register allocator then searches
// them again for each value that it splits, up to a budget that is meant for one function. With a
// tenth of it, a step of brax compiles in 7 s instead of 22 and runs as fast. The option belongs to
// the process, and other users of LLVM in it compile the same code or similar code.
void limit_region_growth() {
  llvm::StringMap<llvm::cl::Option*>& options = llvm::cl::getRegisteredOptions();
  const auto budget = options.find("grow-region-complexity-budget");
  if (budget != options.end() && budget->second->getNumOccurrences() == 0)
    budget->second->addOccurrence(0, budget->first(), "1000");
}

void initialise_targets() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    limit_region_growth();
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
}

// The only session of the process. It is never destroyed, because destructors of statics may free
// code.
struct Session {
  llvm::orc::ExecutionSession session;
  llvm::orc::ObjectLinkingLayer linker;
  llvm::orc::JITDylib& library;

  static Session& get() {
    static Session& s = *new Session();
    return s;
  }

 private:
  Session()
      : session(llvm::cantFail(llvm::orc::SelfExecutorProcessControl::Create())),
        linker(session),
        library(session.createBareJITDylib("weft")) {
    session.setErrorReporter([](llvm::Error e) { llvm::consumeError(std::move(e)); });
    llvm::orc::SymbolMap symbols;
    const auto add = [&](const char* name, auto* f) {
      symbols[session.intern(name)] = {
          llvm::orc::ExecutorAddr::fromPtr(f),
          llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
    };
    for_each_library_function(add);
    for (const native::ColdPath& p : native::cold_paths()) add(p.name, p.run);
    for (const Transpose& t : transposes()) add(t.name.c_str(), t.run);
    for (const RecordCall& r : record_calls()) add(r.name.c_str(), r.run);
    add("weft_check_access", weft_check_access);
    add("weft_check_rows", weft_check_rows);
    llvm::cantFail(library.define(llvm::orc::absoluteSymbols(std::move(symbols))));
  }
};

void optimise(llvm::legacy::PassManager& passes, const llvm::Module& module) {
  bool frame = false;
  for (const auto& f : module)
    for (const auto& b : f)
      for (const auto& i : b) frame = frame || i.getOpcode() == llvm::Instruction::Alloca;
  if (frame) passes.add(llvm::createSROAPass());
  passes.add(llvm::createEarlyCSEPass());
}

void emit_file(llvm::Module& module, const TargetInfo& target, llvm::raw_pwrite_stream& out,
               llvm::CodeGenFileType type) {
  auto& machine = machine_for(target);
  llvm::legacy::PassManager passes;
  passes.add(llvm::createTargetTransformInfoWrapperPass(machine.getTargetIRAnalysis()));
  optimise(passes, module);
  if (!target.gpu()) {
    passes.add(create_depth_first_pass());
    passes.add(create_fence_pass());
  }
  if (machine.addPassesToEmitFile(passes, out, nullptr, type, /*DisableVerify=*/true))
    throw InternalError("LLVM cannot generate code for " + target.triple);
  passes.run(module);
}

}  // namespace

llvm::TargetMachine& machine_for(const TargetInfo& target) {
  initialise_targets();
  thread_local std::map<std::string, std::unique_ptr<llvm::TargetMachine>> machines;
  auto& machine = machines[target.triple + "/" + target.cpu + "/" + target.features];
  if (machine) return *machine;
  std::string error;
  const auto* found = llvm::TargetRegistry::lookupTarget(target.triple, error);
  if (!found)
    throw CompileError(
        fmt::format("this LLVM has no code generator for {}: {}", target.triple, error));
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  // On CPUs, this level differs from the default one only in the scheduling after register
  // allocation. It took a tenth of LLVM's time, and processors that reorder instructions run no
  // faster with it.
  const auto level = target.gpu() ? llvm::CodeGenOptLevel::Default : llvm::CodeGenOptLevel::Less;
  machine.reset(found->createTargetMachine(target.triple, target.cpu, target.features, options,
                                           llvm::Reloc::PIC_, llvm::CodeModel::Small, level,
                                           /*JIT=*/true));
  return *machine;
}

Object object_code(llvm::Module& module, const TargetInfo& target) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream out(bytes);
  // LLVM reports each non-empty frame as a warning. By default it would print errors and end the
  // process.
  struct Diagnostics {
    int64_t frame_bytes = 0;
    std::string error;
  } diagnostics;
  for (llvm::Function& f : module)
    if (!f.isDeclaration()) f.addFnAttr("warn-stack-size", "0");
  module.getContext().setDiagnosticHandlerCallBack(
      [](const llvm::DiagnosticInfo* d, void* p) {
        auto& diagnostics = *static_cast<Diagnostics*>(p);
        if (const auto* frame = llvm::dyn_cast<llvm::DiagnosticInfoStackSize>(d))
          diagnostics.frame_bytes =
              std::max(diagnostics.frame_bytes, static_cast<int64_t>(frame->getStackSize()));
        if (d->getSeverity() != llvm::DS_Error) return;
        llvm::raw_string_ostream text(diagnostics.error);
        llvm::DiagnosticPrinterRawOStream printer(text);
        d->print(printer);
      },
      &diagnostics);
  emit_file(module, target, out, llvm::CodeGenFileType::ObjectFile);
  if (!diagnostics.error.empty())
    throw InternalError("LLVM cannot generate code: " + diagnostics.error);
  return {std::make_unique<llvm::SmallVectorMemoryBuffer>(std::move(bytes),
                                                          /*RequiresNullTerminator=*/false),
          diagnostics.frame_bytes};
}

std::string assembly_code(llvm::Module& module, const TargetInfo& target) {
  llvm::SmallVector<char, 0> text;
  llvm::raw_svector_ostream out(text);
  emit_file(module, target, out, llvm::CodeGenFileType::AssemblyFile);
  return std::string(text.begin(), text.end());
}

struct Loaded::Tracker {
  llvm::orc::ResourceTrackerSP resources;
};

Loaded::Loaded(std::unique_ptr<llvm::MemoryBuffer> object, const std::string& symbol)
    : tracker_(std::make_unique<Tracker>()) {
  Session& s = Session::get();
  tracker_->resources = s.library.createResourceTracker();
  const auto failed = [&](llvm::Error e) {
    llvm::consumeError(tracker_->resources->remove());
    throw InternalError("cannot link a kernel: " + llvm::toString(std::move(e)));
  };
  if (auto e = s.linker.add(tracker_->resources, std::move(object))) failed(std::move(e));
  auto found = s.session.lookup({&s.library}, s.session.intern(symbol));
  if (!found) failed(found.takeError());
  address_ = found->getAddress().toPtr<void*>();
}

Loaded::~Loaded() {
  if (tracker_->resources) llvm::consumeError(tracker_->resources->remove());
}

}  // namespace weft::compiler
