// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// interop/stablehlo/write/print.cpp: prints the syntax tree in the generic form, compares trees,
// and holds the table of types.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "interop/stablehlo/read/dense.h"
#include "interop/stablehlo/read/syntax.h"

namespace weft::hlo {
namespace {

std::string list_of(const std::vector<Typ>& types) {
  std::string s;
  for (Typ t : types) s += (s.empty() ? "" : ", ") + t->text;
  return s;
}

void print(std::string& out, const Attr& a);

bool is_bare(std::string_view name) {
  const auto letter = [](char c) {
    return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
  };
  const auto other = [&](char c) {
    return letter(c) || std::isdigit(static_cast<unsigned char>(c)) || c == '.' || c == '$';
  };
  return !name.empty() && letter(name[0]) && std::all_of(name.begin(), name.end(), other);
}
void print(std::string& out, const std::vector<NamedAttr>& entries) {
  out += '{';
  for (const NamedAttr& e : entries) {
    if (&e != entries.data()) out += ", ";
    out += is_bare(e.name) ? e.name : quoted(e.name);
    if (e.value.kind == Attr::Kind::unit) continue;
    out += " = ";
    print(out, e.value);
  }
  out += '}';
}
std::string numbers_text(const Attr& a) {
  std::string s = "array<" + a.type->text;
  const char* gap = ": ";
  for (const Attr& x : a.items) {
    s += gap + x.text;
    gap = ", ";
  }
  for (int64_t n : a.numbers) {
    s += gap;
    s += a.type->text == "i1" ? (n ? "true" : "false") : std::to_string(n);
    gap = ", ";
  }
  return s + ">";
}
void print(std::string& out, const Attr& a) {
  using K = Attr::Kind;
  switch (a.kind) {
    case K::unit: out += "unit"; break;
    case K::integer:
    case K::floating: out += a.type ? a.text + " : " + a.type->text : a.text; break;
    case K::string: out += quoted(a.text) + (a.type ? " : " + a.type->text : ""); break;
    case K::symbol:
    case K::text: out += a.text; break;
    case K::type: out += a.type->text; break;
    case K::dictionary: print(out, a.entries); break;
    case K::dense: out += dense_text(*a.dense); break;
    case K::numbers: out += numbers_text(a); break;
    case K::list:
      out += '[';
      for (const Attr& x : a.items) {
        if (&x != a.items.data()) out += ", ";
        print(out, x);
      }
      out += ']';
      break;
  }
}

class Printer {
 public:
  std::string out;
  void op(const Op& o, int indent) {
    out.append(static_cast<size_t>(indent), ' ');
    if (!o.out.empty()) {
      out += fmt::format("%{}", o.first_result);
      if (o.out.size() > 1) out += fmt::format(":{}", o.out.size());
      out += " = ";
      for (size_t i = 0; i < o.out.size(); ++i)
        define(o.first_result, o.first_result, i, o.out.size());
    }
    out += quoted(o.name) + "(";
    for (size_t i = 0; i < o.operands.size(); ++i) out += (i ? ", " : "") + value(o.operands[i]);
    out += ")";
    for (size_t i = 0; i < o.successors.size(); ++i)
      out += (i ? ", ^" : "[^") + o.successors[i] + (i + 1 == o.successors.size() ? "]" : "");
    for (size_t i = 0; i < o.regions.size(); ++i) {
      out += i ? ", {\n" : " ({\n";
      for (const Block& b : o.regions[i].blocks) block(b, indent);
      out.append(static_cast<size_t>(indent), ' ');
      out += i + 1 == o.regions.size() ? "})" : "}";
    }
    if (!o.attrs.empty()) {
      out += ' ';
      print(out, o.attrs);
    }
    out += " : (" + list_of(o.in) + ") -> ";
    const bool bare = o.out.size() == 1 && o.out[0]->kind != TypeData::Kind::function;
    out += bare ? o.out[0]->text : "(" + list_of(o.out) + ")";
    out += '\n';
  }

