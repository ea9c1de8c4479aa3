// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/read/translate.cpp: functions, regions and values, and the translation of a
// program as a whole.
#include "interop/stablehlo/read/translate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <utility>

#include "core/intern_string.h"
#include "interop/stablehlo/read/dense.h"
#include "interop/stablehlo/read/small_type.h"
#include "ops/structure/each_element.h"
#include "ops/structure/structure.h"
#include "runtime/log.h"
#include "tracer/base_ops.h"
#include "tracer/types_of.h"
#include "weft/error.h"
#include "weft/stablehlo.h"

namespace weft::hlo {
namespace {

// A body that runs on whole arrays is written out together with all functions it calls. This limits
// its number of ops.
constexpr int max_inlined = 10000;
// A mapped body is written out several times, together with the bodies in it. This limits their
// nesting.
constexpr int max_mapped = 3;

template <class T>
size_t slot(T i) {
  return static_cast<size_t>(i);
}
size_t place_of(const Region& r) {
  return r.blocks.empty() || r.blocks[0].ops.empty() ? 0 : r.blocks[0].ops[0].at;
}

}  // namespace

const Rules& rules() {
  static const Rules all = [] {
    Rules r;
    add_elementwise(r);
    add_shapes(r);
    add_reductions(r);
    add_windows(r);
    add_linear(r);
    add_control(r);
    add_indexing(r);
    add_sorting(r);
    add_random(r);
    add_checks(r);
    return r;
  }();
  return all;
}

Translator::Translator(const Program& p) : p_(p), name_(intern_string(p.source->name)) {
  const std::string& text = p.source->text;
  lines_.push_back(0);
  for (size_t i = 0; (i = text.find('\n', i)) != std::string::npos; ++i) lines_.push_back(i + 1);
  index(p.ops, true);
}

// Records functions by name, and the op that made each value.
void Translator::index(const std::vector<Op>& ops, bool functions) {
  for (const Op& op : ops) {
    const size_t end = slot(op.first_result) + op.out.size();
    if (defining_ops_.size() < end) defining_ops_.resize(end);
    for (size_t i = slot(op.first_result); i < end; ++i) defining_ops_[i] = &op;
    const bool is_function = functions && op.name == "func.func";
    if (is_function) {
      const Attr* name = op.attr("sym_name");
      const Attr* type = op.attr("function_type");
      if (!name || !type || !type->type || type->type->kind != TypeData::Kind::function)
        fail(op, "a function needs sym_name and function_type");
      functions_in_order_.push_back(&op);
      // Several modules may contain functions of the same name. The first one is used.
      functions_.try_emplace(name->text, Function{&op, false, {}});
    }
    for (const Region& r : op.regions)
      for (const Block& b : r.blocks) {
        const size_t args = slot(b.first_arg) + b.args.size();
        if (defining_ops_.size() < args) defining_ops_.resize(args);
        index(b.ops, functions && !is_function);
      }
  }
}

Location Translator::location(size_t at) const {
  const auto line = std::upper_bound(lines_.begin(), lines_.end(), at) - lines_.begin();
  return {name_, static_cast<int>(line)};
}
void Translator::fail_at(size_t at, const std::string& why) const {
  try {
    p_.source->fail(why, at);
  } catch (const ParseError& e) {
    throw FormatError(e.what());
  }
}
void Translator::fail(const Op& op, const std::string& why) const { fail_at(op.at, why); }
void Translator::missing(const Op& op, const std::string& detail) const {
  std::string name = op.name;
  if (const Attr* target = op.attr("call_target_name"); target && name == "stablehlo.custom_call")
    name += " @" + target->text;
  fail(op, fmt::format("missing op '{}'{}: Weft does not have it", name,
                       detail.empty() ? "" : " " + detail));
}

void Translator::missing_type(const Op& op, Typ t) const {
  const bool open = std::find(t->dims.begin(), t->dims.end(), -1) != t->dims.end();
  fail(op,
       fmt::format("missing type '{}': {}", t->text,
                   open ? "sizes must be known; lower the function for arguments of fixed shapes"
                        : "Weft does not have it"));
}

// Returns @main, or else the only function, or else the only public one.
const weft::hlo::Op& Translator::entry() const {
  if (const auto it = functions_.find("main"); it != functions_.end()) return *it->second.op;
  if (functions_in_order_.size() == 1) return *functions_in_order_[0];
  const Op* found = nullptr;
  for (const Op* f : functions_in_order_) {
    const Attr* visibility = f->attr("sym_visibility");
    if (visibility && visibility->text == "private") continue;
    if (found) fail(*f, "several public functions and no @main");
    found = f;
  }
  if (!found) fail_at(0, "no function @main");
  return *found;
}

ClosedJaxpr Translator::main() {
  const Op& main = entry();
  const ClosedJaxpr& c = program(functions_.at(main.attr("sym_name")->text), 0);
  if (!left_out_.empty())
    log_warning(fmt::format(
        "{}: {} callback{} of Python without results {} left out, the first in line {} (@{}): they "
        "belong to the process that wrote the text",
        p_.source->name, left_out_.size(), left_out_.size() == 1 ? "" : "s",
        left_out_.size() == 1 ? "is" : "are", location(left_out_.begin()->first).line,
        left_out_.begin()->second));
  const std::vector<Typ>& in = main.attr("function_type")->type->in;
  const std::vector<Typ>& out = main.attr("function_type")->type->out;
  const auto plain = [](Typ t) { return !small_type(t) && !is_token(t); };
  if (std::all_of(in.begin(), in.end(), plain) && std::none_of(out.begin(), out.end(), is_token))
    return c;
  // Arguments may contain numbers that the small type does not have. Tokens are not arguments or
  // results of the program.
  Types given;
  for (Typ t : in)
    if (!is_token(t)) given.push_back(*array_type(t));
  return record(given, [&](const Arrays& x) {
    Arrays all = c.consts, results;
    size_t next = 0;
    for (Typ t : in) {
      const SmallType* s = small_type(t);
      all.push_back(is_token(t) ? base::zeros(*array_type(t))
                    : s         ? brought_back(*s, x[next])
                                : x[next]);
      next += is_token(t) ? 0 : 1;
    }
    const Arrays inside = eval_jaxpr(c.jaxpr, all);
    for (size_t k = 0; k < inside.size(); ++k)
      if (!is_token(out[k])) results.push_back(inside[k]);
    return results;
  });
}

void Translator::leave_out(const Op& op) {
  left_out_.try_emplace(op.at, op.attr("call_target_name")->text);
}
std::string Translator::place(const Op& op) const {
  return fmt::format("{}, line {}", p_.source->name, location(op.at).line);
}

bool Translator::expect(const Op& op, StablehloCheck check, const Array& actual,
                        const Array& expected) {
  if (!testing_) return false;
  check.line = place(op);
  expected_.push_back(actual);
  expected_.push_back(expected);
  checks_.push_back(std::move(check));
  return true;
}

StablehloTest Translator::test() {
  const Op& main = entry();
  const auto inputs = functions_.find("inputs");
  Arrays values;
  if (inputs != functions_.end()) {
    const ClosedJaxpr& c = program(inputs->second, 0);
    if (!c.jaxpr->in_types().empty() && c.jaxpr->n_in != c.jaxpr->n_const)
      fail(*inputs->second.op, "@inputs must take nothing");
    values = eval_jaxpr(c.jaxpr, c.consts);
  }
  if (!main.attr("function_type")->type->in.empty() || main.regions.empty())
    fail(main, "a test takes no arguments");
  testing_ = true;
  ClosedJaxpr c = record(types_of(values), [&](const Arrays& x) {
    inputs_ = x;
    run(main.regions[0], {});
    return expected_;
  });
  testing_ = false;
  return {std::move(c), std::move(values), std::move(checks_)};
}

Types Translator::types_of_arguments(const Op& function) const {
  Types in;
  for (Typ t : function.attr("function_type")->type->in) {
    const auto known = array_type(t);
    if (!known) missing_type(function, t);
    in.push_back(*known);
  }
  return in;
}

const ClosedJaxpr& Translator::program(Function& f, size_t at) {
  if (f.program) return *f.program;
  if (f.open) fail_at(at, "a function that calls itself");
  const Op& op = *f.op;
  if (op.regions.empty() || op.regions[0].blocks.empty()) fail(op, "a function without a body");
  const Typ type = op.attr("function_type")->type;
  const Block& b = body(op.regions[0], op.at);
  if (b.args != type->in) fail(op, "the arguments of the body are not those of function_type");
  const Types in = types_of_arguments(op);
  f.open = true;
  ClosedJaxpr c = recorded(op.regions[0], in);
  f.open = false;
  if (c.jaxpr->out.size() != type->out.size())
    fail(op, "the body returns another number of results");
  f.program = std::move(c);
  return *f.program;
}

Arrays Translator::call(const std::string& symbol, const Arrays& x, size_t at) {
  const auto it = functions_.find(symbol);
  if (it == functions_.end()) fail_at(at, fmt::format("no function @{}", symbol));
  if (testing_ && symbol == "inputs" && x.empty()) return inputs_;
  if (whole_) return run(it->second.op->regions[0], x);
  const ClosedJaxpr& c = program(it->second, at);
  Arrays all = c.consts;
  all.insert(all.end(), x.begin(), x.end());
  const Types want = c.jaxpr->in_types();
  if (all.size() != want.size()) fail_at(at, "the wrong number of arguments");
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i].type() != want[i])
      fail_at(at, fmt::format("argument {} of @{} must be {}, got {}", i - c.consts.size(), symbol,
                              to_string(want[i]), to_string(all[i].type())));
  return base::call(c.jaxpr, all, symbol);
}

