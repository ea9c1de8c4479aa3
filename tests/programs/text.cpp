// SPDX-License-Identifier: Apache-2.0
// Copyright The Weft authors
// tests/programs/text.cpp: writes a program as C++.
#include <fmt/format.h>
#include <weft/weft.h>

#include "programs/program.h"

namespace weft::programs {
namespace {

using Names = std::vector<std::string>;

std::string shape_text(const Shape& s) {
  return fmt::format("Shape{{{}}}", fmt::join(s.sizes(), ", "));
}
std::string real_text(double x) {
  const std::string s = fmt::format("{}", x);
  return s.find_first_of(".e") == std::string::npos ? s + "." : s;
}

std::string values_text(const Array& x) {
  const DType d = x.dtype();
  const std::string shape = shape_text(x.shape()), name = dtype_text(d);
  if (is_complex(d))
    return fmt::format("lax::complex({}, {})", values_text(lax::real(x)),
                       values_text(lax::imag(x)));
  if (is_key(d))
    return fmt::format("random::wrap_key_data({}, {{\"{}\"}})", values_text(random::key_data(x)),
                       random::key_impl(x));
  const std::vector<double> v = x.to_vector<double>();
  bool alike = true;
  for (double e : v) alike = alike && e == v[0];
  if (alike) return fmt::format("full({}, {}, {})", shape, real_text(v.empty() ? 0 : v[0]), name);
  Names numbers;
  for (double e : v) numbers.push_back(real_text(e));
  return fmt::format("array(std::vector<double>{{{}}}, {}).astype({})", fmt::join(numbers, ", "),
                     shape, name);
}

std::string list(const Names& x) { return fmt::format("{}", fmt::join(x, ", ")); }
std::string arrays(const Names& x) { return "Arrays{" + list(x) + "}"; }
Names sublist(const Names& x, size_t from, size_t to) {
  return {x.begin() + static_cast<std::ptrdiff_t>(from),
          x.begin() + static_cast<std::ptrdiff_t>(to)};
}
std::string axes(const MaybeAxes& a) {
  Names r;
  for (const MaybeAxis& i : a) r.push_back(i ? fmt::format("Axes({})", *i) : "Axes(none)");
  return fmt::format("Axes(std::vector<Axes>{{{}}})", list(r));
}

// ---- steps with bodies as expressions; f: the names of the bodies, x: of the operands

std::string loop_text(const Step& s, const Names& f, const Names& x) {
  const size_t carry = static_cast<size_t>(s.count);
  switch (s.kind) {
    case Kind::while_loop:
      return fmt::format("while_loop([=](Arrays c) {{ return {}(c)[0]; }}, {}, {}{})", f[0], f[1],
                         arrays(x), s.count ? fmt::format(", {{.max_trips = {}}}", s.count) : "");
    case Kind::fori:
      return fmt::format(
          "fori_loop({}, {}, [=](Array i, Arrays c) {{ return {}(joined({{i}}, c)); "
          "}}, {})",
          x[0], x[1], f[0], arrays(sublist(x, 2, x.size())));
    default:
      return fmt::format("scanned({}, {}, {}, {{.length = {}, .reverse = {}, .unroll = {}}})", f[0],
                         arrays(sublist(x, 0, carry)), arrays(sublist(x, carry, x.size())),
                         s.length, s.reverse, s.unroll);
  }
}
std::string map_text(const Step& s, const Names& f, const Names& x) {
  std::string o = fmt::format(".axis_size = {}", s.size);
  if (!s.name.empty()) o = fmt::format(".axis_name = \"{}\", ", s.name) + o;
  if (s.chunk) o += fmt::format(", .chunk_size = {}", s.chunk);
  if (s.budget) o += fmt::format(", .memory_budget = {}", s.budget);
  return fmt::format("vmap({}, Axes(std::vector<Axes>{{{}}}), {}, {{{}}})({})", f[0],
                     axes(s.in_axes), axes(s.out_axes), o, arrays(x));
}
std::string derivative_text(const Step& s, const Names& f, const Names& x, size_t primals) {
  const auto wrt = static_cast<size_t>(s.count);
  const std::string d = arrays(sublist(x, 0, wrt)), rest = arrays(sublist(x, wrt, primals)),
                    more = arrays(sublist(x, primals, x.size())),
                    of_all =
                        fmt::format("[=](Arrays d) {{ return {}(joined(d, {})); }}", f[0], rest),
                    loss =
                        fmt::format("[=](Arrays d) {{ return {}(joined(d, {}))[0]; }}", f[0], rest),
                    first = fmt::format("[=](Array d) {{ return {}(joined({{d}}, {}))[0]; }}", f[0],
                                        arrays(sublist(x, 1, primals)));
  switch (s.kind) {
    case Kind::grad:
      return s.variant == 0 ? fmt::format("grad({})({})", loss, d)
                            : fmt::format("both(value_and_grad({})({}))", loss, d);
    case Kind::vjp: return fmt::format("pulled_back({}, {}, {})", of_all, d, more);
    case Kind::jvp:
      return fmt::format("both(jvp({}, std::tuple{{{}}}, std::tuple{{{}}}))", of_all, d, more);
    case Kind::linearize: return fmt::format("linearized({}, {}, {})", of_all, d, more);
    default:
      return fmt::format("Arrays{{{}({})({})}}",
                         s.variant == 0   ? "jacfwd"
                         : s.variant == 1 ? "jacrev"
                                          : "hessian",
                         first, x[0]);
  }
}
std::string nested_text(const Step& s, const Names& f, const Names& x) {
  switch (s.kind) {
    case Kind::call: return fmt::format("jit({})({})", f[0], arrays(x));
    case Kind::cond:
      return s.variant == 0 ? fmt::format("cond({}, {}, {}, {})", x[0], f[1], f[0],
                                          arrays(sublist(x, 1, x.size())))
                            : fmt::format("switch_({}, std::tuple{{{}}}, {})", x[0], list(f),
                                          arrays(sublist(x, 1, x.size())));
    case Kind::while_loop:
    case Kind::fori:
    case Kind::scan: return loop_text(s, f, x);
    case Kind::custom_jvp: return fmt::format("with_forward_rule({}, {})", f[0], arrays(x));
    case Kind::custom_vjp:
      return fmt::format("with_reverse_rule({}, {}, {})", f[0], f.back(), arrays(x));
    case Kind::custom_vmap: return fmt::format("with_map_rule({}, {})", f[0], arrays(x));
    case Kind::sequential: return fmt::format("sequential_vmap({})({})", f[0], arrays(x));
    case Kind::checkpoint:
      return fmt::format("checkpoint({}, {{.policy = checkpoint_policies::{}}})({})", f[0],
                         checkpoint_policies_drawn()[static_cast<size_t>(s.variant)].text,
                         arrays(x));
    case Kind::vmap: return map_text(s, f, x);
    default: return derivative_text(s, f, x, s.bodies[0].in.size() - s.captured.size());
  }
}
std::string groups_text(const Step& s) {
  std::string r;
  for (const Ints& g : groups_of(s))
    r += fmt::format("{}{{{}}}", r.empty() ? "" : ", ", fmt::join(g, ", "));
  return "{{" + r + "}}";
}
std::string pairs_text(const Ints& order) {
  std::string r;
  for (size_t to = 0; to < order.size(); ++to)
    if (order[to] >= 0) r += fmt::format("{}{{{}, {}}}", r.empty() ? "" : ", ", order[to], to);
  return "LanePairs{" + r + "}";
}
std::string collective_text(const Step& s, const Names& x) {
  static const char* const names[] = {"psum",       "pmean",      "pmax",         "pmin",
                                      "all_gather", "axis_index", "psum_scatter", "pswapaxes",
                                      "pbroadcast", "ppermute",   "psum",         "all_gather"};
  static_assert(std::size(names) == collectives);
  const std::string more = s.variant == pswapaxes    ? ", 0"
                           : s.variant == pbroadcast ? fmt::format(", {}", s.count)
                           : s.variant == permuted   ? ", " + pairs_text(s.order)
                           : s.variant > permuted    ? ", " + groups_text(s)
                                                     : "";
  return fmt::format("{}({}{}\"{}\"{})", names[s.variant], list(x), x.empty() ? "" : ", ", s.name,
                     more);
}
std::string effect_text(const Step& s, const std::string& x) {
  switch (s.variant) {
    case calls: return fmt::format("called(first_number({}))", x);
    case checks:
      return fmt::format("check(first_number({0}) < {1}, \"{2} {{}}\", first_number({0}))", x,
                         real_text(s.number), s.count);
    default: return fmt::format("debug_print(\"{} {{}}\", first_number({}))", s.count, x);
  }
}
std::string simple_text(const Step& s, const Names& x) {
  switch (s.kind) {
    case Kind::op: return call_text(*s.op, x, s.params, s.out.size());
    case Kind::constant: return values_text(made(s.out[0], s.seed, s.lo, s.hi));
    case Kind::number:
      return s.name == "-" ? fmt::format("{} - {}", real_text(s.number), x[0])
                           : fmt::format("{} {} {}", x[0], s.name, real_text(s.number));
    case Kind::function: {
      std::string r;
      for (const char* c = composed()[static_cast<size_t>(s.variant)].text; *c; ++c) {
        const bool operand = c[0] == 'x' && c[1] == '[' && c[2] < '2' && c[3] == ']';
        r += operand ? x[static_cast<size_t>(c[2] - '0')] : std::string(1, *c);
        if (operand) c += 3;
      }
      return r;
    }
    case Kind::collective: return collective_text(s, x);
    case Kind::effect: return effect_text(s, x[0]);
    default:
      return fmt::format(
          "while_loop([](Array q) {{ return q * q > .01; }}, [](Array q) {{ return "
          "where(q > .5, q, q * .5); }}, {})",
          x[0]);
  }
}

// The helper functions that steps call. A helper is needed if the text contains its word.
const std::vector<std::pair<const char*, const char*>> helpers = {
    {"joined",
     R"(static Arrays joined(Arrays a, const Arrays& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}
)"},
    {"both(",
     R"(static Arrays both(const std::pair<Array, Arrays>& p) { return joined({p.first}, p.second); }
static Arrays both(const std::pair<Arrays, Arrays>& p) { return joined(p.first, p.second); }
)"},
    {"listed(",
     R"(static Arrays listed(const std::pair<Array, Array>& p) { return {p.first, p.second}; }
)"},
    {"pulled_back(", R"(template <class F>
Arrays pulled_back(F f, Arrays x, Arrays ct) {
  const auto [out, back] = vjp(f, x);
  return joined(out, std::get<0>(back(ct)));
}
)"},
    {"first_number(", R"(static Array first_number(Array x) {
  if (x.dtype() == C64 || x.dtype() == C128) x = lax::real(x);
  if (x.size() == 0) return zeros({}, x.dtype());
  return x.ndim() ? x.reshape({-1})[0] : x;
}
)"},
    {"called(", R"(static Array called(Array x) {
  const ShapeDtypeStruct like{{}, x.dtype()};
  return io_callback([](Array v) { return std::cout << "called: " << v << "\n", v; }, like,
                     stop_gradient(x));
}
)"},
    {"linearized(", R"(template <class F>
Arrays linearized(F f, Arrays x, Arrays tangents) {
  const auto [out, linear] = linearize(f, x);
  return joined(out, linear(tangents));
}
)"},
    {"scanned(", R"(template <class F>
Arrays scanned(F f, Arrays carry, Arrays rows, typing::ScanOptions o) {
  const size_t n = carry.size();
  const auto [c, ys] = scan(
      [=](Arrays c, Arrays row) {
        const Arrays out = f(joined(c, row));
        const auto end = out.begin() + static_cast<std::ptrdiff_t>(n);
        return std::pair{Arrays(out.begin(), end), Arrays(end, out.end())};
      },
      carry, rows, o);
  return joined(c, ys);
}
)"},
    {"with_forward_rule(", R"(template <class F>
Arrays with_forward_rule(F f, Arrays x) {
  using One = std::tuple<Arrays>;
  return custom_jvp(f, [f](One p, One t) -> std::pair<Arrays, Arrays> { return jvp(f, p, t); })(x);
}
)"},
    {"with_reverse_rule(", R"(// quiet: f without its effects.
template <class F, class G>
Arrays with_reverse_rule(F f, G quiet, Arrays x) {
  return custom_vjp(
      f, [f](Arrays a) { return std::pair{f(a), a}; },
      [quiet](Arrays residuals, Arrays ct) { return vjp(quiet, residuals).second(ct); })(x);
}
)"},
    {"with_map_rule(", R"(template <class F>
Arrays with_map_rule(F f, Arrays x) {
  return custom_vmap(f, [f](int64_t size, tree::Mask mapped, Arrays a) {
    std::vector<Axes> in;
    for (size_t k = 0; k < a.size(); ++k) in.push_back(mapped[k] ? Axes(0) : Axes(none));
    return std::pair{vmap(f, Axes(std::vector<Axes>{Axes(in)}), 0, {.axis_size = size})(a), true};
  })(x);
}
)"}};

class Writer {
 public:
  // Writes f, whose inputs have the given names, and returns the names of its results.
  Names write(const Fn& f, Names names, int depth) {
    for (const Step& s : f.steps) {
      Names in, captured;
      for (int v : s.in) in.push_back(names[static_cast<size_t>(v)]);
      for (int v : s.captured) captured.push_back(names[static_cast<size_t>(v)]);
      Names out;
      for (size_t k = 0; k < s.out.size(); ++k) out.push_back(fmt::format("v{}", next_++));
      step(s, in, captured, out, depth);
      names.insert(names.end(), out.begin(), out.end());
    }
    Names r;
    for (int v : f.out) r.push_back(names[static_cast<size_t>(v)]);
    return r;
  }
  void line(int depth, const std::string& s) {
    text += std::string(static_cast<size_t>(2 * depth), ' ') + s + "\n";
  }
  void take(const Names& names, const std::string& from, int depth) {
    Names parts;
    for (size_t k = 0; k < names.size(); ++k)
      parts.push_back(fmt::format("{} = {}[{}]", names[k], from, k));
    if (!parts.empty()) line(depth, "Array " + list(parts) + ";");
  }
  std::string text, constants;

