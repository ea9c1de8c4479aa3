// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/read/translate.h: converts the syntax tree to a jaxpr. Weft's ops are bound
// while the recording interpreter is active, so their own rules check the types. One table has a
// rule for each op name, and each family of ops has its own file.
#pragma once
#include <map>
#include <optional>
#include <unordered_map>

#include "interop/stablehlo/read/syntax.h"
#include "interop/stablehlo_tests.h"
#include "tracer/record_trace.h"
#include "weft/make_jaxpr.h"

namespace weft::hlo {

class Translator {
 public:
  explicit Translator(const Program& p);
  ClosedJaxpr main();

  // Returns the program of a file that checks itself (interop/stablehlo_tests.h).
  StablehloTest test();

  // ---- functions for the rules
  // Records that two values must agree. Returns false if this is not a test.
  bool expect(const Op& op, StablehloCheck check, const Array& actual, const Array& expected);
  // Returns the results of a region for these arguments.
  Arrays run(const Region& r, const Arrays& args);
  // Runs a body that was made for scalars on whole arrays. Its ops are bound directly if all of
  // them are elementwise, and otherwise the body is mapped. It is the body of `op` and must have
  // this number of results.
  Arrays run_on_arrays(const Op& op, const Region& r, const Arrays& args, size_t results);
  // Returns a region as a separate program. Values from outside become constants. The arguments and
  // results begin with the last `last` ones of the region.
  ClosedJaxpr recorded(const Region& r, const Types& args, size_t last = 0);
  // The same for the body of a loop.
  ClosedJaxpr recorded_body(const Region& r, const Types& args, size_t last = 0);
  // Returns true while the body of a loop is recorded.
  bool is_in_loop() const { return loops_ > 0; }
  Arrays call(const std::string& symbol, const Arrays& x, size_t at);
  // Returns the body of a function, or null if no function has that name.
  const Region* function_body(const std::string& symbol) const;

  // Return attributes. Raise FormatError if they are missing or of another kind.
  const Attr& attr(const Op& op, std::string_view name) const;
  std::vector<int64_t> ints(const Op& op, std::string_view name) const;
  std::vector<int64_t> ints(const Op& op, std::string_view name, size_t n, int64_t otherwise) const;
  int64_t integer(const Op& op, std::string_view name) const;
  int64_t integer(const Op& op, std::string_view name, int64_t otherwise) const;
  bool flag(const Op& op, std::string_view name) const;  // false if missing
  // Returns the last word of an attribute such as "#stablehlo<comparison_direction LT>".
  std::string word(const Op& op, std::string_view name, std::string_view otherwise = {}) const;
  // Returns a list of an attribute such as "#stablehlo.gather<offset_dims = [0], index_vector_dim =
  // 1>". It is empty if missing.
  std::vector<int64_t> field(const Op& op, const Attr& a, std::string_view name) const;
  std::optional<int64_t> field_number(const Op& op, const Attr& a, std::string_view name) const;

  // Returns the Weft type of a result.
  Type result(const Op& op, size_t i = 0) const;
  // Returns the op that made a value if it has this name, this number of operands and one result.
  // Returns null otherwise.
  const Op* defining_op(int32_t value, std::string_view name, size_t operands) const;
  // Returns the translated value for a value number that a rule has read from an op.
  const Array& value(int32_t v) const { return values_.at(static_cast<size_t>(v)); }
  // Returns the number of a constant whose elements are all equal.
  std::optional<int64_t> known_integer(int32_t value) const;
  // Returns the numbers of an operand that specifies sizes. Raises FormatError if it is not a
  // constant of integers.
  std::vector<int64_t> known_integers(const Op& op, size_t operand) const;
  const Region& only_region(const Op& op) const;

  // Records that a callback without results is left out.
  void leave_out(const Op& op);
  // Returns a place such as "p.mlir, line 8".
  std::string place(const Op& op) const;

