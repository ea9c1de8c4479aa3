// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/text/parse.cpp: the parser of programs. The grammar is in docs/ir.md.
//
// An equation ends at ';', at "in (", or at a new line that is not indented more than the
// equation's beginning. Words alone do not suffice, since variables may be called "in" or "nan".
// The op defines the type of each field, so the text of fields does not mark their types. Only
// nesting recurses.
#include <fmt/format.h>

#include <unordered_map>

#include "core/op.h"
#include "core/text/float_text.h"
#include "core/text/parse_text.h"
#include "core/text/print.h"

namespace weft {
namespace {

constexpr int deepest = 200;
constexpr size_t longest_text = size_t{1} << 31;  // so that an int32 can count the variables

using Place = TextCursor::Place;
using Fields = std::vector<std::pair<std::string, ParamValue>>;

class Parser {
 public:
  explicit Parser(std::string_view text) : c_(text) {}
  Jaxpr parse() {
    find_definitions();
    Jaxpr j = program();
    c_.space();
    if (!c_.at_end()) c_.expected("the end of the text");
    // Unused definitions must be correct, too.
    for (auto& [name, d] : definitions_) definition(d);
    return j;
  }

 private:
  // "let name = { … } in" before the program. It is parsed when it is first used.
  struct Definition {
    Place place;
    bool open = false;
    Jaxpr program;
  };
  struct Scope {
    Ref<JaxprData> j = make_ref<JaxprData>();
    std::unordered_map<std::string_view, int32_t> variables;
    int depth = 1;
  };

  void find_definitions() {
    for (c_.space(); c_.peek_word() == "let"; c_.space()) {
      c_.word();
      c_.space();
      const Place start = c_.place();
      const std::string_view name = c_.word();
      if (name.empty()) c_.expected("a name");
      c_.expect('=');
      c_.space();
      if (!definitions_.emplace(name, Definition{c_.place(), false, {}}).second)
        c_.fail(fmt::format("'{}' is defined twice", name), start);
      c_.skip_braces();
      c_.expect_word("in");
    }
  }
  const Jaxpr& definition(Definition& d) {
    if (d.program) return d.program;
    if (d.open) c_.fail("a program that holds itself", c_.place());
    const Place back = c_.place();
    d.open = true;
    c_.go(d.place);
    d.program = program();
    c_.go(back);
    return d.program;
  }

  Jaxpr program() {
    c_.space();
    const Place start = c_.place();
    if (++depth_ > deepest) too_deep(start);
    Scope s;
    c_.expect('{');
    c_.expect_word("lambda");
    while (!c_.accept(';')) input(s, "';'");
    s.j->n_const = static_cast<int>(s.j->types.size());
    while (!c_.accept('.')) input(s, "'.'");
    s.j->n_in = static_cast<int>(s.j->types.size());
    c_.expect_word("let");
    for (c_.space(); !at_results(); c_.space())
      if (!c_.accept(';')) equation(s);
    c_.expect_word("in");
    c_.expect('(');
    while (!c_.accept(')')) {
      c_.space();
      s.j->out.push_back(operand(s));
      c_.space();
      if (c_.peek() != ')' && !c_.accept(',')) c_.expected("',' or ')'");
    }
    c_.expect('}');
    --depth_;
    if (s.depth > deepest) too_deep(start);
    Jaxpr j = intern(std::move(s.j));
    depth_of_[j.get()] = s.depth;
    return j;
  }
  [[noreturn]] void too_deep(Place where) {
    c_.fail(fmt::format("programs nested more than {} deep", deepest), where);
  }

  // Returns true if "in (" is next, and not a variable called "in".
  bool at_results() {
    if (c_.peek_word() != "in") return false;
    const Place back = c_.place();
    c_.word();
    c_.space();
    const bool yes = c_.peek() == '(' && !c_.at_complex();
    c_.go(back);
    return yes;
  }
  // Returns true if "name:" is next.
  bool at_binder() {
    const std::string_view w = c_.peek_word();
    return !w.empty() && c_.peek(w.size()) == ':';
  }

  void input(Scope& s, const char* end) {
    c_.space();
    if (!at_binder())
      c_.expected(fmt::format("a variable with its type such as a:f32[3], or {}", end));
    define(s, binder());
  }
  struct Binder {
    Place at, at_type;
    std::string_view name;
    Type type;
  };
  Binder binder() {
    Binder b;
    b.at = c_.place();
    b.name = c_.word();
    c_.expect(':');
    b.at_type = c_.place();
    b.type = c_.type();
    return b;
  }
  // Gives the next number to a variable.
  void define(Scope& s, const Binder& b) {
    if (b.name != "_" &&
        !s.variables.emplace(b.name, static_cast<int32_t>(s.j->types.size())).second)
      c_.fail(fmt::format("variable '{}' is defined twice", b.name), b.at);
    s.j->types.push_back(b.type);
  }