 private:
  void step(const Step& s, const Names& in, const Names& captured, const Names& out, int depth) {
    Names types;
    for (const Type& t : s.out) types.push_back(to_string(t));
    const std::string note = ";  // " + list(types);
    Names f;
    for (const Fn& b : s.bodies) f.push_back(body(b, captured, depth));
    if (s.kind == Kind::custom_vjp && holds(s.bodies[0], Kind::effect))
      f.push_back(body(without_effects(s.bodies[0]), captured, depth));
    if (s.kind == Kind::constant) {  // it reads no traced value
      const std::string name = fmt::format("c{}", next_++);
      constants += "static const Array " + name + " = " + simple_text(s, in) + ";\n";
      return line(depth, "Array " + out[0] + " = " + name + note);
    }
    const std::string made = f.empty() ? simple_text(s, in) : nested_text(s, f, in);
    if (out.empty()) return line(depth, made + note);
    if (f.empty() && out.size() == 1) return line(depth, "Array " + out[0] + " = " + made + note);
    const std::string all = fmt::format("r{}", next_++);
    line(depth, "Arrays " + all + " = " + made + note);
    take(out, all, depth);
  }
  // Writes a lambda and returns its name.
  std::string body(const Fn& f, const Names& captured, int depth) {
    const std::string name = fmt::format("f{}", next_++);
    line(depth, "auto " + name + " = [=](Arrays x) -> Arrays {");
    Names names;
    for (size_t k = captured.size(); k < f.in.size(); ++k)
      names.push_back(fmt::format("a{}", next_++));
    take(names, "x", depth + 1);
    append_names(&names, captured);
    line(depth + 1, "return " + arrays(write(f, names, depth + 1)) + ";");
    line(depth, "};");
    return name;
  }
  static void append_names(Names* to, const Names& more) {
    to->insert(to->end(), more.begin(), more.end());
  }
  int next_ = 0;
};

}  // namespace