  [[noreturn]] void fail(const Op& op, const std::string& why) const;
  // Raises an error for an op that Weft does not have. `detail` names the unsupported variant of
  // the op.
  [[noreturn]] void missing(const Op& op, const std::string& detail = {}) const;

 private:
  struct Function {
    const Op* op = nullptr;
    bool open = false;
    std::optional<ClosedJaxpr> program;
  };
  void index(const std::vector<Op>& ops, bool functions);
  const Op& entry() const;
  // Returns the numbers of a constant value, or null for other values.
  const Dense* constant(int32_t value) const;
  // Returns the value that is a part of a tuple. Tuples themselves have no arrays.
  int32_t part(const Op& op) const;
  Types types_of_arguments(const Op& function) const;
  const ClosedJaxpr& program(Function& f, size_t at);
  const Block& body(const Region& r, size_t at) const;
  void check_arguments(const Block& b, const Arrays& args, size_t at) const;
  void step(const Op& op);
  Arrays translated(const Op& op, const Arrays& x);
  bool is_elementwise(const Region& r) const;
  bool is_elementwise(const Region& r, int calls, int* budget) const;
  // For types of few bits, which other dtypes hold (small_type.h).
  void check_small(const Op& op) const;
  void bring_back(const Op& op, Arrays& out) const;
  void check_results(const Op& op, const Arrays& out) const;
  Location location(size_t at) const;
  [[noreturn]] void missing_type(const Op& op, Typ t) const;
  [[noreturn]] void fail_at(size_t at, const std::string& why) const;

  const Program& p_;
  const char* name_;  // for locations; exists as long as the process
  std::vector<size_t> lines_;
  std::unordered_map<std::string, Function> functions_;
  std::vector<const Op*> functions_in_order_;
  std::vector<Array> values_;
  std::vector<const Op*> defining_ops_;
  std::unordered_map<int32_t, int32_t> parts_;  // for each part of a tuple, the value it was made
                                                // from
  int depth_ = 0;       // nesting depth of regions and of the functions they call
  int loops_ = 0;       // the number of loops around them
  int mapped_ = 0;      // nesting depth of scalar bodies that run as a map
  bool whole_ = false;  // true while a scalar body runs on whole arrays
  bool testing_ = false;
  Arrays inputs_;    // the results of @inputs while a test is translated
  Arrays expected_;  // pairs of actual and expected values
  std::vector<StablehloCheck> checks_;
  std::map<size_t, std::string> left_out_;  // callbacks, by their position
};

// Maps floats to integers of the same order: -NaN < -inf < ... < -0 < 0 < ... < inf < NaN.
Array total_order(const Array& x);
// Returns the op, such as "stablehlo.add", if a body of two scalars consists of one op on both.
// Returns an empty name otherwise.
std::string only_op(const Region& r);

using Rule = Arrays (*)(Translator& t, const Op& op, const Arrays& x);
using Rules = std::unordered_map<std::string_view, Rule>;
const Rules& rules();
// Returns the numbers of a constant. Raises FormatError if Weft does not have its dtype.
Array constant_array(Translator& t, const Op& op, const Attr& value);
// The elementwise ops: those that ops of Weft name (Def::stablehlo), and those with other rules.
const Rules& elementwise_rules();
void add_elementwise(Rules& r);
void add_shapes(Rules& r);
void add_reductions(Rules& r);
void add_windows(Rules& r);
void add_linear(Rules& r);
void add_control(Rules& r);
void add_indexing(Rules& r);
void add_sorting(Rules& r);
void add_random(Rules& r);
// Returns the rule of the LAPACK call with this name, or null if there is no such rule.
Rule lapack_rule(std::string_view target);
// The same for calls that reduce matrices to simpler forms, by the name without its dtype letter.
Rule spectral_rule(std::string_view routine);
// The rule of the call @ApproxTopK.
Arrays approx_top_k(Translator& t, const Op& op, const Arrays& x);
void add_checks(Rules& r);

}  // namespace weft::hlo
