// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// core/text/print_plan.cpp: decides which inner programs are shared, and names variables.
#include "core/text/print_plan.h"

#include <algorithm>
#include <cctype>

#include "core/param.h"
#include "core/text/names.h"
#include "core/var_map.h"

namespace weft {
namespace {

constexpr int64_t unnamed = -2, dropped = -1;
constexpr size_t max_equations_inline = 10;

const std::string* name_field(const std::vector<ParamField>& fields) {
  for (const auto& [key, value] : fields)
    if (std::string_view(key) == "name") return std::get_if<std::string>(&value);
  return nullptr;
}

// "<lambda>" -> "lambda": a word that the parser accepts.
std::string as_word(std::string s) {
  while (!s.empty() && (s.front() == '<' || s.front() == '>')) s.erase(0, 1);
  while (!s.empty() && (s.back() == '<' || s.back() == '>')) s.pop_back();
  for (char& c : s)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  if (s.empty() || std::isdigit(static_cast<unsigned char>(s[0])) || s == "None") s = "_" + s;
  return s;
}

VarMap<bool> read_variables(const JaxprData& j) {
  VarMap<bool> read(j, false);
  const auto mark = [&](Atom a) {
    if (!a.is_literal()) read[a] = true;
  };
  for (const Eqn& e : j.eqns)
    for (Atom a : e.in) mark(a);
  for (Atom a : j.out) mark(a);
  return read;
}

// A program found by the walk.
struct Met {
  Jaxpr program;
  std::string name = "jaxpr";
  bool named = false;
  bool many = false;          // more than one use leads to it
  std::vector<size_t> inner;  // its inner programs, one entry per use
};

// All programs inside `top`, in breadth-first order.
std::vector<Met> walk(const Jaxpr& top) {
  std::vector<Met> all(1);
  all[0].program = top;
  std::unordered_map<const JaxprData*, size_t> known{{identity_of(top.get()), 0}};
  for (size_t at = 0; at < all.size(); ++at) {
    const Jaxpr j = all[at].program;
    for (const Eqn& e : j->eqns) {
      const auto fields = e.params->fields();
      const std::string* name = name_field(fields);
      for_inner(e, [&](const Jaxpr& inner) {
        const auto [it, fresh] = known.try_emplace(identity_of(inner.get()), all.size());
        if (fresh)
          all.emplace_back().program = inner;
        else
          all[it->second].many = true;
        Met& m = all[it->second];
        if (name && !m.named) m.name = as_word(*name);
        m.named = m.named || name;
        all[at].inner.push_back(it->second);
      });
    }
  }
  // If a program has many uses, so have the programs inside it.
  std::vector<size_t> work;
  for (size_t i = 0; i < all.size(); ++i)
    if (all[i].many) work.push_back(i);
  while (!work.empty()) {
    const size_t i = work.back();
    work.pop_back();
    for (size_t k : all[i].inner)
      if (!all[k].many) {
        all[k].many = true;
        work.push_back(k);
      }
  }
  return all;
}

}  // namespace

PrintPlan::PrintPlan(const Jaxpr& top) {
  choose_shared(top);
  // As in JAX, only the outermost program shows outputs that nothing reads.
  for (const Shared& s : shared_) name_variables(s.program);
  auto& names = variables_[identity_of(top.get())];
  names.resize(top->types.size(), unnamed);
  const VarMap<bool> read = read_variables(*top);
  for (int32_t v = top->n_in; v < read.size(); ++v)
    if (!read[v]) names[v] = dropped;
  name_variables(top);
}

const std::string* PrintPlan::name_of(const Jaxpr& j) const {
  const auto it = names_.find(identity_of(j.get()));
  return it == names_.end() ? nullptr : &it->second;
}

void PrintPlan::choose_shared(const Jaxpr& top) {
  std::unordered_set<std::string> used;
  std::unordered_map<std::string, int64_t> count;
  const auto all = walk(top);
  for (size_t i = 1; i < all.size(); ++i) {
    if (!all[i].many && all[i].program->eqns.size() <= max_equations_inline) continue;
    std::string name = all[i].name;
    while (!used.insert(name).second) name = all[i].name + std::to_string(++count[all[i].name]);
    if (const int64_t n = parse_variable_name(name); n >= 0) taken_.insert(n);
    names_[identity_of(all[i].program.get())] = name;
    shared_.push_back({std::move(name), all[i].program});
  }
}

int64_t PrintPlan::next() {
  while (taken_.count(next_)) ++next_;
  return next_++;
}

// A variable gets its number when it is first printed. The recursion follows only nesting.
void PrintPlan::name_variables(const Jaxpr& j) {
  auto& names = variables_[identity_of(j.get())];  // references into the map stay valid
  names.resize(j->types.size(), unnamed);
  const auto name = [&](int64_t v) {
    int64_t& n = names[v];
    if (n == unnamed) n = next();
  };
  for (int v = 0; v < j->n_in; ++v) name(v);
  for (const Eqn& e : j->eqns) {
    suggest_names(e, names);
    for (int32_t k = 0; k < e.n_out; ++k) name(e.out + k);
    std::vector<std::pair<std::string_view, Jaxpr>> programs;
    for (const auto& [field, value] : e.params->fields())
      for_inner(value, [&, key = std::string_view(field)](const Jaxpr& inner) {
        if (!name_of(inner)) programs.emplace_back(key, inner);
      });
    // In the order in which fields are printed.
    std::stable_sort(programs.begin(), programs.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [field, inner] : programs) name_variables(inner);
  }
}

// In a call ("jit"), operands and results have the same names inside and outside.
void PrintPlan::suggest_names(const Eqn& e, std::vector<int64_t>& outer) {
  const auto fields = e.params->fields();
  if (!name_field(fields)) return;
  const Jaxpr* inner = nullptr;
  for (const auto& [key, value] : fields)
    if (std::string_view(key) == "jaxpr") inner = std::get_if<Jaxpr>(&value);
  if (!inner || !*inner || name_of(*inner)) return;
  const JaxprData& j = **inner;
  auto& names = variables_[identity_of(inner->get())];
  names.resize(j.types.size(), unnamed);
  // JAX reuses a name once for the operands and once for the results.
  const auto suggest = [&](std::unordered_set<int64_t>& used, int64_t variable, int64_t like) {
    int64_t& n = names[variable];
    int64_t& o = outer[like];
    if (n != unnamed || o == dropped || !used.insert(like).second) return;
    if (o == unnamed) o = next();
    n = o;
  };
  std::unordered_set<int64_t> used_in, used_out;
  if (e.in.size() == static_cast<size_t>(j.n_in))
    for (int v = 0; v < j.n_in; ++v)
      if (const Atom a = e.in[v]; !a.is_literal()) suggest(used_in, v, a.index);
  if (j.out.size() == static_cast<size_t>(e.n_out))
    for (int32_t k = 0; k < e.n_out; ++k)
      if (const Atom a = j.out[k]; !a.is_literal()) suggest(used_out, a.index, e.out + k);
}

}  // namespace weft
