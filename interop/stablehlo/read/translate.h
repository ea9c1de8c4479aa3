// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/read/translate.h: from the syntax tree to a jaxpr. Ops of ours are bound under
// the recording interpreter, so their own rules check the types; one table holds a rule for each
// op's name, and a file a family of them.
#pragma once
#include <map>
#include <optional>
#include <unordered_map>

#include "weft/interop/stablehlo/read/syntax.h"
#include "weft/interop/stablehlo_tests.h"
#include "weft/tracer/make_jaxpr.h"
#include "weft/tracer/record_trace.h"

namespace weft::hlo {

class Translator {
 public:
  explicit Translator(const Program& p);
  ClosedJaxpr main();

  // The program of a file that checks itself (interop/stablehlo.h).
  StablehloTest test();

  // ---- for the rules
  // Notes that two values must agree; false if this is no test.
  bool expect(const Op& op, StablehloCheck check, const Array& actual, const Array& expected);
  // The results of a region for these arguments.
  Arrays run(const Region& r, const Arrays& args);
  // The results of a body made for scalars on whole arrays: its ops themselves where they are all
  // elementwise, else a map. It is the body of `op`, which needs so many results.
  Arrays run_on_arrays(const Op& op, const Region& r, const Arrays& args, size_t results);
  // A region as a program of its own; what it uses from outside becomes constants.
  // Its arguments and results begin with so many that are the region's last ones.
  Closed recorded(const Region& r, const Types& args, size_t last = 0);
  Arrays call(const std::string& symbol, const Arrays& x, size_t at);
  // The body of a function; null if there is none of that name.
  const Region* function_body(const std::string& symbol) const;

  // Attributes, FormatError if they are missing or of another kind.
  const Attr& attr(const Op& op, std::string_view name) const;
  std::vector<int64_t> ints(const Op& op, std::string_view name) const;
  std::vector<int64_t> ints(const Op& op, std::string_view name, size_t n, int64_t otherwise) const;
  int64_t integer(const Op& op, std::string_view name) const;
  int64_t integer(const Op& op, std::string_view name, int64_t otherwise) const;
  bool flag(const Op& op, std::string_view name) const;  // false if not there
  // The last word of "#stablehlo<comparison_direction LT>".
  std::string word(const Op& op, std::string_view name, std::string_view otherwise = {}) const;
  // The lists of "#stablehlo.gather<offset_dims = [0], index_vector_dim = 1>"; empty if not there.
  std::vector<int64_t> field(const Op& op, const Attr& a, std::string_view name) const;
  std::optional<int64_t> field_number(const Op& op, const Attr& a, std::string_view name) const;

  // Our type of a result.
  Type result(const Op& op, size_t i = 0) const;
  // The op of this name, with so many operands and one result, that made a value; else null.
  const Op* maker(int32_t value, std::string_view name, size_t operands) const;
  // The value of a number that a rule has read from an op, translated already.
  const Array& value(int32_t v) const { return values_.at(static_cast<size_t>(v)); }
  // The number of a constant that is one number throughout.
  std::optional<int64_t> known_integer(int32_t value) const;
  // The numbers of an operand that says sizes; FormatError if it is no constant of integers.
  std::vector<int64_t> known_integers(const Op& op, size_t operand) const;
  const Region& only_region(const Op& op) const;

  // Notes that a callback is left out, which gives nothing.
  void leave_out(const Op& op);
  // "p.mlir, line 8"
  std::string place(const Op& op) const;

  [[noreturn]] void fail(const Op& op, const std::string& why) const;
  // What Weft does not have; `detail` says which kind of the op.
  [[noreturn]] void missing(const Op& op, const std::string& detail = {}) const;

 private:
  struct Function {
    const Op* op = nullptr;
    bool open = false;
    std::optional<Closed> program;
  };
  void index(const std::vector<Op>& ops, bool functions);
  const Op& entry() const;
  // The numbers of a value that is a constant, else null.
  const Dense* constant(int32_t value) const;
  // The value that one of a tuple's parts is; tuples themselves have no arrays.
  int32_t part(const Op& op) const;
  Types types_of_arguments(const Op& function) const;
  const Closed& program(Function& f, size_t at);
  const Block& body(const Region& r, size_t at) const;
  void check_arguments(const Block& b, const Arrays& args, size_t at) const;
  void step(const Op& op);
  Arrays translated(const Op& op, const Arrays& x);
  bool is_elementwise(const Region& r) const;
  bool is_elementwise(const Region& r, int calls, int* budget) const;
  // For the types of few bits, whose numbers other dtypes hold (small_type.h).
  void check_small(const Op& op) const;
  void bring_back(const Op& op, Arrays& out) const;
  void check_results(const Op& op, const Arrays& out) const;
  Location location(size_t at) const;
  [[noreturn]] void missing_type(const Op& op, Typ t) const;
  [[noreturn]] void fail_at(size_t at, const std::string& why) const;

  const Program& p_;
  const char* name_;  // for locations; lives as long as the process
  std::vector<size_t> lines_;
  std::unordered_map<std::string, Function> functions_;
  std::vector<const Op*> functions_in_order_;
  std::vector<Array> values_;
  std::vector<const Op*> makers_;
  std::unordered_map<int32_t, int32_t> parts_;  // of tuples: the values that were put in
  int depth_ = 0;       // of regions within regions and of the functions that they call
  int mapped_ = 0;      // of bodies of scalars that run as a map, within one another
  bool whole_ = false;  // a body of scalars runs on whole arrays
  bool testing_ = false;
  Arrays inputs_;    // what @inputs gives while a test is translated
  Arrays expected_;  // in pairs
  std::vector<StablehloCheck> checks_;
  std::map<size_t, std::string> left_out_;  // callbacks, by where they stand
};

// An integer that is ordered as the floats are: -NaN < -inf < ... < -0 < 0 < ... < inf < NaN.
Array total_order(const Array& x);
// What a body of two scalars computes if it is one op on both of them: "stablehlo.add"; empty else.
std::string only_op(const Region& r);

using Rule = Arrays (*)(Translator& t, const Op& op, const Arrays& x);
using Rules = std::unordered_map<std::string_view, Rule>;
const Rules& rules();
// The numbers of a constant; FormatError if Weft lacks its dtype.
Array constant_array(Translator& t, const Op& op, const Attr& value);
// The elementwise ops. `ours` is the op of Weft that says the same of every dtype that it takes, if
// there is one; it is written by this name.
struct ElementwiseRule {
  std::string_view theirs;
  Rule rule;
  std::string_view ours = {};
};
const std::vector<ElementwiseRule>& elementwise_table();
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
// The rule of a call of LAPACK by this name; null if there is none.
Rule lapack_rule(std::string_view target);
// Of those that reduce matrices to simpler forms, by the name without its dtype.
Rule spectral_rule(std::string_view routine);
// That of the call @ApproxTopK.
Arrays approx_top_k(Translator& t, const Op& op, const Arrays& x);
void add_checks(Rules& r);

}  // namespace weft::hlo