const Region* Translator::function_body(const std::string& symbol) const {
  const auto it = functions_.find(symbol);
  if (it == functions_.end() || it->second.op->regions.size() != 1) return nullptr;
  return &it->second.op->regions[0];
}

const Block& Translator::body(const Region& r, size_t at) const {
  if (r.blocks.size() != 1) fail_at(at, "a region must be one block");
  return r.blocks[0];
}

ClosedJaxpr Translator::recorded(const Region& r, const Types& args, size_t last) {
  if (++depth_ > deepest)
    fail_at(place_of(r), fmt::format("regions and calls nested more than {} deep", deepest));
  const auto n = static_cast<std::ptrdiff_t>(last);
  ClosedJaxpr c = record(args, [&](Arrays x) {
    std::rotate(x.begin(), x.begin() + n, x.end());
    Arrays out = run(r, x);
    if (out.size() < last) fail_at(place_of(r), fmt::format("a body of {} results", out.size()));
    std::rotate(out.begin(), out.end() - n, out.end());
    return out;
  });
  --depth_;
  return c;
}

ClosedJaxpr Translator::recorded_body(const Region& r, const Types& args, size_t last) {
  ++loops_;
  ClosedJaxpr c = recorded(r, args, last);
  --loops_;
  return c;
}

void Translator::check_arguments(const Block& b, const Arrays& args, size_t at) const {
  if (args.size() != b.args.size())
    fail_at(at, fmt::format("a region of {} arguments, not {}", b.args.size(), args.size()));
  for (size_t i = 0; i < args.size(); ++i) {
    const auto want = array_type(b.args[i]);
    if (!want || (whole_ ? args[i].dtype() != want->dtype() : args[i].type() != *want))
      fail_at(at, fmt::format("argument {} of the region takes a {}, not {}", i, b.args[i]->text,
                              to_string(args[i].type())));
  }
}