 private:
  void block(const Block& b, int indent) {
    if (!b.label.empty() || !b.args.empty()) {
      out.append(static_cast<size_t>(indent), ' ');
      out += "^" + (b.label.empty() ? "bb0" : b.label) + "(";
      for (size_t i = 0; i < b.args.size(); ++i) {
        const int32_t id = b.first_arg + static_cast<int32_t>(i);
        define(id, id, 0, 1);
        out += fmt::format("{}%{}: {}", i ? ", " : "", id, b.args[i]->text);
      }
      out += "):\n";
    }
    for (const Op& o : b.ops) op(o, indent + 2);
  }
  void define(int32_t id, int32_t name, size_t part, size_t parts) {
    names_[id + static_cast<int32_t>(part)] =
        parts == 1 ? fmt::format("%{}", name) : fmt::format("%{}#{}", name, part);
  }
  std::string value(int32_t id) const { return names_.at(id); }
  std::map<int32_t, std::string> names_;
};

// ---- comparison

bool same(const Attr& a, const Attr& b);
template <class T, class F>
bool same_all(const std::vector<T>& a, const std::vector<T>& b, const F& f) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), f);
}
bool same(Typ a, Typ b) { return a == b || (a && b && a->text == b->text); }
bool same(const NamedAttr& a, const NamedAttr& b) {
  return a.name == b.name && same(a.value, b.value);
}
bool same(const Dense& a, const Dense& b) {
  return same(a.type, b.type) && a.known == b.known && a.splat == b.splat && a.bytes == b.bytes &&
         a.text == b.text;
}
bool same(const Attr& a, const Attr& b) {
  if (a.kind != b.kind || a.text != b.text || a.integer != b.integer || !same(a.type, b.type) ||
      a.numbers != b.numbers || !a.dense != !b.dense || (a.dense && !same(*a.dense, *b.dense)))
    return false;
  return same_all(a.items, b.items, [](auto& x, auto& y) { return same(x, y); }) &&
         same_all(a.entries, b.entries, [](auto& x, auto& y) { return same(x, y); });
}
bool same(const std::vector<Typ>& a, const std::vector<Typ>& b) {
  return same_all(a, b, [](Typ x, Typ y) { return same(x, y); });
}
bool same(const Op& a, const Op& b);
bool same(const Block& a, const Block& b) {
  const auto label = [](const Block& x) {
    return x.label.empty() && !x.args.empty() ? "bb0" : x.label;
  };
  return label(a) == label(b) && a.first_arg == b.first_arg && same(a.args, b.args) &&
         same_all(a.ops, b.ops, [](auto& x, auto& y) { return same(x, y); });
}
bool same(const Region& a, const Region& b) {
  return same_all(a.blocks, b.blocks, [](auto& x, auto& y) { return same(x, y); });
}
bool same(const Op& a, const Op& b) {
  return a.name == b.name && a.operands == b.operands && same(a.in, b.in) && same(a.out, b.out) &&
         a.first_result == b.first_result && a.successors == b.successors &&
         same_all(a.attrs, b.attrs, [](auto& x, auto& y) { return same(x, y); }) &&
         same_all(a.regions, b.regions, [](auto& x, auto& y) { return same(x, y); });
}

}  // namespace

std::string to_string(const Attr& a) {
  std::string s;
  print(s, a);
  return s;
}
std::string to_string(const Program& p) {
  Printer printer;
  for (const Op& o : p.ops) printer.op(o, 0);
  return std::move(printer.out);
}
bool same(const Program& a, const Program& b) {
  return same_all(a.ops, b.ops, [](auto& x, auto& y) { return same(x, y); });
}

const Attr* Op::attr(std::string_view wanted) const {
  for (const NamedAttr& a : attrs)
    if (a.name == wanted) return &a.value;
  return nullptr;
}

// ---- types

Typ TypeTable::keep(TypeData t) {
  auto it = types_.find(t.text);
  if (it == types_.end()) {
    std::string key = t.text;
    text_bytes_ += key.size();
    it = types_.emplace(std::move(key), std::make_unique<TypeData>(std::move(t))).first;
  }
  return it->second.get();
}
Typ TypeTable::other(std::string text) {
  TypeData t;
  t.text = std::move(text);
  return keep(std::move(t));
}
Typ TypeTable::tensor(std::vector<int64_t> dims, Typ element, std::string encoding) {
  TypeData t;
  t.kind = TypeData::Kind::tensor;
  t.text = "tensor<";
  for (int64_t n : dims) t.text += (n < 0 ? "?" : std::to_string(n)) + "x";
  t.text += element->text + (encoding.empty() ? "" : ", " + encoding) + ">";
  t.dims = std::move(dims);
  t.element = element;
  t.encoding = std::move(encoding);
  return keep(std::move(t));
}
Typ TypeTable::tuple(std::vector<Typ> parts) {
  TypeData t;
  t.kind = TypeData::Kind::tuple;
  t.text = "tuple<" + list_of(parts) + ">";
  t.in = std::move(parts);
  return keep(std::move(t));
}
Typ TypeTable::function(std::vector<Typ> in, std::vector<Typ> out) {
  TypeData t;
  t.kind = TypeData::Kind::function;
  const bool bare = out.size() == 1 && out[0]->kind != TypeData::Kind::function;
  t.text = "(" + list_of(in) + ") -> " + (bare ? out[0]->text : "(" + list_of(out) + ")");
  t.in = std::move(in);
  t.out = std::move(out);
  return keep(std::move(t));
}

}  // namespace weft::hlo
