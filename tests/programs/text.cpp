// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/programs/text.cpp: a program as C++.
#include <fmt/format.h>

#include "programs/program.h"

namespace weft::programs {
namespace {

std::string dtype_text(DType d) {
  const std::string s = short_name(d);
  std::string r;
  for (char c : s) r += static_cast<char>(std::toupper(c));
  return d == Bool ? "Bool" : d == Key ? "Key" : r;
}
std::string shape_text(const Shape& s) { return fmt::format("{{{}}}", fmt::join(s.sizes(), ", ")); }

std::string values_text(const Array& x) {
  const Type& t = x.type();
  const std::string tail = fmt::format(", {}), {})", dtype_text(t.dtype()), shape_text(t.shape()));
  if (t.dtype() == Key || is_complex(t.dtype())) return fmt::format("made({}{}", to_string(t), ")");
  const std::vector<double> v = x.to_vector<double>();
  bool alike = !v.empty();
  for (double d : v) alike = alike && d == v[0];
  if (alike || v.empty())
    return fmt::format("full({}, {}, {})", shape_text(t.shape()), v.empty() ? 0. : v[0],
                       dtype_text(t.dtype()));
  return fmt::format("reshape(array({{{}}}{}", fmt::join(v, ", "), tail);
}

class Writer {
 public:
  // The names of the inputs of f are given; returns those of its results.
  std::vector<std::string> write(const Fn& f, std::vector<std::string> names, int depth) {
    for (const Step& s : f.steps) {
      std::vector<std::string> in, captured;
      for (int v : s.in) in.push_back(names[static_cast<size_t>(v)]);
      for (int v : s.captured) captured.push_back(names[static_cast<size_t>(v)]);
      std::vector<std::string> out;
      for (size_t k = 0; k < s.out.size(); ++k) out.push_back(fmt::format("v{}", next_++));
      step(s, in, captured, out, depth);
      names.insert(names.end(), out.begin(), out.end());
    }
    std::vector<std::string> r;
    for (int v : f.out) r.push_back(names[static_cast<size_t>(v)]);
    return r;
  }
  void line(int depth, const std::string& s) {
    text += std::string(static_cast<size_t>(2 * depth), ' ') + s + "\n";
  }
  std::string text;

 private:
  static std::string list(const std::vector<std::string>& x) {
    return fmt::format("{}", fmt::join(x, ", "));
  }
  static std::string axes(const MaybeAxes& a) {
    std::vector<std::string> r;
    for (const MaybeAxis& i : a) r.push_back(i ? fmt::format("{}", *i) : "none");
    return list(r);
  }
  // What stands before the operands of a step with bodies.
  static std::string head(const Step& s) {
    switch (s.kind) {
      case Kind::call: return "jit(f)";
      case Kind::cond: return s.variant ? "switch_(index, {f…})" : "cond(pred, f1, f0)";
      case Kind::while_loop:
        return s.count ? fmt::format("while_loop(f0, f1, {{.max_trips = {}}})", s.count)
                       : "while_loop(f0, f1)";
      case Kind::fori: return "fori_loop(lo, hi, f)";
      case Kind::scan:
        return fmt::format("scan(f, {{.length = {}, .reverse = {}, .unroll = {}}}) carry of {}",
                           s.length, s.reverse, s.unroll, s.count);
      case Kind::custom_jvp: return "custom_jvp(f, jvp of f)";
      case Kind::custom_vjp: return "custom_vjp(f, its vjp)";
      case Kind::custom_vmap: return "custom_vmap(f, vmap of f)";
      case Kind::sequential: return "sequential_vmap(f)";
      case Kind::vmap: {
        std::string o = fmt::format(".axis_size = {}", s.size);
        if (!s.name.empty()) o += fmt::format(", .axis_name = \"{}\"", s.name);
        if (s.chunk) o += fmt::format(", .chunk_size = {}", s.chunk);
        return fmt::format("vmap(f, {{{{{}}}}}, {{{}}}, {{{}}})", axes(s.in_axes), axes(s.out_axes),
                           o);
      }
      case Kind::grad: return s.variant ? "value_and_grad(f)" : "grad(f)";
      case Kind::vjp: return "vjp(f)";
      case Kind::jvp: return "jvp(f)";
      case Kind::linearize: return "linearize(f)";
      default: return s.variant == 0 ? "jacfwd(f)" : s.variant == 1 ? "jacrev(f)" : "hessian(f)";
    }
  }
  static std::string simple(const Step& s, const std::vector<std::string>& in) {
    static const char* const collectives[] = {"psum", "pmean",      "pmax",
                                              "pmin", "all_gather", "axis_index"};
    switch (s.kind) {
      case Kind::op: return call_text(*s.op, in, s.params);
      case Kind::constant: return values_text(made(s.out[0], s.seed, s.lo, s.hi));
      case Kind::number:
        return s.name == "-" ? fmt::format("{} - {}", s.number, in[0])
                             : fmt::format("{} {} {}", in[0], s.name, s.number);
      case Kind::collective:
        return fmt::format("{}({}{}\"{}\")", collectives[s.variant], list(in),
                           in.empty() ? "" : ", ", s.name);
      default:
        return fmt::format(
            "while_loop([](Array q) {{ return q * q > .01; }}, [](Array q) {{ return where(q > .5, "
            "q, q * .5); }}, {})",
            in[0]);
    }
  }
  void step(const Step& s, const std::vector<std::string>& in,
            const std::vector<std::string>& captured, const std::vector<std::string>& out,
            int depth) {
    const std::string result = out.size() == 1 ? "Array " + out[0] : "auto [" + list(out) + "]";
    std::vector<std::string> types;
    for (const Type& t : s.out) types.push_back(to_string(t));
    const std::string note = ";  // " + list(types);
    if (s.bodies.empty()) return line(depth, result + " = " + simple(s, in) + note);
    std::string of = derivative(s) ? fmt::format(" of the first {}", s.count) : "";
    line(depth, fmt::format("{} = {}{}({}){}", result, head(s), of, list(in), note));
    for (size_t b = 0; b < s.bodies.size(); ++b) {
      const Fn& f = s.bodies[b];
      std::vector<std::string> names;
      const size_t own = f.in.size() - captured.size();
      for (size_t k = 0; k < own; ++k) names.push_back(fmt::format("a{}", next_++));
      line(depth + 1, fmt::format("f{} = [=](Array {}) {{", b, list(names)));
      names.insert(names.end(), captured.begin(), captured.end());
      const std::vector<std::string> r = write(f, names, depth + 2);
      line(depth + 2, fmt::format("return {{{}}};", list(r)));
      line(depth + 1, "}");
    }
  }
  static bool derivative(const Step& s) { return s.kind >= Kind::grad; }
  int next_ = 0;
};

}  // namespace

std::string cpp_text(const Fn& f, const Arrays& x) {
  Writer w;
  std::vector<std::string> names;
  for (size_t k = 0; k < f.in.size(); ++k) names.push_back(fmt::format("x{}", k));
  for (size_t k = 0; k < x.size(); ++k) {
    w.line(0, fmt::format("Array x{} = {};  // {}", k, values_text(x[k]), to_string(x[k].type())));
  }
  const std::vector<std::string> out = w.write(f, names, 0);
  w.line(0, fmt::format("return {{{}}};", fmt::join(out, ", ")));
  return w.text;
}

}  // namespace weft::programs
