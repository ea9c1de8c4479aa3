// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/shape_dtype.cpp: Arrays with a type and no value.
#include "weft/shape_dtype.h"

#include <fmt/format.h>

#include <ostream>

#include "tracer/trace.h"

namespace weft {
namespace {

[[noreturn]] void raise(const std::string& who, const Type& t) {
  throw ConcretizationError(fmt::format(
      "{}: {} is not a valid JAX type here: it has a shape and a dtype, {}, but no value. Such "
      "arguments are for eval_shape, make_jaxpr and jit(f).lower; give a call an Array.",
      who, to_string(ShapeDtypeStruct{t.shape(), t.dtype()}), to_string(t)));
}

// The owner of values that do not exist: nothing is ever computed with it.
class NoValue final : public Interpreter {
 public:
  NoValue() : Interpreter(nullptr) { close(); }
  const char* name() const override { return "ShapeDtypeStruct"; }
  Arrays process(const Op& op, const Arrays& x, const AnyParams&) override {
    raise(op.name(), x.empty() ? Type() : x[0].type());
  }
};
const Ref<Interpreter>& no_value() {
  static const auto* trace = new Ref<Interpreter>(new NoValue);
  return *trace;
}

}  // namespace

Array detail::without_value(const Type& t) {
  return Array(Ref<const Node>(new Tracer(t, no_value())));
}

void detail::require_value(const std::string& who, const Array& x) {
  if (tracer_of<Tracer>(x, *no_value())) raise(who, x.type());
}

ShapeDtypeStruct::operator Array() const { return detail::without_value(Type(dtype, shape)); }

std::string to_string(const ShapeDtypeStruct& s) {
  return fmt::format("ShapeDtypeStruct(shape={}, dtype={})", to_string(s.shape),
                     numpy_name(s.dtype));
}
std::ostream& operator<<(std::ostream& o, const ShapeDtypeStruct& s) { return o << to_string(s); }

}  // namespace weft
