// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/jit/lowered.h: the stages of a program's compilation, for inspection:
// jit(f).lower(args…).
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "weft/detail/callable.h"
#include "weft/device/usage.h"

namespace weft {
struct ClosedJaxpr;

namespace typing {
// The options of Lowered::compile.
struct CompileOptions {
  // Schedules to use instead of those that the compiler chooses. For each kernel it holds the line
  // "schedule" with its hash and the lines below it, as kernels() and report() print them. Raises
  // CompileError if the program has no such kernel, or the kernel cannot run that way.
  std::string schedules = {};
  // Implementations to use, by op: {{"dot_general", "generated"}}. docs/ops.md lists the names.
  // Raises CompileError if a name is unknown or does not apply to a use of the op.
  std::vector<std::pair<std::string, std::string>> implementations = {};
};
}  // namespace typing

namespace detail {

// The interfaces that the compiler implements.
class CompiledImpl : public ir::RefCounted {
 public:
  virtual typing::MemoryUse memory() const = 0;
  virtual typing::Cost cost() const = 0;
  virtual Arrays run(const Arrays& x) const = 0;  // x: concrete arguments, without constants
};
class LoweredImpl : public ir::RefCounted {
 public:
  virtual std::string jaxpr() const = 0;
  virtual std::string optimized() const = 0;
  virtual std::string kernels() const = 0;
  virtual std::string llvm_ir() const = 0;
  virtual std::string assembly() const = 0;
  virtual std::string ptx() const = 0;
  virtual const ClosedJaxpr& closed() const = 0;  // as traced
  virtual std::string report() const = 0;
  virtual ir::Ref<const CompiledImpl> compile(const typing::CompileOptions& o = {}) const = 0;
};

// to_stablehlo of the program (include/weft/stablehlo.h). It is defined there because this layer
// may not depend on that one.
std::string stablehlo_text(const LoweredImpl& l);
// The arguments that a program was compiled for: their types, and their structure and static
// values.
using LoweredFor = ir::Ref<const ir::RefCounted>;
LoweredFor make_lowered_for(typing::Types types, const KeyWriter& structure,
                            ir::FunctionRef<tree::detail::Skeleton()> args);
// Raises ShapeError, DTypeError, or CompileError (for static values) unless the arguments match.
void check_compiled_arguments(const ir::RefCounted& want, const KeyWriter& structure,
                              const Arrays& x, ir::FunctionRef<tree::detail::Skeleton()> args);
template <class Args>
KeyWriter structure_of(const Args& args) {
  KeyWriter structure;
  StructureVisitor v{&structure};
  tree::detail::walk(args, v);
  return structure;
}

}  // namespace detail

// A compiled program for arguments of fixed types, structure and static values. Other arguments
// raise ShapeError, DTypeError or CompileError. memory() returns the bytes that a run needs
// (typing::MemoryUse; jax.stages.Compiled.memory_analysis). cost() returns its work (typing::Cost).
// Source: jax.stages.Compiled.
//
//     auto c = jit([](Array x) { return x * 2; }).lower(zeros({4})).compile();
//     c(arange(4.))         // array([0., 2., 4., 6.], dtype=float32)
//     c.memory().arguments  // 16
template <class Args, class R>
class Compiled;
template <class... P, class R>
class Compiled<std::tuple<P...>, R> {
 public:
  Compiled(ir::Ref<const detail::CompiledImpl> impl, detail::LoweredFor args, R prototype)
      : impl_(std::move(impl)), args_(std::move(args)), prototype_(std::move(prototype)) {}
  typing::MemoryUse memory() const { return impl_->memory(); }
  typing::Cost cost() const { return impl_->cost(); }
  R operator()(const P&... args, typing::Location at = typing::Location::here()) const {
    const ir::SourceScope source(at);
    const std::tuple<P...> all(args...);
    const Arrays x = tree::leaves(all);
    detail::check_compiled_arguments(*args_, detail::structure_of(all), x,
                                     tree::detail::skeleton_of(all));
    const Arrays out = impl_->run(x);
    return tree::detail::rebuild(prototype_, out.data());
  }
  // Rejects containers of numbers, which do not convert to Arrays, with a clear message.
  template <class... A>
    requires(sizeof...(A) == sizeof...(P)) && (detail::numbers_for_array<P, A> || ...)
  R operator()(const A&...) const {
    static_assert(!(detail::numbers_for_array<P, A> || ...), WEFT_NUMBERS_FOR_ARRAY);
    return detail::never<R>();
  }

 private:
  ir::Ref<const detail::CompiledImpl> impl_;
  detail::LoweredFor args_;
  R prototype_;
};

// A traced program and the texts that the compiler derives from it: jaxpr() as traced, optimized()
// as compiled, kernels(), llvm_ir(), assembly() and ptx() of its loops, and stablehlo(). report()
// explains how each part runs and why. compile() returns it as a callable. Source:
// jax.stages.Lowered.
//
//     auto l = jit([](Array x, int n) { return x * n; }).lower(zeros({2}), 3);
//     l.compile()(array({1., 2.}), 3)  // array([3., 6.], dtype=float32)
template <class Args, class R>
class Lowered {
 public:
  Lowered(ir::Ref<const detail::LoweredImpl> impl, typing::Types types, const Args& args,
          R prototype)
      : impl_(std::move(impl)),
        args_(detail::make_lowered_for(std::move(types), detail::structure_of(args),
                                       tree::detail::skeleton_of(args))),
        prototype_(std::move(prototype)) {}
  std::string jaxpr() const { return impl_->jaxpr(); }
  std::string optimized() const { return impl_->optimized(); }
  std::string kernels() const { return impl_->kernels(); }
  std::string llvm_ir() const { return impl_->llvm_ir(); }
  std::string assembly() const { return impl_->assembly(); }
  std::string ptx() const { return impl_->ptx(); }
  std::string stablehlo() const { return detail::stablehlo_text(*impl_); }
  std::string report() const { return impl_->report(); }
  Compiled<Args, R> compile(const typing::CompileOptions& o = {}) const {
    return {impl_->compile(o), args_, prototype_};
  }

 private:
  ir::Ref<const detail::LoweredImpl> impl_;
  detail::LoweredFor args_;
  R prototype_;
};

}  // namespace weft
