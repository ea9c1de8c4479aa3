// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/write/write.cpp: functions, values and constants of the text, and the writing
// of a program as a whole.
#include "interop/stablehlo/write/write.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <utility>

#include "core/op.h"
#include "core/weak_literal.h"
#include "interop/stablehlo/read/dense.h"
#include "interop/stablehlo/read/translate.h"
#include "tracer/concrete.h"
#include "tracer/record_trace.h"
#include "weft/error.h"
#include "weft/jit/lowered.h"
#include "weft/stablehlo.h"

namespace weft::hlo {
namespace {

// The rules of all families.
const WriteRules& write_rules() {
  static const WriteRules all = [] {
    WriteRules r;
    write_effects(r);
    write_elementwise(r);
    write_shapes(r);
    write_reductions(r);
    write_convolutions(r);
    write_indexing(r);
    write_sorting(r);
    write_linalg(r);
    write_spectral(r);
    write_fourier(r);
    return r;
  }();
  return all;
}

// The type of keys as arguments and results of main, where their words are on a last axis.
Type outside(const Type& t) {
  return is_key(t.dtype()) ? Type(U32, t.shape().inserted(t.ndim(), 2)) : hlo::written(t);
}

Vals write(Writer& w, const Equation& e, const Vals& x) {
  const auto& rules = write_rules();
  const auto rule = rules.find(e.name());
  if (rule == rules.end() && e.eqn.op->effects(e.eqn.params) != Effect::none)
    e.refuse("it calls code of this process, for which StableHLO has no op");
  // Results without elements are written as constants, because the windows and batches of
  // StableHLO's ops do not fit into an axis of size 0.
  if (std::all_of(e.out.begin(), e.out.end(), [](const Type& t) { return t.elements() == 0; })) {
    constexpr uint64_t nothing[2] = {0, 0};
    Vals r;
    for (const Type& t : e.out) r.push_back(w.repeated(hlo::written(t), nothing));
    return r;
  }
  return rule == rules.end() ? write_lowering(w, e, x) : rule->second(w, e, x);
}

std::vector<NamedAttr> composite_attrs(const std::string& name, int64_t version,
                                       const std::string& symbol) {
  Attr none;
  none.kind = Attr::Kind::dictionary;
  return {{"composite_attributes", none},
          {"decomposition", symbol_attr(symbol)},
          {"name", string_attr(name)},
          {"version", integer_attr(version, I32)}};
}

}  // namespace

Vals write_composite(Writer& w, const Equation& e, const Vals& x,
                     FunctionRef<Vals(const Vals&)> f) {
  const std::string name = std::string(own_prefix) + e.name();
  return w.op("stablehlo.composite", x, written(e.out),
              composite_attrs(name, 0, w.function(name, types_of(x), f)));
}

namespace {
// Writes the expansion of an op as a function. If the op has no parameters, it is a composite with
// the op's name, for readers that have the op.
Vals write_expanded(Writer& w, const Equation& e, const Vals& x) {
  const ClosedJaxpr program =
      record(e.in, [&](const Arrays& a) { return e.eqn.op->expand(a, e.eqn.params); });
  const Jaxpr open = open_constants(program.jaxpr);
  const auto with_constants = [&](const Vals& in) {
    Vals all;
    for (const Array& c : program.consts) all.push_back(w.constant(c));
    all.insert(all.end(), in.begin(), in.end());
    return all;
  };
  if (!e.eqn.params->fields().empty()) return w.call(open, e.name(), with_constants(x));
  return write_composite(w, e, x,
                         [&](const Vals& in) { return w.written_out(open, with_constants(in)); });
}
}  // namespace

Vals write_lowering(Writer& w, const Equation& e, const Vals& x) {
  if (e.eqn.op->implementations().empty())
    e.refuse("it means something only inside a map, or only while a program is transposed");
  if (!e.eqn.op->has(weft::Op::Slot::lower)) {
    if (e.eqn.op->has(weft::Op::Slot::expand)) return write_expanded(w, e, x);
    e.refuse("no program stands for it");
  }
  const Lowering l = e.eqn.op->lower(e.in, e.out, e.eqn.params);
  using Form = Lowering::Form;
  if (l.form == Form::loop || l.form == Form::branch || !l.loop.bodies.empty())
    return write_control(w, e, l, x);
  if (l.form == Form::pull) return write_nest(w, e, l, x);
  e.refuse("StableHLO has no such op");
}

Type written(const Type& t) { return Type(is_key(t.dtype()) ? U64 : t.dtype(), t.shape()); }
Types written(const Types& types) {
  Types out;
  for (const Type& t : types) out.push_back(written(t));
  return out;
}

// ---- attributes

Attr integer_attr(int64_t n, DType d) {
  Attr a;
  a.kind = Attr::Kind::integer;
  a.text = std::to_string(n);
  a.integer = n;
  // Attributes outlive their writer, and writers run on several threads. So these types are never
  // destroyed.
  static TypeTable* const names = new TypeTable;
  static const Typ i32 = names->other("i32"), i64 = names->other("i64");
  a.type = d == I32 ? i32 : i64;
  return a;
}
Attr bool_attr(bool b) {
  Attr a;
  a.kind = Attr::Kind::integer;
  a.text = b ? "true" : "false";
  a.integer = b;
  return a;
}
Attr ints_attr(const Ints& n) {
  Attr a = integer_attr(0);
  a.kind = Attr::Kind::numbers;
  a.text.clear();
  a.numbers = n;
  return a;
}
Attr text_attr(std::string text) {
  Attr a;
  a.kind = Attr::Kind::text;
  a.text = std::move(text);
  return a;
}
Attr symbol_attr(const std::string& name) {
  Attr a = text_attr("@" + name);
  a.kind = Attr::Kind::symbol;
  return a;
}
Attr string_attr(std::string text) {
  Attr a = text_attr(std::move(text));
  a.kind = Attr::Kind::string;
  return a;
}
std::string list_text(const Ints& n) { return fmt::format("[{}]", fmt::join(n, ", ")); }

// ---- equations

const std::string& Equation::name() const { return eqn.op->name(); }
void Equation::no_field(std::string_view name) const {
  throw InternalError(fmt::format("'{}' has no parameter {}", eqn.op->name(), name));
}
void Equation::refuse(const std::string& why) const {
  const SourceScope source(eqn.source);
  throw CompileError(fmt::format("StableHLO text: '{}' cannot be written: {}", name(), why));
}

// ---- ops and regions

Typ Writer::typ(const Type& t) {
  return types_->tensor(t.shape().sizes(), types_->other(element_name(t.dtype())));
}

Vals Writer::op(std::string_view name, const Vals& x, const Types& out,
                std::vector<NamedAttr> attrs, std::vector<Region> regions) {
  Op o;
  o.name = name;
  for (const Val& v : x) {
    o.operands.push_back(v.id);
    o.in.push_back(typ(v.type));
  }
  Vals results;
  o.first_result = next_;
  for (const Type& t : out) {
    o.out.push_back(typ(t));
    results.push_back({next_++, t});
  }
  o.attrs = std::move(attrs);
  o.regions = std::move(regions);
  ops_->push_back(std::move(o));
  return results;
}
Val Writer::one(std::string_view name, const Vals& x, const Type& out, std::vector<NamedAttr> attrs,
                std::vector<Region> regions) {
  return op(name, x, {out}, std::move(attrs), std::move(regions))[0];
}

Region Writer::block(const Types& args, std::string_view terminator,
                     FunctionRef<Vals(const Vals&)> f, Types* out) {
  Block b;
  b.first_arg = next_;
  Vals in;
  for (const Type& t : args) {
    b.args.push_back(typ(t));
    in.push_back({next_++, t});
  }
  std::vector<Op>* const outer = std::exchange(ops_, &b.ops);
  constants_.emplace_back();
  const Vals results = f(in);
  op(terminator, results, {});
  constants_.pop_back();
  ops_ = outer;
  if (out) *out = types_of(results);
  Region r;
  r.blocks.push_back(std::move(b));
  return r;
}
Region Writer::region(const Types& args, FunctionRef<Vals(const Vals&)> f) {
  return block(args, "stablehlo.return", f, nullptr);
}

// ---- functions

std::string Writer::fresh_symbol(const std::string& wanted) {
  std::string s;
  for (char c : wanted) {
    const bool fits = std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
    s += fits ? c : '_';
  }
  if (s.empty() || std::isdigit(static_cast<unsigned char>(s[0]))) s = "f" + s;
  int& count = symbols_[s];
  if (count++ == 0) return s;
  return fresh_symbol(fmt::format("{}_{}", s, count - 1));
}

weft::hlo::Op Writer::function_op(const std::string& symbol, bool is_private, const Types& args,
                                  FunctionRef<Vals(const Vals&)> f) {
  Op o;
  o.name = "func.func";
  Types out;
  // A function cannot use values from outside.
  std::vector<Constants> outer = std::exchange(constants_, {});
  o.regions.push_back(block(args, "func.return", f, &out));
  constants_ = std::move(outer);
  std::vector<Typ> in_types, out_types;
  for (const Type& t : args) in_types.push_back(typ(t));
  for (const Type& t : out) out_types.push_back(typ(t));
  Attr type;
  type.kind = Attr::Kind::type;
  type.type = types_->function(std::move(in_types), std::move(out_types));
  o.attrs = {{"function_type", type}, {"sym_name", string_attr(symbol)}};
  if (is_private) o.attrs.push_back({"sym_visibility", string_attr("private")});
  return o;
}

std::string Writer::function(const std::string& name, const Types& args,
                             FunctionRef<Vals(const Vals&)> f) {
  std::string key = name;
  for (const Type& t : args) key += ' ' + typ(t)->text;
  const auto known = made_.find(key);
  if (known != made_.end()) return known->second;
  std::string symbol = fresh_symbol(name);
  functions_.push_back(function_op(symbol, true, args, f));
  made_.emplace(std::move(key), symbol);
  return symbol;
}

const std::string& Writer::symbol_of(const Jaxpr& j, const std::string& wanted) {
  std::string& symbol = called_[identity_of(j.get())];
  if (symbol.empty()) {
    symbol = fresh_symbol(wanted);
    calls_.push_back(j);
  }
  return symbol;
}

Vals Writer::call(const Jaxpr& j, const std::string& name, const Vals& args) {
  return op("func.call", args, written(j->out_types()),
            {{"callee", symbol_attr(symbol_of(j, name))}});
}

Vals Writer::composite(const Jaxpr& j, const std::string& name, int64_t version, const Vals& args) {
  return op("stablehlo.composite", args, written(j->out_types()),
            composite_attrs(name, version, symbol_of(j, name)));
}

Vals Writer::written_out(const Jaxpr& j, const Vals& args) {
  Vals values(j->types.size());
  std::copy(args.begin(), args.end(), values.begin());
  const auto value = [&](Atom a) -> Val {
    if (!a.is_literal()) return values[static_cast<size_t>(a.index)];
    const Literal& l = j->literals[static_cast<size_t>(a.literal())];
    return repeated(hlo::written(l.type()), l.bits);
  };
  // The literal of an operand keeps a double only where the equation reads that.
  const auto operand = [&](Atom a) -> Val {
    if (!a.is_literal()) return value(a);
    const Literal l = exact_literal(j->literals[static_cast<size_t>(a.literal())]);
    return repeated(hlo::written(l.type()), l.bits);
  };
  for (const Eqn& eqn : j->eqns) {
    Types in, out;
    Vals x;
    for (Atom a : eqn.in) {
      x.push_back(operand(a));
      in.push_back(j->type(a));
    }
    for (int32_t k = 0; k < eqn.n_out; ++k)
      out.push_back(j->types[static_cast<size_t>(eqn.out + k)]);
    const Equation e{eqn, in, out};
    const Vals results = write(*this, e, x);
    for (size_t k = 0; k < out.size(); ++k)
      if (results.at(k).type != hlo::written(out[k]))
        throw InternalError(fmt::format("StableHLO text: '{}' became {}, not {}", e.name(),
                                        to_string(results[k].type), to_string(out[k])));
    std::copy(results.begin(), results.end(), values.begin() + eqn.out);
  }
  Vals out;
  for (Atom a : j->out) out.push_back(value(a));
  return out;
}

Vals Writer::computed(const Types& in, FunctionRef<Arrays(const Arrays&)> f, const Vals& args) {
  const ClosedJaxpr program = record(in, [&](const Arrays& x) { return f(x); });
  Vals all;
  for (const Array& c : program.consts) all.push_back(constant(c));
  all.insert(all.end(), args.begin(), args.end());
  return written_out(program.jaxpr, all);
}

Program Writer::program(const Jaxpr& j, const Arrays& consts) {
  symbols_["main"] = 1;
  Types args, inside;
  for (int i = j->n_const; i < j->n_in; ++i) {
    inside.push_back(hlo::written(j->types[static_cast<size_t>(i)]));
    args.push_back(outside(j->types[static_cast<size_t>(i)]));
  }
  const Types results = j->out_types();
  std::vector<Op> all;
  all.push_back(function_op("main", false, args, [&](const Vals& x) {
    Vals in;
    for (const Array& c : consts) in.push_back(constant(c));
    for (size_t i = 0; i < x.size(); ++i)
      in.push_back(x[i].type == inside[i] ? x[i] : bitcast(x[i], inside[i]));
    Vals out = written_out(j, in);
    for (size_t k = 0; k < out.size(); ++k)
      if (const Type t = outside(results[k]); out[k].type != t) out[k] = bitcast(out[k], t);
    return out;
  }));
  // Functions may call other functions, which appends to the list.
  for (size_t i = 0; i < calls_.size(); ++i) {
    const Jaxpr f = calls_[i];
    all.push_back(function_op(called_.at(identity_of(f.get())), true, written(f->in_types()),
                              [&](const Vals& x) { return written_out(f, x); }));
  }
  for (Op& f : functions_) all.push_back(std::move(f));
  Op module;
  module.name = "builtin.module";
  module.regions.emplace_back().blocks.emplace_back().ops = std::move(all);
  Program p;
  p.types = types_;
  p.ops.push_back(std::move(module));
  return p;
}

// ---- constants

Attr Writer::dense_attr(const Type& t, Dense d) {
  d.type = typ(t);
  d.known = true;
  d.dtype = t.dtype();
  merge_equal(d);
  Attr a;
  a.kind = Attr::Kind::dense;
  a.dense = std::make_shared<const Dense>(std::move(d));
  return a;
}
Attr Writer::dense_attr(const Array& x) {
  Dense d;
  d.bytes.resize(static_cast<size_t>(x.type().bytes()));
  if (!d.bytes.empty()) std::memcpy(d.bytes.data(), concrete(x).data(), d.bytes.size());
  return dense_attr(hlo::written(x.type()), std::move(d));
}
Val Writer::repeated(const Type& t, const void* element) {
  const auto size = static_cast<size_t>(itemsize(t.dtype()));
  std::string key = to_string(t) + ' ';
  key.append(static_cast<const char*>(element), size);
  for (const Constants& scope : constants_)
    if (const auto known = scope.find(key); known != scope.end()) return known->second;
  Dense d;
  if (t.elements() != 0) {
    d.bytes.resize(size);
    std::memcpy(d.bytes.data(), element, size);
  }
  const Val v = one("stablehlo.constant", {}, t, {{"value", dense_attr(t, std::move(d))}});
  constants_.back().emplace(std::move(key), v);
  return v;
}
Val Writer::number(const Type& t, double x) {
  return repeated(t, concrete(scalar_of(t.dtype(), x)).data());
}
Val Writer::integer(const Type& t, int64_t x) {
  return repeated(t, concrete(scalar_of_int(t.dtype(), x)).data());
}
Val Writer::constant(const Array& x) {
  return one("stablehlo.constant", {}, hlo::written(x.type()), {{"value", dense_attr(x)}});
}

// ---- common ops

Val Writer::compare(std::string_view how, const Val& a, const Val& b, std::string_view kind) {
  std::vector<NamedAttr> attrs;
  if (!kind.empty())
    attrs.push_back(
        {"compare_type", text_attr(fmt::format("#stablehlo<comparison_type {}>", kind))});
  attrs.push_back(
      {"comparison_direction", text_attr(fmt::format("#stablehlo<comparison_direction {}>", how))});
  return one("stablehlo.compare", {a, b}, Type(Bool, a.shape()), std::move(attrs));
}
Val Writer::select(const Val& mask, const Val& a, const Val& b) {
  return one("stablehlo.select", {mask, a, b}, a.type);
}
Val Writer::convert(const Val& x, DType d) {
  return x.dtype() == d ? x : one("stablehlo.convert", {x}, Type(d, x.shape()));
}
Val Writer::bitcast(const Val& x, const Type& t) {
  return x.type == t ? x : one("stablehlo.bitcast_convert", {x}, t);
}
Val Writer::reshape(const Val& x, const Shape& s) {
  return x.shape() == s ? x : one("stablehlo.reshape", {x}, x.type.with_shape(s));
}
Val Writer::broadcast(const Val& x, const Shape& s, const Ints& dims) {
  return x.shape() == s ? x
                        : one("stablehlo.broadcast_in_dim", {x}, x.type.with_shape(s),
                              {{"broadcast_dimensions", ints_attr(dims)}});
}
Val Writer::fit(const Val& x, const Shape& s) { return broadcast(x, s, {}); }
Val Writer::iota(const Type& t, int64_t axis) {
  return one("stablehlo.iota", {}, t, {{"iota_dimension", integer_attr(axis)}});
}
Region Writer::fold(std::string_view name, const Type& scalar) {
  return region({scalar, scalar}, [&](const Vals& x) -> Vals { return {one(name, x, scalar)}; });
}
Val Writer::reduce(std::string_view name, const Val& x, const Val& init, const Ints& axes) {
  Ints kept;
  for (int64_t a = 0; a < x.shape().ndim(); ++a)
    if (std::find(axes.begin(), axes.end(), a) == axes.end()) kept.push_back(x.shape()[a]);
  return one("stablehlo.reduce", {x, init}, x.type.with_shape(Shape(kept)),
             {{"dimensions", ints_attr(axes)}}, only(fold(name, init.type)));
}
Val Writer::slice(const Val& x, const Ints& start, const Ints& limit, const Ints& stride) {
  Ints size, step;
  for (size_t i = 0; i < start.size(); ++i) {
    const int64_t n = limit[i] - start[i];
    size.push_back(n <= 0 ? 0 : (n - 1) / stride[i] + 1);
    // XLA adds the stride to the limit, which must not overflow
    step.push_back(std::min(stride[i], std::max<int64_t>(n, 1)));
  }
  if (Shape(size) == x.shape()) return x;
  return one("stablehlo.slice", {x}, x.type.with_shape(Shape(size)),
             {{"limit_indices", ints_attr(limit)},
              {"start_indices", ints_attr(start)},
              {"strides", ints_attr(step)}});
}

}  // namespace weft::hlo

namespace weft {

std::string to_stablehlo(const ClosedJaxpr& c, Location at) {
  const SourceScope source(at);
  return hlo::to_string(hlo::Writer().program(c.jaxpr, c.consts));
}

std::string detail::stablehlo_text(const LoweredImpl& l) {
  return to_stablehlo({l.closed().jaxpr, l.closed().consts});
}

}  // namespace weft