Arrays Translator::run(const Region& r, const Arrays& args) {
  const size_t at = place_of(r);
  const Block& b = body(r, at);
  check_arguments(b, args, at);
  values_.resize(std::max(values_.size(), defining_ops_.size()));
  for (size_t i = 0; i < args.size(); ++i) values_[slot(b.first_arg) + i] = args[i];
  for (const Op& op : b.ops) {
    if (op.name != "stablehlo.return" && op.name != "func.return") {
      step(op);
      continue;
    }
    if (&op != &b.ops.back()) fail(op, "a return must be the last op of its block");
    Arrays out;
    for (int32_t v : op.operands) out.push_back(values_[slot(v)]);
    return out;
  }
  fail_at(at, "a region without a return");
}

Arrays Translator::run_on_arrays(const Op& op, const Region& r, const Arrays& args,
                                 size_t results) {
  const auto counted = [&](Arrays out) {
    if (out.size() != results)
      fail(op,
           fmt::format("the body of '{}' returns {} values, not {}", op.name, out.size(), results));
    return out;
  };
  Shape shape;
  for (const Array& a : args)
    if (a.ndim() > 0) shape = a.shape();
  if (!is_elementwise(r)) {
    Arrays all;
    for (const Array& a : args)
      all.push_back(a.shape() == shape ? a : broadcast_in_dim(a, shape, {}));
    if (mapped_ == max_mapped)
      fail(op, fmt::format("'{}' stands in a body in {} bodies of others, more than are read",
                           op.name, max_mapped));
    ++mapped_;
    Arrays out = each_element([&](const Arrays& x) { return counted(run(r, x)); }, all);
    --mapped_;
    return out;
  }
  const bool before = std::exchange(whole_, true);
  Arrays out = counted(run(r, args));
  whole_ = before;
  // A result that does not depend on the arguments is still a scalar.
  for (Array& a : out)
    if (a.shape() != shape) a = broadcast_in_dim(a, shape, {});
  return out;
}