  void equation(Scope& s) {
    const Place start = c_.place();
    Eqn e;
    e.out = static_cast<int32_t>(s.j->types.size());
    std::vector<Binder> out;
    for (; at_binder(); c_.space()) out.push_back(binder());
    if (!out.empty()) c_.expect('=');
    c_.space();
    const Place at_op = c_.place();
    const std::string name(c_.word("-."));
    if (name.empty()) c_.expected(out.empty() ? "an equation, or in (…)" : "the name of an op");
    e.op = find_op(name);
    if (!e.op) c_.fail(fmt::format("unknown op '{}'", name), at_op);
    e.params = c_.peek() == '[' ? params(s, e) : kind(*e.op).params;
    require_programs(e, at_op);
    operands(s, e, start);
    e.n_out = static_cast<int32_t>(out.size());
    check_types(s, e, out, at_op);
    // The names enter the scope after the operands.
    for (const Binder& b : out) define(s, b);
    s.j->eqns.push_back(std::move(e));
  }

  void operands(Scope& s, Eqn& e, Place start) {
    for (;;) {
      c_.space();
      const Place here = c_.place();
      const char c = c_.peek();
      if (c_.at_end() || c == ';' || c == '}' || at_results()) return;
      if (here.line != start.line && here.first_on_line() && here.column() <= start.column())
        return;
      e.in.push_back(operand(s));
    }
  }
  Atom operand(Scope& s) {
    const Place start = c_.place();
    const std::string_view name = c_.peek_word();
    const char after = c_.peek(name.size());
    if (name.empty() || after == ':' || after == '(') {
      s.j->literals.push_back(c_.literal());
      return {~static_cast<int32_t>(s.j->literals.size() - 1)};
    }
    const auto it = s.variables.find(name);
    if (it == s.variables.end()) c_.fail(fmt::format("variable '{}' is not defined", name), start);
    c_.word();
    return {it->second};
  }

  // Runs a rule of an op. An exception of the rule is reported as an error in the text.
  template <class F>
  auto blame(const Op& op, Place where, F&& rule) {
    try {
      return rule();
    } catch (const std::exception& e) {
      c_.fail(fmt::format("op '{}': {}", op.name(), e.what()), where);
    }
  }
  void check_types(const Scope& s, const Eqn& e, const std::vector<Binder>& out, Place where) {
    Types in;
    for (Atom a : e.in) in.push_back(s.j->type(a));
    const Types types = blame(*e.op, where, [&] { return e.op->type(in, e.params); });
    if (types.size() != out.size())
      c_.fail(fmt::format("op '{}' has {} result{} here, not {}", e.op->name(), types.size(),
                          types.size() == 1 ? "" : "s", out.size()),
              where);
    for (size_t i = 0; i < out.size(); ++i)
      if (types[i] != out[i].type)
        c_.fail(fmt::format("op '{}' gives {} here, not {}", e.op->name(), program_type(types[i]),
                            program_type(out[i].type)),
                out[i].at_type);
    const AnyUse use{in, types, e.params};
    if (!e.implementation.empty() && !find_implementation(*e.op, e.implementation)->applies(use))
      c_.fail(fmt::format("op '{}' cannot be run as '{}' on {}", e.op->name(), e.implementation,
                          to_string(in)),
              where);
  }

  // ---- fields

  struct Kind {
    AnyParams params;                // the defaults
    std::vector<ParamField> fields;  // they define the type of each field
    bool holds_programs = false;
  };
  const Kind& kind(const Op& op) {
    auto it = kinds_.find(&op);
    if (it == kinds_.end()) {
      Kind k{op.parse_params({}), default_fields(op), false};
      for (const auto& [name, value] : k.fields)
        k.holds_programs |= std::holds_alternative<Jaxpr>(value);
      it = kinds_.emplace(&op, std::move(k)).first;
    }
    return it->second;
  }
  // Every op has a field for its implementation.
  std::string_view implementation(Scope& s, const Op& op) {
    c_.expect('=');
    c_.space();
    const Place here = c_.place();
    const std::string name = value(s, std::string());
    const AnyImplementation* found = find_implementation(op, name);
    if (!found)
      c_.fail(fmt::format("op '{}' has no implementation '{}'; it has {}", op.name(), name,
                          implementation_names(op)),
              here);
    return found->name;
  }
  AnyParams params(Scope& s, Eqn& e) {
    const Op& op = *e.op;
    const Place start = c_.place();
    const Kind& k = kind(op);
    Fields given;
    c_.expect('[');
    while (!c_.accept(']')) {
      c_.space();
      const Place here = c_.place();
      const std::string_view name = c_.word();
      if (name.empty()) c_.expected("a field such as axis=0, or ']'");
      if (name == implementation_field) {
        e.implementation = implementation(s, op);
        continue;
      }
      const ParamValue* like = nullptr;
      for (const auto& [key, value] : k.fields)
        if (name == key) like = &value;
      if (!like)
        c_.fail(fmt::format("op '{}' has no field '{}'{}", op.name(), name, list_of(k.fields)),
                here);
      for (const auto& [key, value] : given)
        if (name == key) c_.fail(fmt::format("field '{}' is given twice", name), here);
      c_.expect('=');
      c_.space();
      given.emplace_back(name, std::visit([&](const auto& v) { return field(s, v); }, *like));
    }
    return blame(op, start, [&] { return op.parse_params(given); });
  }
  template <class T>
  ParamValue field(Scope& s, const T& like) {
    // A ProgramOrObject that has neither. Other fields of programs refuse it.
    if (std::is_same_v<T, Jaxpr> && c_.peek_word() == "None") return value(s, Opaque());
    return value(s, like);
  }
  // Rules of ops rely on their programs.
  void require_programs(const Eqn& e, Place where) {
    if (!kind(*e.op).holds_programs) return;
    for (const auto& [name, value] : e.params->fields())
      if (const auto* j = std::get_if<Jaxpr>(&value); j && !*j)
        c_.fail(fmt::format("op '{}' needs the field '{}={{ lambda … }}'", e.op->name(), name),
                where);
  }
  static std::string list_of(const std::vector<ParamField>& fields) {
    std::string s;
    for (const auto& [name, value] : fields)
      s += (s.empty() ? "; it has " : ", ") + std::string(name);
    return s;
  }

