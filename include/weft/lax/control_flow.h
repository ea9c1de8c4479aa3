// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// include/weft/lax/control_flow.h: control flow under its names in jax.lax (switch is a keyword of
// C++), and functions that only jax.lax has: platform_dependent and composite.
#pragma once
#include "weft/control_flow.h"
#include "weft/grad/custom_root.h"
#include "weft/grad/linear_solve.h"

namespace weft {
namespace detail {

// branches: those of the platforms, followed by the default if it is given.
Arrays run_platform_dependent(const std::vector<std::string>& platforms,
                              const std::vector<FlatFunction>& branches,
                              const std::vector<TreeOf>& results, const Arrays& operands);
Arrays run_composite(FlatFunction f, const Arrays& x, const std::string& name, int64_t version);

template <class F>
class Composite : public CallOperator<Composite<F>, F> {
 public:
  Composite(F f, std::string name, int64_t version, typing::Location at)
      : f_(std::move(f)), name_(std::move(name)), version_(version), at_(at) {}
  template <class... P>
  auto call(const std::tuple<P...>& args) const {
    const ir::SourceScope source(at_);
    Flat<F, std::tuple<P...>, result_t<F, P...>> flat(f_, args);
    return flat.result(run_composite(flat, tree::leaves(args), name_, version_));
  }
  bool weft_identify(KeyWriter& key) const {
    key.add_static(name_);
    key.add_static(version_);
    return identify(f_, key);
  }

 private:
  mutable F f_;
  std::string name_;
  int64_t version_;
  typing::Location at_;
};

}  // namespace detail
}  // namespace weft

namespace weft::lax {

// One case of platform_dependent: the function that runs if the program is compiled for that
// platform, "cpu" or "cuda".
template <class R, class... O>
struct PlatformCase {
  std::string platform;
  ir::Function<R(O...)> function;
};
// Runs the function of the platform for which the program is compiled, else otherwise, on the
// operands. The choice is made when the program is compiled, regardless of where it was traced; the
// other functions are removed. All return an Array, or with platform_dependent<R> an R. otherwise
// may be {}; a platform without a case then raises CompileError. Raises DeviceError for an unknown
// platform, and ShapeError for functions whose results differ in structure or types.
//     lax::platform_dependent({{"cuda", f}}, g, x)
// Source: jax.lax.platform_dependent.
template <class R = Array, class... O>
R platform_dependent(
    std::initializer_list<std::type_identity_t<PlatformCase<R, typing::arrays_t<O>...>>> cases,
    const std::type_identity_t<ir::Function<R(typing::arrays_t<O>...)>>& otherwise,
    const O&... operands) {
  std::vector<std::string> platforms;
  std::vector<const ir::Function<R(typing::arrays_t<O>...)>*> listed;
  for (const auto& c : cases) {
    platforms.push_back(c.platform);
    listed.push_back(&c.function);
  }
  if (otherwise) listed.push_back(&otherwise);
  const std::tuple<typing::arrays_t<O>...> args(
      tree::detail::convert<typing::arrays_t<O>>(operands)...);
  return detail::run_listed_by<R>(
      listed, args, [&](const auto& functions, const auto& results, const Arrays& x) {
        return detail::run_platform_dependent(platforms, functions, results, x);
      });
}

// Wraps f into one equation with this name, for readers of the program. The equation appears in
// jaxprs, and in StableHLO as stablehlo.composite with f as its decomposition. It is computed like
// f; vmap and derivatives replace it by f. Source: jax.lax.composite.
//
//     auto f = lax::composite([](Array x) { return x * x; }, "my.square");
//     grad(f)(3.)  // array(6., dtype=float32)
template <class F>
auto composite(F f, std::string name, int64_t version = 0,
               typing::Location at = typing::Location::here()) {
  return detail::Composite<F>(std::move(f), std::move(name), version, at);
}

// The same as weft::associative_scan. Source: jax.lax.associative_scan.
using weft::associative_scan;
// The same as weft::cond. Source: jax.lax.cond.
using weft::cond;
// The same as weft::custom_linear_solve. Source: jax.lax.custom_linear_solve.
using weft::custom_linear_solve;
// The same as weft::custom_root. Source: jax.lax.custom_root.
using weft::custom_root;
// The same as weft::fori_loop. Source: jax.lax.fori_loop.
using weft::fori_loop;
// The same as weft::map. Source: jax.lax.map.
using weft::map;
// The same as weft::scan. Source: jax.lax.scan.
using weft::scan;
// The same as weft::switch_. Source: jax.lax.switch.
using weft::switch_;
// The same as weft::while_loop. Source: jax.lax.while_loop.
using weft::while_loop;

}  // namespace weft::lax
