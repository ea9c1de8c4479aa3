// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tracer/weak_numbers.h: weak F32 numbers and the doubles that they were written as
// (docs/decisions/0010): how a conversion finds the double, and how arguments bring it into a
// program. core/weak_literal.h has its place in a literal.
#pragma once
#include <optional>

#include "core/weak_literal.h"
#include "tracer/record_trace.h"

namespace weft {

class Concrete;

// ---- C++ numbers

// The double of a C++ number, if F32 cannot represent it.
std::optional<double> kept_double(const Concrete& c);
// x as a conversion to `to` reads it: the double of a C++ number as F64, if `to` is more precise
// than F32.
Array conversion_operand(const Array& x, DType to);
// The C++ number x as a literal of another type.
Array number_as(const Array& x, DType d, bool weak);
// Returns true if op returns its only operand unchanged and that operand is a C++ number.
bool returns_number(const Op& op, const Arrays& x, const Types& out);

// ---- conversions in a program that is being recorded

// Applies a conversion where the double of its operand is known. That is in the program around this
// one, if the operand is a value from there or an input that represents one. An op that forwards
// the operand follows the conversion. Returns an empty list if op reads no double, or if the
// operand has none from outside. The trace then records op itself.
Arrays convert_exactly(JaxprTrace& trace, const Op& op, const Arrays& x, const AnyParams& params);
// The origin of the results of op.
JaxprTracer::Origin origin_of_result(const Op& op, const Arrays& x, const AnyParams& params);
// The value of which x is a reshaped or broadcast copy, or x itself.
const Array& forwarded_value(const Array& x);
// Returns true if a conversion has read the double of this input of a recorded program.
bool double_was_read(const Array& input);

// ---- arguments of traced programs

// A program with additional inputs, which follow its own: F64 values that conversions read in place
// of weak arguments. Code that runs or calls a traced program with its own arguments uses this one.
struct ExactInputs {
  Jaxpr jaxpr;
  std::vector<int32_t> weak_inputs;  // by additional input: the weak input to which it belongs
  // The operands of `jaxpr`, from those of the original program.
  Arrays operands(Arrays x) const;
  // The values of the additional inputs, if all inputs are known.
  std::vector<double> doubles(FunctionRef<const Array&(int32_t)> input) const;
  // Replaces those weak numbers among the results of a call that are literals or operands of the
  // program. A call is an equation, whose results have no doubles.
  void keep_doubles(const Arrays& operands, Arrays* results) const;
};
// Returns the program unchanged if no conversion reads such a double.
ExactInputs with_exact_inputs(const Jaxpr& j);

// The arguments of a function with custom rules. The programs of its rules outlive the traces
// around the call, so they cannot ask these for a double. C++ numbers become constants of the
// programs. If a program reads the double of a traced weak number, all programs are traced again
// (trace_again). That double is then an additional operand in front of the arguments.
class WeakArguments {
 public:
  explicit WeakArguments(const Arrays& x);
  // Traces f for the transform `who`. Its inputs have these types, and the first of them are the
  // arguments. The doubles are inputs in front of them, which f receives separately.
  ClosedJaxpr trace(const char* who, const Types& in,
                    FunctionRef<Arrays(const Arrays& inputs, const Arrays& doubles)> f);
  ClosedJaxpr trace(const char* who, const Types& in, FunctionRef<Arrays(const Arrays& inputs)> f);
  // The same for inputs that are the values with these numbers (-1: another value).
  ClosedJaxpr trace(const char* who, const Types& in,
                    FunctionRef<Arrays(const Arrays& inputs, const Arrays& doubles)> f,
                    const std::vector<int>& numbers);
  // Returns the number of each value: of an argument, or of a C++ number, which it adds to the
  // known ones; or -1.
  std::vector<int> numbers_of(const Arrays& values, const Arrays& arguments);
  bool trace_again();
  size_t n_doubles() const { return with_double_.size(); }
  // The operands of the programs: the doubles and the arguments.
  Arrays operands(const Arrays& x) const;

 private:
  size_t n_arguments_;
  Arrays written_;                   // by number: a C++ number or an empty handle
  std::vector<size_t> traced_;       // arguments that are traced weak numbers
  std::vector<size_t> with_double_;  // those that have an operand for their double
  bool asked_ = false;
};

}  // namespace weft
