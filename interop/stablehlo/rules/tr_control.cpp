// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/rules/tr_control.cpp: rules of calls, branches and loops. A loop that counts up
// to a constant becomes scan, which supports reverse-mode derivatives.
#include <algorithm>
#include <cstdint>

#include "core/op.h"
#include "core/param.h"
#include "interop/stablehlo/read/dense.h"
#include "interop/stablehlo/read/scan_rows.h"
#include "interop/stablehlo/read/translate.h"
#include "ops/control/calls.h"
#include "ops/control/control_flow.h"
#include "ops/effects/effects.h"
#include "tracer/base_ops.h"
#include "tracer/concrete.h"
#include "tracer/trace.h"
#include "tracer/types_of.h"
#include "weft/error.h"
#include "weft/lax/compare.h"
#include "weft/lax/convert.h"

namespace weft::hlo {
namespace {

// Binds the op of Weft that a composite "weft.NAME" represents, if the op accepts these operands
// (wr_nest.cpp writes such composites). Otherwise the decomposition computes the same by
// arithmetic.
std::optional<Arrays> own_op(const Translator& t, const Op& op, const Arrays& x) {
  const Attr* name = op.attr("name");
  if (!name || !name->text.starts_with(own_prefix)) return {};
  const weft::Op* weft_name = find_op(name->text.substr(own_prefix.size()));
  if (!weft_name) return {};
  const AnyParams none = weft_name->parse_params({});
  if (!none->fields().empty()) return {};
  Types want;
  for (size_t i = 0; i < op.out.size(); ++i) want.push_back(t.result(op, i));
  try {
    if (weft_name->type(types_of(x), none) != want) return {};
  } catch (const ShapeError&) {
    return {};
  } catch (const DTypeError&) {
    return {};
  }
  return bind_op(*weft_name, x, none);
}

Arrays call(Translator& t, const Op& op, const Arrays& x) {
  const Attr& a = t.attr(op, op.name == "func.call" ? "callee" : "decomposition");
  if (a.kind != Attr::Kind::symbol) t.fail(op, "not a symbol");
  const auto called = [&](const Arrays& in) { return t.call(symbol_name(a.text), in, op.at); };
  if (op.name == "func.call") return called(x);
  if (auto out = own_op(t, op, x)) return *std::move(out);
  const Attr *name = op.attr("name"), *version = op.attr("version");
  if (!name || name->text.starts_with(own_prefix)) return called(x);
  return composite_flat(record(types_of(x), called), x, name->text, version ? version->integer : 0);
}

// Returns true for the targets that JAX writes for pure_callback, io_callback and debug.callback:
// xla_ffi_python_cpu_callback, xla_ffi_partitioned_python_gpu_callback, xla_python_cpu_callback, …
bool is_python_callback(std::string_view target) {
  const auto skip = [&](std::string_view word) {
    const bool there = target.starts_with(word);
    if (there) target.remove_prefix(word.size());
    return there;
  };
  if (!skip("xla_")) return false;
  skip("ffi_");
  skip("partitioned_");
  return skip("python_") && (target == "cpu_callback" || target == "gpu_callback");
}
// The text does not contain the Python function. A call without results is left out. Any other call
// raises an error when it would run.
Arrays python_callback(Translator& t, const Op& op, const Arrays& x) {
  Arrays operands, out;
  Types results;
  for (size_t i = 0; i < x.size(); ++i)
    if (!is_token(op.in[i])) operands.push_back(x[i]);
  for (size_t k = 0; k < op.out.size(); ++k)
    if (!is_token(op.out[k])) results.push_back(t.result(op, k));
  Arrays made;
  if (results.empty())
    t.leave_out(op);
  else
    made = missing_call_flat(t.attr(op, "call_target_name").text, t.place(op), results, operands);
  size_t next = 0;
  for (size_t k = 0; k < op.out.size(); ++k)
    out.push_back(is_token(op.out[k]) ? base::zeros(t.result(op, k)) : made[next++]);
  return out;
}
Arrays token(Translator& t, const Op& op, const Arrays&) { return {base::zeros(t.result(op))}; }

Arrays custom_call(Translator& t, const Op& op, const Arrays& x) {
  const std::string& target = t.attr(op, "call_target_name").text;
  if (is_python_callback(target)) return python_callback(t, op, x);
  if (const Rule lapack = lapack_rule(target)) return lapack(t, op, x);
  if (target == "ApproxTopK") return approx_top_k(t, op, x);
  if (target == "AllocateBuffer" && x.empty()) {  // an uninitialized buffer
    Arrays out;
    for (size_t i = 0; i < op.out.size(); ++i) out.push_back(base::zeros(t.result(op, i)));
    return out;
  }
  if (target == "Sharding" || target == "annotate_device_placement") return x;
  if (x.size() == 2 && target.starts_with("check.")) {
    using Kind = StablehloCheck::Kind;
    const std::string what = target.substr(6);
    const bool reversed = what == "eq";  // check.eq has the expected value first
    StablehloCheck c;
    if (what == "expect_close") c.kind = Kind::close;
    if (what == "expect_almost_eq" || what == "eq") c.kind = Kind::almost;
    c.tolerance = what == "eq" ? 1e-4 : 1e-3;
    if (c.kind == Kind::equal && what != "expect_eq") t.missing(op);
    if (t.expect(op, c, x[reversed ? 1 : 0], x[reversed ? 0 : 1])) return {};
  }
  t.missing(op);
}

// ---- branches

Arrays branches(Translator& t, const Op& op, const Array& index) {
  std::vector<ClosedJaxpr> all;
  for (const Region& r : op.regions) all.push_back(t.recorded(r, {}));
  return cond_flat(index, all, {});
}
// An index out of range selects the last branch. Weft's cond selects the nearest one.
Arrays case_of(Translator& t, const Op& op, const Arrays& x) {
  if (x.size() != 1 || op.regions.empty()) t.fail(op, "'case' needs an index and branches");
  if (x[0].dtype() != I32 || x[0].ndim() != 0) t.fail(op, "the index must be a tensor<i32>");
  bool in_range = false;
  if (const Op* made = t.defining_op(op.operands[0], "stablehlo.convert", 1))
    in_range = made->in[0]->text == "tensor<i1>";
  if (const Op* made = t.defining_op(op.operands[0], "stablehlo.clamp", 3))
    in_range = t.known_integer(made->operands[0]).value_or(-1) >= 0 &&
               t.known_integer(made->operands[2]).value_or(INT64_MAX) < std::ssize(op.regions);
  const int64_t last = static_cast<int64_t>(op.regions.size()) - 1;
  const Array index =
      in_range ? x[0]
               : lax::select(lax::lt(x[0], scalar_of_int(I32, 0)), scalar_of_int(I32, last), x[0]);
  return branches(t, op, index);
}
Arrays if_of(Translator& t, const Op& op, const Arrays& x) {
  if (x.size() != 1 || op.regions.size() != 2)
    t.fail(op, "'if' needs a predicate and two branches");
  std::vector<ClosedJaxpr> all;
  all.push_back(t.recorded(op.regions[1], {}));
  all.push_back(t.recorded(op.regions[0], {}));
  return cond_flat(lax::convert_element_type(x[0], I32), all, {});
}

// ---- loops

// Returns which argument of the block a value is, or -1 if it is not an argument.
int64_t argument(const Block& b, int32_t value) {
  const int64_t i = value - b.first_arg;
  return i >= 0 && i < static_cast<int64_t>(b.args.size()) ? i : -1;
}

// The trip count of a loop with the condition `counter < bound`, whose body adds a step to the
// counter. Start, step and bound must be constants.
class Counted {
 public:
  Counted(const Translator& t, const Op& op)
      : t_(t), op_(op), test_(op.regions[0].blocks[0]), body_(op.regions[1].blocks[0]) {}