bool Translator::is_elementwise(const Region& r) const {
  int budget = max_inlined;
  return is_elementwise(r, 0, &budget);
}
bool Translator::is_elementwise(const Region& r, int calls, int* budget) const {
  const auto scalar = [](Typ t) { return t->kind == TypeData::Kind::tensor && t->dims.empty(); };
  if (r.blocks.size() != 1 || calls > 8) return false;
  for (const Op& op : r.blocks[0].ops) {
    if (--*budget < 0 || !std::all_of(op.in.begin(), op.in.end(), scalar) ||
        !std::all_of(op.out.begin(), op.out.end(), scalar))
      return false;
    if (op.name == "func.call") {
      const Attr* callee = op.attr("callee");
      const auto f = functions_.find(callee ? symbol_name(callee->text) : "");
      if (f == functions_.end() || f->second.op->regions.size() != 1 ||
          !is_elementwise(f->second.op->regions[0], calls + 1, budget))
        return false;
    } else if (!op.regions.empty() ||
               !(elementwise_rules().contains(op.name) || op.name == "stablehlo.constant" ||
                 op.name.ends_with(".return"))) {
      return false;
    }
  }
  return true;
}

int32_t Translator::part(const Op& op) const {
  if (op.operands.size() != 1) fail(op, "'get_tuple_element' needs a tuple");
  const auto source = [&](int32_t v) {
    const auto found = parts_.find(v);
    return found == parts_.end() ? v : found->second;
  };
  const Op* made = defining_ops_[slot(source(op.operands[0]))];
  if (!made || made->name != "stablehlo.tuple")
    missing(op, "of a tuple that no stablehlo.tuple makes");
  const int64_t i = integer(op, "index");
  if (i < 0 || i >= std::ssize(made->operands)) fail(op, "index is out of range for the tuple");
  return source(made->operands[slot(i)]);
}

void Translator::step(const Op& op) {
  if (op.name == "stablehlo.tuple") return;
  if (op.name == "stablehlo.get_tuple_element") {
    const int32_t v = part(op);
    parts_[op.first_result] = v;
    if (op.out.size() != 1) fail(op, "'get_tuple_element' gives one value");
    values_[slot(op.first_result)] = values_[slot(v)];
    if (array_type(op.out[0])) check_results(op, {values_[slot(v)]});
    return;
  }
  Arrays x;
  for (int32_t v : op.operands) {
    x.push_back(values_[slot(v)]);
    if (x.back().empty_handle()) missing(op, "on an operand that is not an array");
  }
  const Arrays out = translated(op, x);
  for (size_t i = 0; i < out.size(); ++i) values_[slot(op.first_result) + i] = out[i];
}

