// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/make_jaxpr.h: make_jaxpr(f)(args…): the program of a function, to be read.
#pragma once
#include <iosfwd>

#include "weft/core/jaxpr.h"
#include "weft/tracer/callable.h"

namespace weft {

// A program and the arrays that its constants stand for.
struct ClosedJaxpr {
  Jaxpr jaxpr;
  Arrays consts;
  Types in_types() const;  // without constants
  Types out_types() const { return jaxpr->out_types(); }
  // Its results for arguments of in_types(), operation by operation. jit compiles it:
  // jit([p](Array x) { return p(x)[0]; }).
  template <class... A>
  Arrays operator()(const A&... args) const;
};
std::string to_string(const ClosedJaxpr& c);
std::ostream& operator<<(std::ostream& o, const ClosedJaxpr& c);
// The program of a text as to_string writes it (docs/ir.md). The text does not hold the values of
// constants; a program that has some needs them here. ParseError with line and column.
ClosedJaxpr parse_jaxpr(const std::string& text, const Arrays& consts = {},
                        Location at = Location::here());
// The results of the program for these arguments, operation by operation.
Arrays eval_jaxpr(const ClosedJaxpr& c, const Arrays& args, Location at = Location::here());
template <class... A>
Arrays ClosedJaxpr::operator()(const A&... args) const {
  return eval_jaxpr(*this, {Array(args)...});
}

namespace detail {
ClosedJaxpr trace_jaxpr(FunctionRef<Arrays(const Arrays&)> f, const Arrays& x);

template <class F>
class MakeJaxpr : public CallOperator<MakeJaxpr<F>, F> {
 public:
  MakeJaxpr(F f, Location at) : f_(std::move(f)), at_(at) {}
  template <class... P>
  ClosedJaxpr call(const std::tuple<P...>& args) const {
    static_assert(Callable<F, P...>,
                  "weft::make_jaxpr: the function cannot be called with these arguments");
    const Source source(at_);
    Flat<F, std::tuple<P...>, result_t<F, P...>> flat(f_, args);
    return trace_jaxpr(flat, tree::leaves(args));
  }

 private:
  mutable F f_;
  Location at_;
};
}  // namespace detail

template <class F>
auto make_jaxpr(F f, Location at = Location::here()) {
  return detail::MakeJaxpr<F>(std::move(f), at);
}

}  // namespace weft
