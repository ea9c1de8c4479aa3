// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// autodiff/autodiff.h: forward and reverse mode on flat lists of arrays; an empty handle is a zero.
#pragma once
#include "tracer/record_trace.h"
#include "tracer/trace.h"

namespace weft {

// f(x) and its directional derivative along dx.
Dual jvp_flat(FunctionRef<Arrays(const Arrays&)> f, const Arrays& x, const Arrays& dx);

// The derivative of a function at a point: a linear program and its residuals.
struct Linear {
  Jaxpr jaxpr;  // (residuals…, tangents…) -> the nonzero output tangents
  Arrays residuals;
  std::vector<int> in;        // tangent input k belongs to argument in[k]
  std::vector<int> out;       // output tangent k belongs to result out[k]
  Types in_types, out_types;  // of all arguments and results
  // The tangents of all results, from the tangents of all arguments.
  Arrays apply(const Arrays& dx) const;
  // The cotangents of the arguments, from those of the results; empty handles for arguments without
  // a tangent input.
  Arrays transpose(const Arrays& ct) const;
};
struct Linearized {
  Arrays out;
  Linear linear;
};
// f(x), and its derivative with respect to those x[i] that are `wrt`.
Linearized linearize_flat(FunctionRef<Arrays(const Arrays&)> f, const Arrays& x,
                          const std::vector<bool>& wrt);

// (primals…, tangents of the inputs in `nonzero`…) -> (outputs…, tangents of the outputs in
// `out_nonzero`…).
struct JvpJaxpr {
  Jaxpr jaxpr;
  std::vector<bool> out_nonzero;
  // For the cache (tracer/transform_cache.h).
  std::vector<Jaxpr> programs() const { return {jaxpr}; }
  bool closed() const { return true; }
};
// `ask`: outputs whose tangent must be instantiated, if necessary with zeros.
JvpJaxpr jvp_jaxpr(const Jaxpr& j, const std::vector<bool>& nonzero, const std::vector<bool>& ask);

// The cotangents of the linear inputs of j. x holds the other inputs, with an empty handle for each
// linear one.
Arrays backward_pass(const Jaxpr& j, const Arrays& x, const std::vector<bool>& linear,
                     const Arrays& ct);
// The same for a program that an equation holds; each program is transposed only once.
Arrays transposed_jaxpr(const Jaxpr& j, const Arrays& x, const std::vector<bool>& linear,
                        const Arrays& ct);

// The sum of two tangents; an empty handle is zero.
Array add_tangents(const Array& a, const Array& b);
// ct, or zeros of that type if it is an empty handle.
Array instantiate(const Array& ct, const Type& t);
// The tangents of the first *results outputs (null: all), with zeros instantiated.
Arrays written_tangents(const Dual& d, const size_t* results = nullptr);

}  // namespace weft