Arrays Translator::translated(const Op& op, const Arrays& x) {
  const auto rule = rules().find(op.name);
  if (rule == rules().end()) missing(op);
  for (Typ t : op.out)
    if (!array_type(t)) missing_type(op, t);
  check_small(op);
  try {
    const SourceScope source(location(op.at));
    Arrays out = rule->second(*this, op, x);
    check_results(op, out);
    bring_back(op, out);
    return out;
  } catch (const FormatError&) {
    throw;  // already has its place
  } catch (const InternalError&) {
    throw;
  } catch (const ShapeError& e) {
    fail(op, e.what());
  } catch (const DTypeError& e) {
    fail(op, e.what());
  } catch (const IndexError& e) {
    fail(op, e.what());
  }
}

void Translator::check_small(const Op& op) const {
  // These ops read bits or adjacent numbers. The dtype that holds a small type has more bits and
  // more numbers.
  static const std::set<std::string_view> of_bits = {"stablehlo.reduce_precision", "chlo.mulhi",
                                                     "chlo.next_after", "check.expect_close"};
  if (!of_bits.contains(op.name)) return;
  for (const auto& types : {op.in, op.out})
    for (Typ t : types)
      if (const SmallType* s = small_type(t)) missing(op, fmt::format("of {}", s->name));
}
void Translator::bring_back(const Op& op, Arrays& out) const {
  // The results of these ops are already numbers of the type.
  static const std::set<std::string_view> keep = {"func.call",         "stablehlo.broadcast_in_dim",
                                                  "stablehlo.case",    "stablehlo.constant",
                                                  "stablehlo.convert", "stablehlo.if",
                                                  "stablehlo.reshape", "stablehlo.select",
                                                  "stablehlo.slice",   "stablehlo.transpose",
                                                  "stablehlo.while"};
  if (keep.contains(op.name)) return;
  for (size_t i = 0; i < out.size(); ++i)
    if (const SmallType* s = small_type(op.out[i])) out[i] = brought_back(*s, out[i]);
}

void Translator::check_results(const Op& op, const Arrays& out) const {
  if (out.size() != op.out.size())
    fail(op, fmt::format("'{}' gives {} results here, not {}", op.name, out.size(), op.out.size()));
  for (size_t i = 0; i < out.size(); ++i) {
    const Type want = result(op, i);
    const bool fits = whole_ ? out[i].dtype() == want.dtype() : out[i].type() == want;
    if (!fits)
      fail(op, fmt::format("'{}' gives {} here, not {}", op.name, to_string(out[i].type()),
                           to_string(want)));
  }
}

Type Translator::result(const Op& op, size_t i) const {
  if (i >= op.out.size()) fail(op, fmt::format("'{}' needs a result", op.name));
  return *array_type(op.out[i]);
}

const weft::hlo::Op* Translator::defining_op(int32_t value, std::string_view name,
                                             size_t operands) const {
  const Op* op = defining_ops_[slot(value)];
  const bool fits =
      op && op->name == name && op->operands.size() == operands && op->out.size() == 1;
  return fits ? op : nullptr;
}

namespace {
// Returns an element of a constant of integers, unless it is too large.
std::optional<int64_t> integer_at(const Dense& d, size_t i) {
  const auto size = slot(itemsize(d.dtype));
  int64_t n = 0;
  std::memcpy(&n, d.bytes.data() + (d.splat ? 0 : i * size), size);
  const int unused = 64 - 8 * static_cast<int>(size);
  if (is_signed(d.dtype)) return static_cast<int64_t>(static_cast<uint64_t>(n) << unused) >> unused;
  if (n < 0) return {};
  return n;
}
}  // namespace

const Dense* Translator::constant(int32_t value) const {
  const Op* op = defining_op(value, "stablehlo.constant", 0);
  const Attr* a = op ? op->attr("value") : nullptr;
  return a && a->dense && a->dense->known ? a->dense.get() : nullptr;
}
std::optional<int64_t> Translator::known_integer(int32_t value) const {
  const Dense* d = constant(value);
  if (!d || !is_integer(d->dtype) || d->bytes.size() != slot(itemsize(d->dtype))) return {};
  return integer_at(*d, 0);
}
std::vector<int64_t> Translator::known_integers(const Op& op, size_t operand) const {
  const Dense* d = constant(op.operands.at(operand));
  if (!d || !is_integer(d->dtype)) missing(op, "with sizes that are not constants");
  std::vector<int64_t> out;
  const int64_t n = array_type(d->type)->elements();
  if (slot(n) > 2 * max_axes) fail(op, "more sizes than axes");
  for (int64_t i = 0; i < n; ++i) out.push_back(integer_at(*d, slot(i)).value_or(INT64_MAX));
  return out;
}