std::string dtype_text(DType d) {
  if (d == Bool) return "Bool";
  if (is_key(d)) return d == Key ? "Key" : "RbgKey";
  std::string r;
  for (char c : std::string(short_name(d))) r += static_cast<char>(std::toupper(c));
  return r;
}

std::string cpp_text(const Fn& f, const Arrays& x) {
  Writer w;
  Names names;
  for (size_t k = 0; k < f.in.size(); ++k) names.push_back(fmt::format("x{}", k));
  w.line(0, "static Arrays program(Arrays x) {");
  w.take(names, "x", 1);
  const Names out = w.write(f, names, 1);
  w.line(1, "return " + arrays(out) + ";");
  w.line(0, "}");
  w.line(0, "int main() {");
  w.line(1, "const Arrays x{");
  for (const Array& a : x)
    w.line(3, fmt::format("{},  // {}", values_text(a), to_string(a.type())));
  w.line(1, "};");
  w.text += R"(  const auto show = [&](const char* how, auto f) {
    std::cout << how << ": ";
    try {
      for (const Array& y : f(x)) std::cout << y << "\n";
    } catch (const Error& e) {
      std::cout << "raises " << e.what() << "\n";
    }
  };
  show("one operation after another", program);
  show("compiled", jit([](Arrays a) { return program(a); }));
}
)";
  std::string head = "#include <weft/weft.h>\n\n#include <iostream>\n";
  if (w.text.find("bind_op(") != std::string::npos)
    head += "\n#include \"core/op.h\"\n#include \"core/param.h\"\n#include \"tracer/trace.h\"\n";
  head += "using namespace weft;\n";
  if (w.text.find("Ints{") != std::string::npos) head += "using Ints = std::vector<int64_t>;\n";
  const auto called = [&](const char* word) { return w.text.find(word) != std::string::npos; };
  bool any = false;
  for (const auto& [word, text] : helpers) any = any || called(word);
  for (const auto& [word, text] : helpers)
    if (called(word) || (any && word == helpers[0].first)) head += text;
  return head + w.constants + w.text;
}

}  // namespace weft::programs