  std::optional<Counter> counter() const {
    if (test_.ops.empty() || body_.ops.empty() || test_.ops.back().operands.size() != 1) return {};
    const Op* compare = t_.defining_op(test_.ops.back().operands[0], "stablehlo.compare", 2);
    if (!compare) return {};
    std::string how = t_.word(*compare, "comparison_direction");
    int32_t left = compare->operands[0], right = compare->operands[1];
    if (how == "GT" || how == "GE") {
      std::swap(left, right);
      how = how == "GT" ? "LT" : "LE";
    }
    const int64_t counter = argument(test_, left);
    if (counter < 0 || (how != "LT" && how != "LE")) return {};
    const auto step = step_of(counter);
    const auto first = t_.known_integer(op_.operands[static_cast<size_t>(counter)]);
    const auto bound = bound_of(right);
    if (!step || !first || !bound || *step <= 0) return {};
    int64_t distance = 0;
    if (__builtin_sub_overflow(*bound, *first, &distance) || distance == INT64_MAX) return {};
    if (how == "LE") ++distance;
    Counter c{static_cast<size_t>(counter), *first, *step, 0};
    if (distance <= 0) return c;
    // If the counter would wrap around first, the loop does not end after n trips.
    const int64_t n = (distance - 1) / *step + 1;
    int64_t last = 0;
    const int bits = 8 * itemsize(t_.result(op_, static_cast<size_t>(counter)).dtype());
    if (__builtin_mul_overflow(n, *step, &last) || __builtin_add_overflow(last, *first, &last) ||
        (bits < 64 && last > (int64_t{1} << (bits - 1)) - 1))
      return {};
    c.trips = n;
    return c;
  }

