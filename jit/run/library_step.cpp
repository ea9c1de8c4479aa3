// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// jit/run/library_step.cpp: steps that call code which is not generated here, and scatters.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "weft/core/error.h"
#include "weft/core/text/print.h"
#include "weft/jit/fuse/product.h"
#include "weft/jit/run/bound_kernel.h"
#include "weft/jit/run/steps.h"
#include "weft/runtime/buffer.h"
#include "weft/runtime/native/gemm.h"
#include "weft/runtime/threads.h"

namespace weft::compiler {
namespace {

std::vector<int32_t> variables(const Eqn& e) {
  std::vector<int32_t> r;
  for (Atom a : e.in)
    if (!a.is_literal()) r.push_back(a.index);
  return r;
}
std::vector<int32_t> results(const Eqn& e) {
  std::vector<int32_t> r;
  for (int32_t k = 0; k < e.n_out; ++k) r.push_back(e.out + k);
  return r;
}
const void* address(const JaxprData& j, Atom a, void* const* ptrs) {
  return a.is_literal()
             ? static_cast<const void*>(j.literals[static_cast<size_t>(a.literal())].bits)
             : ptrs[a.index];
}

class NativeStep final : public RunStep {
 public:
  NativeStep(Jaxpr j, const Eqn& e, Lowering l)
      : j_(std::move(j)),
        e_(e),
        native_(std::move(l.native)),
        workspace_(std::move(l.workspace)),
        name_(e.op->name()) {}
  void run(void* const* ptrs, const int32_t*) const override {
    std::vector<std::span<const std::byte>> in;
    std::vector<std::span<std::byte>> out;
    for (Atom a : e_.in)
      in.emplace_back(static_cast<const std::byte*>(address(*j_, a, ptrs)),
                      static_cast<size_t>(j_->type(a).bytes()));
    for (int32_t v = e_.out; v < e_.out + e_.n_out; ++v)
      out.emplace_back(static_cast<std::byte*>(ptrs[v]),
                       static_cast<size_t>(j_->types[static_cast<size_t>(v)].bytes()));
    native_({in, out});
  }
  std::string describe() const override { return "native " + name_; }
  int64_t temporaries() const override { return workspace_ ? workspace_() : 0; }

 private:
  Jaxpr j_;
  const Eqn& e_;
  NativeFn native_;
  std::function<int64_t()> workspace_;
  std::string name_;
};

// ---- products

class GemmStep final : public RunStep {
 public:
  GemmStep(Jaxpr j, const Eqn& e, const Product& p)
      : j_(std::move(j)), e_(e), type_(j_->types[static_cast<size_t>(e.out)].dtype()), p_(p) {
    share_out();
  }
  void run(void* const* ptrs, const int32_t*) const override {
    const Reserved workspace(temporaries());
    if (type_ == F32)
      run_as<float>(ptrs);
    else
      run_as<double>(ptrs);
  }
  std::string describe() const override {
    return fmt::format("gemm {}x[{},{}]x[{},{}]", p_.batch, p_.m, p_.k, p_.k, p_.n);
  }
  int64_t temporaries() const override {
    const int64_t at_once = std::min<int64_t>(num_threads(), (items_ + grain_ - 1) / grain_);
    const bool whole = p_.batch > 1;
    Gemm part;
    part.m = whole || !rows_ ? p_.m : std::min(grain_, p_.m);
    part.n = whole || rows_ ? p_.n : std::min(grain_, p_.n);
    part.k = p_.k;
    return at_once * gemm_workspace(part, itemsize(type_));
  }

