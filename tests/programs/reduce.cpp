// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/programs/reduce.cpp: tries all ways to remove a small part from a program, one after
// another, until none keeps the failure.
#include "programs/reduce.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "core/param.h"
#include "programs/runner.h"
#include "weft/error.h"

namespace weft::programs {
namespace {

// ---- unused parts

template <class T>
void erase_at(std::vector<T>& v, size_t k) {
  v.erase(v.begin() + static_cast<std::ptrdiff_t>(k));
}
void renumber(std::vector<int>& which, const std::vector<int>& to) {
  for (int& v : which) v = to[static_cast<size_t>(v)];
}
bool reads(const Fn& f, int v) {
  const auto in = [v](const std::vector<int>& w) {
    return std::find(w.begin(), w.end(), v) != w.end();
  };
  bool any = in(f.out);
  for (const Step& s : f.steps) any = any || in(s.in) || in(s.captured);
  return any;
}

// Removes input k from a function that does not read it.
void erase_input(Fn& f, size_t k) {
  erase_at(f.in, k);
  const auto shift = [k](std::vector<int>& w) {
    for (int& v : w) v -= v > static_cast<int>(k);
  };
  shift(f.out);
  for (Step& s : f.steps) {
    shift(s.in);
    shift(s.captured);
  }
}
void erase_unread_captures(Step& s) {
  for (size_t k = s.captured.size(); k-- > 0;) {
    bool read = false;
    const size_t at = s.bodies[0].in.size() - s.captured.size() + k;
    for (const Fn& b : s.bodies) read = read || reads(b, static_cast<int>(at));
    if (read) continue;
    for (Fn& b : s.bodies) erase_input(b, at);
    erase_at(s.captured, k);
  }
}

// Removes steps whose results are unused: constants, or all.
void clean(Fn& f, bool all) {
  for (Step& s : f.steps) {
    for (Fn& b : s.bodies) clean(b, all);
    if (!s.bodies.empty() && all) erase_unread_captures(s);
  }
  std::vector<bool> used(f.values().size());
  const auto mark = [&](const std::vector<int>& w) {
    for (int v : w) used[static_cast<size_t>(v)] = true;
  };
  mark(f.out);
  std::vector<bool> keep(f.steps.size());
  size_t end = used.size();
  for (size_t k = f.steps.size(); k-- > 0;) {
    const Step& s = f.steps[k];
    keep[k] = s.kind == Kind::effect || (!all && s.kind != Kind::constant);
    for (size_t o = end - s.out.size(); o < end; ++o) keep[k] = keep[k] || used[o];
    end -= s.out.size();
    if (!keep[k]) continue;
    mark(s.in);
    mark(s.captured);
  }
  std::vector<int> to;
  for (size_t v = 0; v < f.in.size(); ++v) to.push_back(static_cast<int>(v));
  int next = static_cast<int>(f.in.size());
  std::vector<Step> steps;
  for (size_t k = 0; k < f.steps.size(); ++k) {
    Step& s = f.steps[k];
    for (size_t o = 0; o < s.out.size(); ++o) to.push_back(keep[k] ? next++ : -1);
    if (!keep[k]) continue;
    renumber(s.in, to);
    renumber(s.captured, to);
    steps.push_back(std::move(s));
  }
  f.steps = std::move(steps);
  renumber(f.out, to);
}

// ---- one change of many, by its number

class Change {
 public:
  explicit Change(int number) : left_(number) {}
  // Makes the change in f. Returns false if there are fewer changes.
  bool make(Fn& f) {
    if (now()) {
      clean(f, true);
      return true;
    }
    for (size_t k = 0; k < f.steps.size(); ++k)
      for (Fn& b : f.steps[k].bodies)
        if (now()) {
          Fn body = std::move(b);
          f = std::move(body);
          return true;
        }
    for (size_t k = f.out.size(); f.out.size() > 1 && k-- > 0;)
      if (now()) {
        erase_at(f.out, k);
        return true;
      }
    for (size_t k = f.in.size(); f.in.size() > 1 && k-- > 0;)
      if (!reads(f, static_cast<int>(k)) && now()) {
        erase_input(f, k);
        return true;
      }
    return inside(f) || smaller(f);
  }

 private:
  bool now() { return left_-- == 0; }