const Region& Translator::only_region(const Op& op) const {
  if (op.regions.size() != 1) fail(op, fmt::format("'{}' needs one region", op.name));
  return op.regions[0];
}

std::string only_op(const Region& r) {
  if (r.blocks.size() != 1 || r.blocks[0].ops.size() != 2 || r.blocks[0].args.size() != 2)
    return {};
  const Block& b = r.blocks[0];
  const Op &op = b.ops[0], &done = b.ops[1];
  const std::vector<int32_t> both = {b.first_arg, b.first_arg + 1}, swapped = {both[1], both[0]};
  if (op.out.size() != 1 || !done.name.ends_with(".return") ||
      done.operands != std::vector<int32_t>{op.first_result})
    return {};
  if (op.operands == both) return op.name;
  constexpr std::string_view commute[] = {
      "stablehlo.add", "stablehlo.multiply", "stablehlo.maximum", "stablehlo.minimum",
      "stablehlo.and", "stablehlo.or",       "stablehlo.xor"};
  const bool either =
      std::find(std::begin(commute), std::end(commute), op.name) != std::end(commute);
  return either && op.operands == swapped ? op.name : std::string();
}

// ---- attributes

const Attr& Translator::attr(const Op& op, std::string_view name) const {
  const Attr* a = op.attr(name);
  if (!a) fail(op, fmt::format("'{}' needs the attribute {}", op.name, name));
  return *a;
}

namespace {
std::optional<std::vector<int64_t>> list_in(const Attr& a) {
  if (a.kind == Attr::Kind::numbers && a.items.empty()) return a.numbers;
  if (a.kind != Attr::Kind::dense || !a.dense->known) return {};
  const Dense& d = *a.dense;
  if (d.dtype != I64 && d.dtype != Bool) return {};
  const auto size = static_cast<size_t>(itemsize(d.dtype));
  std::vector<int64_t> out;
  int64_t n = 1;
  for (int64_t s : d.type->dims) n *= s;
  if (n > (1 << 20)) return {};
  for (size_t i = 0; i < static_cast<size_t>(n); ++i) {
    int64_t v = 0;
    std::memcpy(&v, d.bytes.data() + (d.splat ? 0 : i * size), size);
    out.push_back(v);
  }
  return out;
}
}  // namespace

std::vector<int64_t> Translator::ints(const Op& op, std::string_view name) const {
  auto list = list_in(attr(op, name));
  if (!list) fail_at(attr(op, name).at, fmt::format("{} must be a list of integers", name));
  return *list;
}
std::vector<int64_t> Translator::ints(const Op& op, std::string_view name, size_t n,
                                      int64_t otherwise) const {
  if (!op.attr(name)) return std::vector<int64_t>(n, otherwise);
  auto list = ints(op, name);
  if (list.size() != n) fail_at(attr(op, name).at, fmt::format("{} needs {} entries", name, n));
  return list;
}
int64_t Translator::integer(const Op& op, std::string_view name) const {
  const Attr& a = attr(op, name);
  if (a.kind != Attr::Kind::integer) fail_at(a.at, fmt::format("{} must be an integer", name));
  return a.integer;
}
int64_t Translator::integer(const Op& op, std::string_view name, int64_t otherwise) const {
  return op.attr(name) ? integer(op, name) : otherwise;
}
bool Translator::flag(const Op& op, std::string_view name) const {
  return integer(op, name, 0) != 0;
}
std::string Translator::word(const Op& op, std::string_view name,
                             std::string_view otherwise) const {
  if (!op.attr(name) && !otherwise.empty()) return std::string(otherwise);
  const Attr& a = attr(op, name);
  const size_t blank = a.text.rfind(' ');
  if (a.kind != Attr::Kind::text || blank == std::string::npos || !a.text.ends_with('>'))
    fail_at(a.at, fmt::format("{} must be a word of the dialect", name));
  return a.text.substr(blank + 1, a.text.size() - blank - 2);
}

