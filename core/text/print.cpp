// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/text/print.cpp: programs as text, in JAX's layout.
//
// The algorithm is Wadler's: a group is printed on one line if it fits into the width; otherwise
// its breaks become new lines. To decide, the group is printed tentatively. The attempt stops at
// the width, so the whole printing needs linear time. Only nesting recurses.
#include "core/text/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "core/derivative_zero.h"
#include "core/op.h"
#include "core/text/float_text.h"
#include "core/text/names.h"
#include "core/text/print_plan.h"
#include "core/weak_literal.h"

namespace weft {
namespace {

constexpr int64_t width = 80;

// Fields that JAX does not have or does not print. They are printed only if they differ from their
// defaults.
constexpr std::array<std::string_view, 20> own_fields = {
    "check_nans",   "entry_mask", "lane_axes",   "lane_ids",   "lanes",
    "lane_loop_of", "max_trips",  "trip_counts", "time_limit", "num_bwd_consts",
    "masked",       "chunked",    "lane_names",  "place",      "branches_platforms",
    "precision",    "summed",     "block",       "in_blocks",  "counted"};

// Returns true if the word needs no quotes.
bool is_bare(std::string_view s) {
  if (s.empty()) return false;
  return std::all_of(s.begin(), s.end(), [](unsigned char c) {
    return std::isalnum(c) ||
           std::string_view("_.<>+-/:").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

std::string quoted(std::string_view s) {
  std::string out = "'";
  for (char c : s) {
    if (c == '\'' || c == '\\')
      out += std::string{'\\', c};
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      out += fmt::format("\\x{:02x}", c);
    else
      out += c;
  }
  return out + '\'';
}

// A tuple in Python's format.
template <class V, class F>
std::string tuple_text(const V& v, F&& item) {
  std::string s = "(";
  for (size_t i = 0; i < v.size(); ++i) {
    if (i) s += ", ";
    s += item(v[i]);
  }
  return s + (v.size() == 1 ? ",)" : ")");
}

struct FieldText {
  std::string operator()(bool b) const { return b ? "True" : "False"; }
  std::string operator()(int64_t n) const { return std::to_string(n); }
  std::string operator()(double x) const { return float_text(x, F64, FloatStyle::Python); }
  std::string operator()(const std::string& s) const { return is_bare(s) ? s : quoted(s); }
  std::string operator()(DType d) const { return numpy_name(d); }
  std::string operator()(const Ints& v) const {
    return tuple_text(v, [](int64_t n) { return std::to_string(n); });
  }
  std::string operator()(const Bools& v) const {
    return tuple_text(v, [](bool b) { return b ? "True" : "False"; });
  }
  std::string operator()(const Strings& v) const { return tuple_text(v, quoted); }
  std::string operator()(const Types& v) const { return tuple_text(v, program_type); }
  std::string operator()(const Opaque& o) const { return o.object ? "<callback>" : "None"; }
  std::string operator()(const Jaxpr& j) const { return j ? "{…}" : "None"; }
  std::string operator()(const std::vector<Jaxpr>& v) const { return v.empty() ? "()" : "({…})"; }
};

class Printer {
 public:
  explicit Printer(const Jaxpr& top) : plan_(top) {
    for (const auto& [name, program] : plan_.shared()) {
      text("let ");
      text(name);
      text(" = ");
      print(program, 0);
      text(" in");
      newline(0);
    }
    print(top, 0);
  }
  std::string take() { return std::move(out_); }

 private:
  void text(std::string_view s) {
    out_ += s;
    column_ += static_cast<int64_t>(s.size());
  }
  void newline(int indent) {
    out_ += '\n';
    out_.append(static_cast<size_t>(indent), ' ');
    column_ = indent;
  }
  // A break: a new line, or `flat` in a group that fits on one line.
  void line(std::string_view flat, int indent) {
    if (flat_)
      text(flat);
    else
      newline(indent);
  }
  // A space in a list whose lines are filled.
  void fill(int indent) {
    if (flat_ || column_ < width)
      text(" ");
    else
      newline(indent);
  }
  // Returns true if the attempt to print on one line has failed.
  bool failed() const { return flat_ && column_ > width; }
  template <class F>
  void group(F&& f) {
    if (flat_) return f();
    const size_t size = out_.size();
    const int64_t column = column_;
    flat_ = true;
    f();
    flat_ = false;
    if (column_ <= width) return;
    out_.resize(size);
    column_ = column;
    f();
  }

  void atom(const JaxprData& j, const std::vector<int64_t>& names, Atom a) {
    if (a.is_literal())
      text(literal_with_type(j.literals[a.literal()]));
    else
      text(variable_name(names[a.index]));
  }
  void binders(const JaxprData& j, const std::vector<int64_t>& names, int32_t first, int32_t end,
               int indent) {
    for (int32_t v = first; v < end && !failed(); ++v) {
      if (v != first) fill(indent);
      const int64_t name = names[v];
      text(name < 0 ? "_" : variable_name(name));
      text(":");
      text(program_type(j.types[v]));
    }
  }

  void print(const Jaxpr& program, int indent) {
    const JaxprData& j = *program;
    const auto& names = plan_.variables(program);
    group([&] {
      text("{ lambda ");
      binders(j, names, 0, j.n_const, indent + 4);
      text("; ");
      binders(j, names, j.n_const, j.n_in, indent + 4);
      text(". let");
      line(" ", indent + 4);
      for (size_t i = 0; i < j.eqns.size() && !failed(); ++i) {
        if (i) line("; ", indent + 4);
        equation(j, names, j.eqns[i], indent + 4);
      }
      line(" ", indent + 2);
      text("in (");
      for (size_t i = 0; i < j.out.size() && !failed(); ++i) {
        if (i) {
          text(",");
          fill(indent + 4);
        }
        atom(j, names, j.out[i]);
      }
      text(j.out.size() == 1 ? ",) }" : ") }");
    });
  }

  void equation(const JaxprData& j, const std::vector<int64_t>& names, const Eqn& e, int indent) {
    binders(j, names, e.out, e.out + e.n_out, indent + 2);
    if (e.n_out) text(" = ");
    text(e.op->name());
    fields(e, indent);
    text(" ");
    for (size_t i = 0; i < e.in.size() && !failed(); ++i) {
      if (i) fill(indent + 2);
      atom(j, names, e.in[i]);
    }
  }

  void fields(const Eqn& e, int indent) {
    auto it = defaults_.find(e.op);
    if (it == defaults_.end()) it = defaults_.emplace(e.op, default_fields(*e.op)).first;
    const auto fs = printed_fields(e, it->second);
    if (fs.empty()) return;
    group([&] {
      text("[");
      line("", indent + 2);
      for (size_t i = 0; i < fs.size() && !failed(); ++i) {
        if (i) line(" ", indent + 2);
        text(fs[i].name);
        text("=");
        value(fs[i].value, indent + 2);
      }
      line("", indent);
      text("]");
    });
  }
  void value(const ParamValue& v, int indent) {
    if (const auto* j = std::get_if<Jaxpr>(&v); j && *j) {
      inner(*j, indent);
    } else if (const auto* js = std::get_if<std::vector<Jaxpr>>(&v); js && !js->empty()) {
      group([&] {
        text("(");
        line("", indent + 2);
        for (size_t i = 0; i < js->size() && !failed(); ++i) {
          if (i) line(" ", indent + 2);
          inner((*js)[i], indent + 2);
        }
        line("", indent);
        text(")");
      });
    } else {
      text(field_text(v));
    }
  }
  void inner(const Jaxpr& j, int indent) {
    if (!j)
      text("None");
    else if (const std::string* name = plan_.name_of(j))
      text(*name);
    else
      print(j, indent);
  }

  const PrintPlan plan_;
  std::unordered_map<const Op*, std::vector<ParamField>> defaults_;
  std::string out_;
  int64_t column_ = 0;
  bool flat_ = false;
};

}  // namespace

std::string program_type(const Type& t) {
  std::string s = t.weak() ? "~" : "";
  s += is_key(t.dtype()) ? numpy_name(t.dtype()) : short_name(t.dtype());
  s += '[';
  for (int i = 0; i < t.ndim(); ++i) {
    if (i) s += ',';
    s += std::to_string(t.shape()[i]);
  }
  return s + ']';
}

std::string literal_with_type(const Literal& l) {
  if (keeps_double(l))
    return float_text(exact_value(l), F64, FloatStyle::Python) + ':' + program_type(l.type());
  if (is_derivative_zero(l))
    return std::string(derivative_zero_text) + ':' + program_type(l.type());
  std::string s = literal_text(l.bits, l.dtype);
  // Decimal text cannot distinguish NaNs.
  uint64_t back[2] = {0, 0};
  if (!parse_scalar(s, l.dtype, back) || back[0] != l.bits[0] || back[1] != l.bits[1])
    s = fmt::format("bits({:#x}, {:#x})", l.bits[0], l.bits[1]);
  return s + ':' + program_type(l.type());
}

std::string field_text(const ParamValue& v) { return std::visit(FieldText{}, v); }

std::vector<ParamField> default_fields(const Op& op) { return op.parse_params({})->fields(); }

std::vector<ParamField> printed_fields(const Eqn& e, const std::vector<ParamField>& defaults) {
  std::vector<ParamField> shown;
  if (!e.implementation.empty())
    shown.push_back({implementation_field, std::string(e.implementation)});
  if (defaults.empty()) return shown;
  const auto fields = e.params->fields();
  for (size_t i = 0; i < fields.size(); ++i) {
    const bool own = std::count(own_fields.begin(), own_fields.end(), fields[i].name) > 0;
    if (!own || !(fields[i].value == defaults[i].value)) shown.push_back(fields[i]);
  }
  std::sort(shown.begin(), shown.end(), [](const ParamField& a, const ParamField& b) {
    const std::string_view x = a.name, y = b.name;
    return x != y && (x == "name" || (y != "name" && x < y));
  });
  return shown;
}

std::string equation_text(const JaxprData& j, size_t i) {
  const Eqn& e = j.eqns[i];
  const auto atom = [&](Atom a) -> std::string {
    if (!a.is_literal()) return variable_name(a.index);
    return static_cast<size_t>(a.literal()) < j.literals.size()
               ? literal_with_type(j.literals[a.literal()])
               : "?";
  };
  std::string s;
  for (int32_t k = 0; k < e.n_out; ++k) {
    const auto v = static_cast<size_t>(e.out) + static_cast<size_t>(k);
    s += v < j.types.size() ? fmt::format("{}:{} ", variable_name(static_cast<int64_t>(v)),
                                          program_type(j.types[v]))
                            : "?:? ";
  }
  if (e.n_out > 0) s += "= ";
  s += e.op ? e.op->name() : "?";
  if (e.params) {
    std::string fields;
    for (const auto& [name, value] : e.params->fields())
      fields += fmt::format("{}{}={}", fields.empty() ? "" : " ", name, field_text(value));
    if (!e.implementation.empty())
      fields +=
          fmt::format("{}{}={}", fields.empty() ? "" : " ", implementation_field, e.implementation);
    if (!fields.empty()) s += '[' + fields + ']';
  }
  for (Atom a : e.in) s += ' ' + atom(a);
  return s;
}

std::string ir::to_string(const Jaxpr& j) { return Printer(j).take(); }

}  // namespace weft