  bool inside(Fn& f) {
    int first = static_cast<int>(f.values().size());
    for (size_t k = f.steps.size(); k-- > 0;) {
      first -= static_cast<int>(f.steps[k].out.size());
      if (step(f, k, first)) return true;
      for (Fn& b : f.steps[k].bodies)
        if (inside(b)) return true;
    }
    return false;
  }
  // Changes of step k, whose results are the values from `first`.
  bool step(Fn& f, size_t k, int first) {
    Step& s = f.steps[k];
    if (s.kind != Kind::constant && now()) {
      by_constants(f, k);
      return true;
    }
    // Uses another value of that type instead.
    if (s.kind != Kind::constant && s.out.size() == 1) {
      const Types all = f.values();
      int other = 0;
      while (other < first && all[static_cast<size_t>(other)] != s.out[0]) ++other;
      if (other < first && now()) {
        const auto put = [&](std::vector<int>& w) {
          std::replace(w.begin(), w.end(), first, other);
        };
        put(f.out);
        for (Step& t : f.steps) put(t.in), put(t.captured);
        return true;
      }
    }
    if (s.bodies.empty()) return false;
    if (!s.captured.empty() && now()) {
      erase_unread_captures(s);
      return true;
    }
    if (calls(s) && now()) {
      inlined(f, k, first);
      return true;
    }
    return operands(f, s) || results(f, s, first) || options(s);
  }
  static bool calls(const Step& s) {
    return s.kind == Kind::call || s.kind == Kind::custom_jvp || s.kind == Kind::custom_vjp ||
           s.kind == Kind::custom_vmap || s.kind == Kind::sequential || s.kind == Kind::checkpoint;
  }

  void by_constants(Fn& f, size_t k) {
    std::vector<Step> made;
    for (const Type& t : f.steps[k].out) {
      Step c;
      c.kind = Kind::constant;
      c.out = {t};
      c.seed = 1 + made.size();
      if (is_integer(t.dtype())) c.lo = 0;
      made.push_back(c);
    }
    erase_at(f.steps, k);
    f.steps.insert(f.steps.begin() + static_cast<std::ptrdiff_t>(k), made.begin(), made.end());
  }
  // Replaces the call by the steps of its body.
  void inlined(Fn& f, size_t k, int first) {
    const Step s = f.steps[k];
    Fn body = s.bodies[0];
    std::vector<int> to = s.in;
    to.insert(to.end(), s.captured.begin(), s.captured.end());
    int next = first;
    for (Step& t : body.steps) {
      renumber(t.in, to);
      renumber(t.captured, to);
      for (size_t o = 0; o < t.out.size(); ++o) to.push_back(next++);
    }
    renumber(body.out, to);
    const int more = next - first - static_cast<int>(s.out.size());
    const auto outside = [&](std::vector<int>& w) {
      for (int& v : w)
        if (v >= first)
          v = v < first + static_cast<int>(s.out.size()) ? body.out[static_cast<size_t>(v - first)]
                                                         : v + more;
    };
    outside(f.out);
    for (size_t j = k + 1; j < f.steps.size(); ++j)
      outside(f.steps[j].in), outside(f.steps[j].captured);
    erase_at(f.steps, k);
    f.steps.insert(f.steps.begin() + static_cast<std::ptrdiff_t>(k), body.steps.begin(),
                   body.steps.end());
  }

  // Removes operands that no body reads.
  bool operands(Fn&, Step& s) {
    const bool simple =
        calls(s) || s.kind == Kind::vmap || s.kind == Kind::cond || s.kind == Kind::scan;
    const size_t skip = s.kind == Kind::cond   ? 1
                        : s.kind == Kind::scan ? static_cast<size_t>(s.count)
                                               : 0;
    if (!simple) return false;
    const size_t shift = s.kind == Kind::cond ? 1 : 0;
    for (size_t k = s.in.size(); k-- > skip;) {
      bool read = false;
      for (const Fn& b : s.bodies) read = read || reads(b, static_cast<int>(k - shift));
      if (read || s.in.size() - shift <= 1 || !now()) continue;
      for (Fn& b : s.bodies) erase_input(b, k - shift);
      erase_at(s.in, k);
      if (s.kind == Kind::vmap) erase_at(s.in_axes, k);
      return true;
    }
    return false;
  }
  // Removes results and carries that are unused.
  bool results(Fn& f, Step& s, int first) {
    for (size_t k = s.out.size(); s.out.size() > 1 && k-- > 0;) {
      const bool carried = (s.kind == Kind::scan && k < static_cast<size_t>(s.count)) ||
                           s.kind == Kind::while_loop || s.kind == Kind::fori;
      if (s.kind >= Kind::grad || reads(f, first + static_cast<int>(k))) continue;
      const size_t at = s.kind == Kind::fori ? k + 1 : k;  // of the bodies
      if (carried) {
        bool read = false;
        for (Fn b : s.bodies) {
          if (b.out.size() > k && &b != &s.bodies[0]) erase_at(b.out, k);
          read = read || reads(b, static_cast<int>(at));
        }
        if (read) continue;
      }
      if (!now()) continue;
      for (Fn& b : s.bodies) {
        if (b.out.size() == s.out.size()) erase_at(b.out, k);
        if (carried) erase_input(b, at);
      }
      if (carried) erase_at(s.in, s.kind == Kind::fori ? k + 2 : k);
      if (carried && s.kind == Kind::scan) --s.count;
      if (s.kind == Kind::vmap) erase_at(s.out_axes, k);
      erase_at(s.out, k);
      const int gone = first + static_cast<int>(k);
      const auto shift = [&](std::vector<int>& w) {
        for (int& v : w) v -= v > gone;
      };
      shift(f.out);
      for (Step& t : f.steps) shift(t.in), shift(t.captured);
      return true;
    }
    return false;
  }
  bool options(Step& s) {
    if (s.chunk && now()) return s.chunk = 0, true;
    if (s.budget > 0 && now()) return s.budget = 0, true;
    if (!s.name.empty() && s.kind == Kind::vmap && now()) return s.name.clear(), true;
    if (s.reverse && now()) return s.reverse = false, true;
    if (s.unroll != 1 && now()) return s.unroll = 1, true;
    if (s.kind == Kind::while_loop && s.count > 1 && now()) return s.count = 1, true;
    for (MaybeAxes* axes : {&s.in_axes, &s.out_axes})
      for (MaybeAxis& a : *axes)
        if (a && *a > 0 && now()) return a = 0, true;
    return false;
  }