namespace {
// Returns the text after "name =" in an attribute.
std::string_view behind(const Attr& a, std::string_view name) {
  const std::string_view t = a.text;
  for (size_t i = 0; (i = t.find(name, i)) != std::string_view::npos; ++i) {
    const char before = i ? t[i - 1] : '<';
    if (before != '<' && before != ' ' && before != ',') continue;
    std::string_view rest = t.substr(i + name.size());
    while (rest.starts_with(' ')) rest.remove_prefix(1);
    if (!rest.starts_with('=')) continue;
    rest.remove_prefix(1);
    while (rest.starts_with(' ')) rest.remove_prefix(1);
    return rest;
  }
  return {};
}
}  // namespace

std::vector<int64_t> Translator::field(const Op& op, const Attr& a, std::string_view name) const {
  std::string_view rest = behind(a, name);
  std::vector<int64_t> list;
  if (rest.empty()) return list;
  const size_t end = rest.find(']');
  if (!rest.starts_with('[') || end == std::string_view::npos)
    fail(op, fmt::format("{} must be a list of integers", name));
  const char* at = rest.data() + 1;
  const char* const stop = rest.data() + end;
  while (at < stop) {
    if (*at == ' ' || *at == ',') {
      ++at;
      continue;
    }
    int64_t n = 0;
    const auto r = std::from_chars(at, stop, n);
    if (r.ec != std::errc()) fail(op, fmt::format("{} must be a list of integers", name));
    list.push_back(n);
    at = r.ptr;
  }
  return list;
}
std::optional<int64_t> Translator::field_number(const Op& op, const Attr& a,
                                                std::string_view name) const {
  const std::string_view rest = behind(a, name);
  if (rest.empty()) return {};
  int64_t n = 0;
  if (std::from_chars(rest.data(), rest.data() + rest.size(), n).ec != std::errc())
    fail(op, fmt::format("{} must be an integer", name));
  return n;
}

}  // namespace weft::hlo

namespace weft {
namespace {

// Reports other program formats by their name. Their first words are not operations.
void refuse_other_formats(std::string_view text, const std::string& name) {
  if (text.starts_with("ML\xefR"))
    throw FormatError(name + ": MLIR bytecode; Weft reads text, as lowered.as_text() gives it");
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  if (text.starts_with("HloModule"))
    throw FormatError(name +
                      ": compiled HLO; Weft reads StableHLO, which jax.jit(f).lower(...).as_text() "
                      "gives before .compile()");
  if (!text.starts_with('{')) return;
  text.remove_prefix(1);
  text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  if (text.starts_with("lambda"))
    throw FormatError(name +
                      ": a jaxpr, not StableHLO; weft::parse_jaxpr reads it, and the command weft "
                      "in a file that ends in .jaxpr");
}

}  // namespace

ClosedJaxpr parse_stablehlo(const std::string& text, const std::string& name, Location at) {
  const SourceScope source(at);
  refuse_other_formats(text, name);
  const auto parts = hlo::parse(std::make_shared<hlo::SourceText>(hlo::SourceText{name, text}));
  if (parts.empty()) throw FormatError(name + ": no program");
  return hlo::Translator(parts[0]).main();
}

std::vector<StablehloTest> parse_stablehlo_tests(const std::string& text, const std::string& name,
                                                 Location at) {
  const SourceScope source(at);
  refuse_other_formats(text, name);
  std::vector<StablehloTest> tests;
  for (const hlo::Program& p :
       hlo::parse(std::make_shared<hlo::SourceText>(hlo::SourceText{name, text}))) {
    StablehloTest test = hlo::Translator(p).test();
    // Some files have parts without checks, which must only be readable.
    if (!test.checks.empty()) tests.push_back(std::move(test));
  }
  if (tests.empty()) throw FormatError(name + ": a test without a check");
  return tests;
}

ClosedJaxpr io::load_stablehlo(const std::string& path, Location at) {
  const SourceScope source(at);
  std::ifstream in(path, std::ios::binary);
  if (!in) throw FormatError(path + ": cannot be opened: " + std::strerror(errno));
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (in.bad()) throw FormatError(path + ": cannot be read");
  return parse_stablehlo(text, path);
}

}  // namespace weft