 private:
  // The bound is a constant, or an argument that is initially a constant and that no trip changes.
  std::optional<int64_t> bound_of(int32_t value) const {
    const int64_t i = argument(test_, value);
    if (i < 0) return t_.known_integer(value);
    const int32_t next = body_.ops.back().operands[static_cast<size_t>(i)];
    if (argument(body_, next) != i) return {};
    return t_.known_integer(op_.operands[static_cast<size_t>(i)]);
  }
  std::optional<int64_t> step_of(int64_t counter) const {
    const Op& done = body_.ops.back();
    if (static_cast<size_t>(counter) >= done.operands.size()) return {};
    const Op* add = t_.defining_op(done.operands[static_cast<size_t>(counter)], "stablehlo.add", 2);
    if (!add) return {};
    for (size_t side : {0, 1})
      if (argument(body_, add->operands[side]) == counter)
        return t_.known_integer(add->operands[1 - side]);
    return {};
  }
  const Translator& t_;
  const Op& op_;
  const Block &test_, &body_;
};

Arrays while_of(Translator& t, const Op& op, const Arrays& x) {
  if (op.regions.size() != 2 || op.regions[0].blocks.size() != 1 ||
      op.regions[1].blocks.size() != 1)
    t.fail(op, "'while' needs a condition and a body");
  for (const Region& r : op.regions)
    if (r.blocks[0].ops.empty() || r.blocks[0].args.size() != x.size())
      t.fail(op, "the condition and the body of 'while' must take its operands");
  if (op.regions[1].blocks[0].ops.back().operands.size() != x.size())
    t.fail(op, "the body of 'while' must return as many values as it takes");
  const Types carry = types_of(x);
  const ClosedJaxpr body = t.recorded_body(op.regions[1], carry);
  for (size_t i = 0; i < carry.size(); ++i)
    if (body.jaxpr->out_types()[i] != carry[i])
      t.fail(op, "the body of 'while' must return the types that it takes");
  const ClosedJaxpr test = t.recorded(op.regions[0], carry);
  const Types result = test.jaxpr->out_types();
  if (result.size() != 1 || result[0] != Type(Bool, Shape{}))
    t.fail(op, "the condition of 'while' must return a tensor<i1>");
  if (const auto counter = Counted(t, op).counter()) return counted_scan(body, x, *counter);
  return mapped_while_flat(test, body, x, t.is_in_loop());
}

// A loop over slices of its operands along one axis. The region takes slices and carries, and
// returns slices of the results and the new carries.
Arrays scan_of(Translator& t, const Op& op, const Arrays& x) {
  const std::vector<int64_t> counts = t.ints(op, "operandSegmentSizes");
  if (counts.size() != 2 || counts[0] < 0 || counts[1] < 0 ||
      counts[0] + counts[1] != std::ssize(x) || op.out.size() < static_cast<size_t>(counts[1]))
    t.fail(op, "'scan' needs operands and initial values, as many as operandSegmentSizes says");
  const Arrays init(x.begin() + counts[0], x.end());
  const int64_t axis = t.integer(op, "dimension");
  const auto length_of = [&](const Shape& s) {
    if (axis < 0 || axis >= s.ndim()) t.fail(op, "dimension is not an axis");
    return s[axis];
  };
  if (op.out.size() == init.size() && counts[0] == 0) t.fail(op, "'scan' over nothing");
  const int64_t length = length_of(counts[0] ? x[0].shape() : t.result(op).shape());
  Arrays rows;
  Types args = types_of(init);
  for (int64_t i = 0; i < counts[0]; ++i) {
    const Array& a = x[static_cast<size_t>(i)];
    if (length_of(a.shape()) != length) t.fail(op, "operands of 'scan' need one length");
    rows.push_back(base::move_axis(a, static_cast<int>(axis), 0));
    args.push_back(a.type().with_shape(a.shape().erased(static_cast<int>(axis))));
  }
  const ClosedJaxpr body = t.recorded_body(t.only_region(op), args, init.size());
  const Types got = body.jaxpr->out_types();
  if (got.size() != op.out.size() ||
      !std::equal(args.begin(), args.begin() + counts[1], got.begin()))
    t.fail(op, "the body of 'scan' must return a slice a result and the carries that it takes");
  Arrays out = scan_flat(body, init, rows, length, t.flag(op, "is_reverse"));
  std::rotate(out.begin(), out.begin() + counts[1], out.end());
  for (size_t i = 0; i + init.size() < out.size(); ++i) {
    if (axis >= out[i].ndim()) t.fail(op, "dimension is not an axis of a result");
    out[i] = base::move_axis(out[i], 0, static_cast<int>(axis));
  }
  return out;
}

}  // namespace

void add_control(Rules& r) {
  const Rules mine = {{"func.call", call},
                      {"chlo.scan", scan_of},
                      {"stablehlo.composite", call},
                      {"stablehlo.after_all", token},
                      {"stablehlo.case", case_of},
                      {"stablehlo.create_token", token},
                      {"stablehlo.custom_call", custom_call},
                      {"stablehlo.if", if_of},
                      {"stablehlo.while", while_of}};
  r.insert(mine.begin(), mine.end());
}

}  // namespace weft::hlo