  // Reduces one extent wherever it occurs.
  bool smaller(Fn& f) {
    std::set<int64_t> extents;
    const auto note = [&](const Types& t) {
      for (const Type& x : t) extents.insert(x.shape().begin(), x.shape().end());
    };
    note(f.in);
    for_each_step(f, [&](const Step& s) { note(s.out); });
    for (auto n = extents.rbegin(); n != extents.rend(); ++n)
      for (int64_t m : {int64_t{2}, int64_t{3}, *n / 2, *n - 1})
        if (m > 1 && m < *n && now()) {
          replace(f, *n, m);
          return true;
        }
    return false;
  }
  static void replace(Types& types, int64_t from, int64_t to) {
    for (Type& t : types) {
      Ints s = t.shape().sizes();
      std::replace(s.begin(), s.end(), from, to);
      t = t.with_shape(s);
    }
  }
  static void replace(Fn& f, int64_t from, int64_t to) {
    replace(f.in, from, to);
    for (Step& s : f.steps) {
      replace(s.out, from, to);
      if (s.kind == Kind::op) {
        std::vector<std::pair<std::string, ParamValue>> fields;
        for (ParamField& p : s.params->fields()) {
          if (auto* l = std::get_if<Ints>(&p.value)) std::replace(l->begin(), l->end(), from, to);
          fields.emplace_back(p.name, p.value);
        }
        s.params = s.op->parse_params(fields);
      }
      if (s.size == from) s.size = to;
      if (s.length == from) s.length = to;
      if (s.chunk > to) s.chunk = to;
      for (Fn& b : s.bodies) replace(b, from, to);
    }
  }

  int left_;
};

// Failures are distinguished by their messages without numbers.
std::string kind_of(const Verdict& v) {
  if (v.oracle.find("raises") == std::string::npos) return v.oracle;
  std::string s = v.oracle + ": ";
  for (char c : v.what.substr(0, 60))
    if (!std::isdigit(c)) s += c;
  return s.substr(0, 40);
}

}  // namespace

Program reduced(Program p, const Verdict& v, const Checking& how, double seconds) {
  const auto begin = std::chrono::steady_clock::now();
  const std::string kind = kind_of(v);
  const bool hangs = v.oracle == "hang";
  bool changed = false;  // in this round
  for (int number = 0;;) {
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > seconds)
      break;
    Program q = p;
    try {
      if (!Change(number).make(q.f)) {
        if (!changed) break;
        changed = false;
        number = 0;
        continue;
      }
      clean(q.f, false);
      retype(q.f);
    } catch (const std::exception&) {
      ++number;
      continue;
    }
    if (cpp_text(q.f, {}) == cpp_text(p.f, {}) && q.f.in == p.f.in) {
      ++number;
      continue;
    }
    const Verdict w = check_one(q, how, hangs ? 3 : 20);
    if (w.kind != Verdict::failed || kind_of(w) != kind) {
      ++number;
      continue;
    }
    changed = true;
    p = std::move(q);
  }
  return p;
}

}  // namespace weft::programs