 private:
  // To threads: whole products, or parts of one along the longer side of the result, which do not
  // depend on the number of threads.
  void share_out() {
    const double work = p_.multiplications();
    rows_ = p_.m >= p_.n;
    const int64_t side = rows_ ? p_.m : p_.n;
    items_ = p_.batch > 1 ? p_.batch : side;
    if (p_.batch > 1)
      grain_ = static_cast<int64_t>(std::max(1., 1e6 / std::max(1., work)));
    else
      grain_ = work < 2e6 ? std::max<int64_t>(1, side)
                          : std::max<int64_t>(48, (side / 2 + 15) / 16 * 16);
  }
  template <class T>
  void run_as(void* const* ptrs) const {
    const T* a = static_cast<const T*>(address(*j_, e_.in[0], ptrs));
    const T* b = static_cast<const T*>(address(*j_, e_.in[1], ptrs));
    T* c = static_cast<T*>(ptrs[e_.out]);
    parallel_for(items_, grain_, [&](int64_t lo, int64_t hi) {
      if (p_.batch == 1)
        return rows_ ? gemm(a, b, c, lo, hi, 0, p_.n) : gemm(a, b, c, 0, p_.m, lo, hi);
      for (int64_t i = lo; i < hi; ++i)
        gemm(a + i * p_.m * p_.k, b + i * p_.k * p_.n, c + i * p_.m * p_.n, 0, p_.m, 0, p_.n);
    });
  }
  // Rows m0..m1 and columns n0..n1 of the product.
  template <class T>
  void gemm(const T* a, const T* b, T* c, int64_t m0, int64_t m1, int64_t n0, int64_t n1) const {
    const Gemm g{p_.transposed_lhs,
                 p_.transposed_rhs,
                 m1 - m0,
                 n1 - n0,
                 p_.k,
                 p_.transposed_lhs ? p_.m : p_.k,
                 p_.transposed_rhs ? p_.k : p_.n,
                 p_.n};
    compiler::gemm(g, a + (p_.transposed_lhs ? m0 : m0 * p_.k),
                   b + (p_.transposed_rhs ? n0 * p_.k : n0), c + m0 * p_.n + n0);
  }
  Jaxpr j_;
  const Eqn& e_;
  DType type_;
  Product p_;
  bool rows_ = true;               // parts are of the rows of the result, not of its columns
  int64_t items_ = 0, grain_ = 1;  // what is shared out, and how much a part has
};

// ---- scatters: the operand is copied, unless the result has its place, then the updates are
// combined into it in their order.
class ScatterStep final : public RunStep {
 public:
  ScatterStep(const Program& p, size_t eqn, KernelNest nest, Schedule schedule)
      : j_(p.j), e_(p.j->eqns[eqn]), bound_(std::move(nest), std::move(schedule), {}, *p.j) {}
  void compile_code() override { bound_.compile(); }
  void run(void* const* ptrs, const int32_t* stop) const override {
    const int64_t bytes = j_->types[static_cast<size_t>(e_.out)].bytes();
    const void* from = address(*j_, e_.in[0], ptrs);
    if (from != ptrs[e_.out])
      parallel_for(bytes, int64_t{1} << 20, [&](int64_t begin, int64_t end) {
        std::memcpy(static_cast<std::byte*>(ptrs[e_.out]) + begin,
                    static_cast<const std::byte*>(from) + begin, static_cast<size_t>(end - begin));
      });
    BoundKernel::Run(bound_, ptrs, stop).all_of_one_point();
  }
  std::string describe() const override { return "kernel (scatter), " + bound_.describe(); }
  const nest::Kernel* kernel() const override { return &bound_.kernel(); }
  std::shared_ptr<const Code> code() const override { return bound_.code(); }

 private:
  Jaxpr j_;
  const Eqn& e_;
  BoundKernel bound_;
};

}  // namespace

namespace {
Built built(const Program& p, size_t eqn, std::unique_ptr<RunStep> step) {
  const Eqn& e = p.j->eqns[eqn];
  return {std::move(step), variables(e), results(e), {}};
}
}  // namespace

Built build_product(const Program& p, size_t eqn) {
  const Eqn& e = p.j->eqns[eqn];
  return built(p, eqn,
               std::make_unique<GemmStep>(p.j, e, *product_of(*p.j, e, p.scope.lowering[eqn])));
}

Built build_native(const Program& p, size_t eqn) {
  return built(p, eqn, std::make_unique<NativeStep>(p.j, p.j->eqns[eqn], p.scope.lowering[eqn]));
}

Built build_scatter(const Program& p, size_t eqn, KernelNest nest, Schedule schedule) {
  Built b =
      built(p, eqn, std::make_unique<ScatterStep>(p, eqn, std::move(nest), std::move(schedule)));
  const Eqn& e = p.j->eqns[eqn];
  if (!e.in[0].is_literal()) b.over.emplace_back(e.out, e.in[0].index);
  return b;
}

Built build_lockstep(const Program& p, const Step& s, Bodies bodies) {
  Built b = built(p, s.eqn, make_lockstep(p, s, std::move(bodies)));
  const Eqn& e = p.j->eqns[s.eqn];
  const LoopForm& v = p.scope.lowering[s.eqn].loop;
  for (int t = 0; t < v.carry; ++t)
    if (const Atom a = e.in[static_cast<size_t>(v.first_carry() + t)]; !a.is_literal())
      b.over.emplace_back(e.out + t, a.index);
  return b;
}

}  // namespace weft::compiler
