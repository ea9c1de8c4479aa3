// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// autodiff/autodiff.h: forward and reverse mode on flat lists of arrays; an empty handle is a zero.
#pragma once
#include "weft/tracer/record_trace.h"
#include "weft/tracer/trace.h"

namespace weft {

// f(x) and its directional derivative along dx.
Dual jvp_flat(FunctionRef<Arrays(const Arrays&)> f, const Arrays& x, const Arrays& dx);

// The derivative of a function at a point: a linear program whose constants are the residuals.
struct Linear {
  Jaxpr jaxpr;  // (residuals…, tangents…) -> tangents of the outputs that have one
  Arrays residuals;
  std::vector<int> in;        // tangent input k belongs to argument in[k]
  std::vector<int> out;       // output tangent k belongs to result out[k]
  Types in_types, out_types;  // of all arguments and results
  // Tangents of all results from tangents of all arguments.
  Arrays apply(const Arrays& dx) const;
  // Cotangents of arguments from those of results; empty handles where it has no tangent input.
  Arrays transpose(const Arrays& ct) const;
};
struct Linearized {
  Arrays out;
  Linear linear;
};
// f(x), and its derivative with respect to those x[i] that are `wrt`.
Linearized linearize_flat(FunctionRef<Arrays(const Arrays&)> f, const Arrays& x,
                          const std::vector<bool>& wrt);

// (primals…, tangents of those in `nonzero`…) -> (outputs…, tangents of the outputs in
// `out_nonzero`…).
struct JvpJaxpr {
  Jaxpr jaxpr;
  std::vector<bool> out_nonzero;
};
// `ask`: outputs whose tangent must be made (a zero if there is none).
JvpJaxpr jvp_jaxpr(const Jaxpr& j, const std::vector<bool>& nonzero, const std::vector<bool>& ask);

// Cotangents of the linear inputs of j. x holds the others; an empty handle where linear.
Arrays backward_pass(const Jaxpr& j, const Arrays& x, const std::vector<bool>& linear,
                     const Arrays& ct);
// The same for a program that an equation holds, which is transposed once.
Arrays transposed_jaxpr(const Jaxpr& j, const Arrays& x, const std::vector<bool>& linear,
                        const Arrays& ct);

// A sum in which an empty handle is zero.
Array add_tangents(const Array& a, const Array& b);
// ct, or zeros of that type if it is an empty handle.
Array instantiate(const Array& ct, const Type& t);
// The tangents of the first *results outputs (null: all), zeros written out.
Arrays written_tangents(const Dual& d, const size_t* results = nullptr);

}  // namespace weft