  template <class F>
  void list(F&& item) {
    c_.expect('(');
    while (!c_.accept(')')) {
      c_.space();
      item();
      c_.space();
      if (c_.peek() != ')' && !c_.accept(',')) c_.expected("',' or ')'");
    }
  }
  bool value(Scope&, bool) {
    const bool yes = c_.peek_word() == "True";
    if (!yes && c_.peek_word() != "False") c_.expected("True or False");
    c_.word();
    return yes;
  }
  int64_t value(Scope&, int64_t) { return c_.integer(); }
  double value(Scope&, double) {
    const Place start = c_.place();
    double x = 0;
    if (!parse_scalar(c_.until("]"), F64, &x)) c_.expected("a number", start);
    return x;
  }
  std::string value(Scope&, const std::string&) {
    if (c_.peek() == '\'' || c_.peek() == '"') return c_.quoted();
    const std::string_view s = c_.until("]='\"(){},");
    if (s.empty()) c_.expected("a text");
    return std::string(s);
  }
  DType value(Scope&, DType) {
    const Place start = c_.place();
    const std::string name(c_.until("]"));
    for (int i = 0; i <= static_cast<int>(RbgKey); ++i)
      if (name == numpy_name(static_cast<DType>(i))) return static_cast<DType>(i);
    DType d;
    if (!parse_dtype(name, &d)) c_.expected("an element type such as float32", start);
    return d;
  }
  Ints value(Scope&, const Ints&) {
    Ints v;
    list([&] { v.push_back(c_.integer()); });
    return v;
  }
  Bools value(Scope& s, const Bools&) {
    Bools v;
    list([&] { v.push_back(value(s, true)); });
    return v;
  }
  Strings value(Scope&, const Strings&) {
    Strings v;
    list([&] { v.push_back(c_.quoted()); });
    return v;
  }
  Types value(Scope&, const Types&) {
    Types v;
    list([&] { v.push_back(c_.type()); });
    return v;
  }
  Opaque value(Scope&, const Opaque&) {
    if (c_.peek_word() == "None") {
      c_.word();
      return {};
    }
    refuse_callback();
  }
  [[noreturn]] void refuse_callback() const {
    c_.fail("a callback cannot be read back from text", c_.place());
  }
  Jaxpr value(Scope& s, const Jaxpr&) {
    if (c_.peek() == '{') return held(s, program());
    if (c_.peek() == '<') refuse_callback();
    const std::string name(c_.peek_word());
    const auto it = definitions_.find(name);
    if (name.empty()) c_.expected("a program { lambda … }");
    if (it == definitions_.end())
      c_.fail(fmt::format("no 'let {} = …' stands in front of the program", name), c_.place());
    Jaxpr j = definition(it->second);
    c_.word();
    return held(s, std::move(j));
  }
  std::vector<Jaxpr> value(Scope& s, const std::vector<Jaxpr>&) {
    std::vector<Jaxpr> v;
    c_.expect('(');
    while (!c_.accept(')')) {
      c_.accept(',');
      c_.space();
      v.push_back(value(s, Jaxpr()));
    }
    return v;
  }
  // Definitions are nested by reference, without braces, so the limit applies to the depth of the
  // programs held.
  Jaxpr held(Scope& s, Jaxpr j) {
    s.depth = std::max(s.depth, depth_of_.at(j.get()) + 1);
    if (s.depth > deepest) too_deep(c_.place());
    return j;
  }

  TextCursor c_;
  std::unordered_map<std::string_view, Definition> definitions_;
  std::unordered_map<const Op*, Kind> kinds_;
  std::unordered_map<const JaxprData*, int> depth_of_;
  int depth_ = 0;
};

}  // namespace

Jaxpr ir::read_jaxpr(const std::string& text) {
  if (text.size() >= longest_text) throw ParseError("jaxpr text: longer than 2 GB");
  return Parser(text).parse();
}

}  // namespace weft
