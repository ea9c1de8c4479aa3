#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/install/misuse.py: mistakes of newcomers. They either compile and work, or GCC and clang (if
# installed) report them in at most 15 lines that say what to write instead. Arguments: compiler,
# include directory.
import shutil
import subprocess
import sys

START = """#include <weft/weft.h>
#include <array>
#include <complex>
#include <functional>
#include <iostream>
#include <memory>
using namespace weft;
struct Params { Array w, b; };
"""
MOST_LINES = 15

WORKS = [
    "Array f(Array x) { return scan([](Array c) { return std::pair{c * 2, c}; }, x, none, {.length = 3}).second; }",
    "Array f(Array x) { return scan([](auto c) { return std::pair{c * 2, c}; }, x, none, {.length = 3}).second; }",
    "Array f(Array x) { return scan([](Array c, none_t) { return std::pair{c * 2, c}; }, x, none, {.length = 3}).second; }",
    "void f(Array x) { std::cout << x.shape() << x.dtype() << x.type() << std::tuple{x, x} << Params{x, x}; }",
    "void f(Array x) { std::cout << std::vector{x} << std::optional{x} << tree::structure(std::tuple{x}); }",
    "std::string f(Array x) { return to_string(x) + to_string(x.shape()) + to_string(F32) + to_string(Params{x, x}); }",
    "Array f() { return array(std::vector<std::vector<float>>{{1, 2}, {3, 4}}); }",
    "Array f() { return array(std::array<float, 2>{1, 2}); }",
    "Array f(const float* p) { return array(p, {3}); }",
    "Array f() { float a[3] = {1, 2, 3}; return array(a) + array(std::span(a)); }",
    "Array f(Array x) { return lax::scan([](Array c, Array r) { return std::pair(c, r); }, x, x).first; }",
    "Array f(Array x) { return lax::cond(true, [](Array a) { return a; }, [](Array a) { return -a; }, x); }",
    "Array f(Array x) { return lax::fori_loop(0, 3, [](Array, Array c) { return c; }, x); }",
    "Array f(Array x) { return lax::while_loop([](Array c) { return c < 3; }, [](Array c) { return c + 1; }, x); }",
    "Array f(Array k) { auto [a, b] = random::split(k); return random::split(k)[0]; }",
    "Array f() { return zeros(3) + zeros(std::vector<int>{3}) + random::key_data(random::PRNGKey(0)); }",
    "Array f(Array k) { return random::uniform(k, {3}, -1., 1.); }",
    "void f(Array v) { v.std(); v.var(); v.cumsum(); v.clip(0, 1); v.sort(); v.round(); v.flatten(); v.swapaxes(0, 1); }",
    "Array f(Array x) { return x.reshape(3, 1) + x.sum({.keepdims = true}) + sum(x, {.keepdims = true}); }",
    "Array f(Array x) { return vmap([](Array a, Array b) { return a + b; }, {0, std::nullopt})(x, x); }",
    "Array f(Array x) { return x[{0, none}] + x[slice(2)]; }",
    "float f(Array v) { return float(v.sum()); }",
    "Array f(Array v) { using namespace std::complex_literals; return v * std::complex<float>(1, 2) + 2.0i * v; }",
    "Array f(Array x, Array i) { return x[slice(i, i + 2)]; }",
    "Array f(Array x) { return io::load_stablehlo(\"p.mlir\")(x)[0]; }",
    "Array f(Array x) { x += 1; x *= 2.; x -= x; x /= 3; return x; }",
    "Array f(Array x) { return grad(tanh)(x) + vmap(sin)(x) + jit(exp)(x) + vmap(grad(cos))(x) + jacfwd(sqrt)(x); }",
    "struct Less { bool operator()(int, int) const; }; void f(std::map<int, int> m, Less l) "
    "{ std::map a(m.begin(), m.end()), b(m), c(m, m.get_allocator()); std::map d({std::pair{1, 2}}, l); (void)d.size(); }",
    "void f(Array x) { io_callback([] {}, none); io_callback([](Array) {}, none, x); pure_callback([] { return Array(1.); }, "
    "ShapeDtypeStruct{{}, F32}); eval_shape([](Array a) { return a; }, x); }",
    "Array f(Array x, std::vector<Array (*)(Array)> v) { return switch_(2, v, x) + jit([](Array a, std::complex<float> z) "
    "{ return a * z; })(x, {1, 2}); }",
    "Array f(Array a, Array b) { return custom_linear_solve([=](Array x) { return dot(a, x); }, b, [](auto, Array r) { return r; }, "
    "[](auto, Array r) { return r + 0.; }); }",
    "Array f(Array a, Array b) { return concatenate({a, b}) + concatenate({a}) + concatenate({a, b}, 0) + stack({a, b}, {.dtype = F32}) "
    "+ hstack(Arrays{a, b}) + vstack({a}); }",
    "Array f() { return ones({3, 3}) + ones(3) + zeros({3}, I32) + zeros(3, F32) + empty({2}, {.dtype = F32}) + full(3, 3); }",
    "Array f(Array x) { return where(x > 0)[0] + where(x > 0, {.size = 3})[0] + where(x > 0, x, 0) + where(true, 1, 2.); }",
    "Array f(Array x) { return switch_(1, {[](Array a) { return a; }, [](Array) { return 2.; }}, x) "
    "+ switch_(0, {std::function<Array(Array)>(), std::function<Array(Array)>()}, x); }",
    "static_assert(!std::is_invocable_v<decltype(jit([](Array a) { return a; })), Array, Array>); "
    "static_assert(std::is_invocable_v<decltype(jit([](Array a, int) { return a; })), float, int>);",
    "Array f(Array x) { return jit([](Array a, std::vector<Array> v, std::pair<Array, int> p) { return a + v[0] + p.first; })"
    "(1., {x, x}, {x, 2}); }",
    "struct V : std::vector<float> {}; Array operator*(const Array& a, const V&) { return a; } Array f(Array x, V v) { return x * v; }",
    "struct V : std::vector<float> { V(Array); }; V operator*(const V& a, const V&) { return a; } V f(Array x, V v) { return x * v; }",
    "template <class T> struct V : std::vector<T> {}; template <class S, class T> V<T> operator*(const S&, const V<T>& v) { return v; } "
    "V<int> f(Array x, V<int> v) { return x * v; }",
    "struct S { Array w; bool operator==(const S&) const { return true; } }; bool f(std::vector<S> a) { return a == a; }",
    "using namespace std; Array f(Array x) { return sum(x) + exp(x) + abs(x) + max(x) + sort(x) + min(x); }",
]
# These calls have names in braces where axes are expected. GCC 12 reads {.ddof = 1} as {1} unless
# the class refuses it.
REFUSED = [f"void f(Array x) {{ {call}; }}" for call in (
    *(f"{f}(x, {{.{name} = {value}}})" for f in ("sum", "prod", "max", "min", "any", "all", "mean", "var", "weft::std", "amax", "amin", "ptp",
                                                 "count_nonzero", "logsumexp", "argmax", "argmin", "nansum", "nanmean", "nanvar", "nanstd",
                                                 "nanmax", "nanmin", "nanargmax", "median", "nanmedian", "average", "sort", "argsort", "squeeze",
                                                 "flip", "expand_dims", "reshape", "linalg::norm", "linalg::vector_norm", "nn::softmax",
                                                 "nn::log_softmax", "nn::logsumexp", "nn::standardize", "special::logsumexp", "fft::fftshift")
      for name, value in (("axis", "1"), ("axis", "int64_t{1}"), ("n", "size_t{1}"))),
    *(f"{f}(x, .5, {{.axis = 1}})" for f in ("quantile", "percentile", "nanquantile", "nanpercentile", "roll")),
    *(f"x.{f}({{.axis = 1}})" for f in ("sum", "prod", "max", "min", "any", "all", "mean", "var", "std", "ptp", "argmax", "argmin", "cumsum",
                                        "cumprod", "sort", "argsort", "squeeze", "reshape")),
    "average(x, 0, {.keepdims = true})", "diff(x, 1, 0, {.n = 1})")]
SAYS = [
    ("Array f(Array x) { return scan([](Array c, Array r) { return std::pair{c, r}; }, x, none, {.length = 3}).first; }", "f takes the carry alone"),
    ("Array f(std::vector<double> v) { return jit([](Array a) { return a; })(v); }", "write array(v)"),
    ("Array f(std::array<double, 3> v, Array x) { return grad([](Array a, Array b) { return sum(a * b); })(x, v); }", "write array(v)"),
    ("struct S { Array w; std::unique_ptr<int> p; }; Array f(S& s) { return jit([](const S& t) { return t.w; })(s); }", "std::unique_ptr is neither"),
    ("struct S { Array w; std::unique_ptr<int> p; }; Array f(Array x, S& s) { return vmap([](Array a, const S& t) { return a * t.w; }, "
     "{0, none})(x, s); }", "std::unique_ptr is neither"),
    ("Array f(Array x) { return cond(x.sum() > 0, [](Array a) { return a; }, [](Array a) { return std::pair{a, a}; }, x); }",
     "the branches return different types"),
    ("Array f(Array x) { return switch_(1, std::tuple{[](Array a) { return a; }, [](Array a) { return std::pair{a, a}; }}, x); }",
     "the branches return different types"),
    ("struct S { Array w; std::shared_ptr<int> p; }; Array f(S& s) { return jit([](const S& t) { return t.w; })(s); }", "WEFT_STATIC(Type)"),
    ("struct S { Array w; std::shared_ptr<int> p; }; Array f(Array x, S& s) { return vmap([](Array a, const S& t) { return a * t.w; }, "
     "{0, none})(x, s); }", "WEFT_STATIC(Type)"),
    ("struct S { Array w; std::shared_ptr<int> p; }; struct T { S s; }; Array f(T& s) { return grad([](const T& t) { return t.s.w; })(s).s.w; }",
     "WEFT_STATIC(Type)"),
    ("Array f(Array x, std::vector<double> v) { return jit([](Array a) { return a; }).lower(x).compile()(v); }", "write array(v)"),
    ("Array f(Array x) { return vmap([](Array a) { return a + oops; })(x); }", "oops"),
    ("Array f(Array x) { return jit([](Array y) { return vmap([](Array a) { return a * oops; })(y); })(x); }", "oops"),
    ("Array f(Array x) { return scan([](Array c, Array r) { return std::pair{c + oops, r}; }, x, x).first; }", "oops"),
    ("Array f(Array x) { return while_loop([](Array c) { return c < oops; }, [](Array c) { return c + 1; }, x); }", "oops"),
    ("Array f(Array x) { return fori_loop(0, 3, [](Array i, Array c) { return vmap([&](Array r) { return cond(r > 0, [&](Array q) "
     # the code, the expected text, and the largest number of lines if it is not 15 (of GCC, and of
     # clang if it differs): clang shows each wrapper, macro and candidate
     "{ return q + oops; }, [](Array q) { return q; }, r); })(c); }, x); }", "oops"),
    ("Array f(Array x) { return vmap([](Array a, Array b) { return a + b; }, {0, nullptr})(x, x); }", "is `none`"),
    ("Array f(Array v) { return max(v, 2.); }", "write maximum(x, y)"),
    ("float f(Array v) { return v.item(); }", "x.item<float>()"),
    ("Array f(Array v) { return std(v); }", "weft::std", 23),
    ("void f(Array v) { v[0] = 5.; }", "x = x.at(i).set(v)"),
    ("void f(Array v) { v[{0, 1}] += 1.; }", "x = x.at(i).set(v)"),
    ("struct B { Array w; }; struct D : B { Array b; }; Array f(D d) { return vmap([](D e) { return e.w; })(d); }",
     "with a base class"),
    ("struct D { Array b[2]; }; Array f(D d) { return vmap([](D e) { return e.b[0]; })(d); }", "use std::array"),
    ("Array f(Array x) { return grad([](Array a) { return a.sum(); }, 1)(x); }", "grad<1>(f)"),
    ("Array f(Array x) { return grad([](Array a) { return a.sum(); }, {.has_aux = true})(x); }", "grad_with_aux(f)"),
    ("Array f(Array k) { return random::uniform(k, {3}, {.minval = -1}); }", "{.lo ="),
    ("Array f(Array x) { return vmap([](Array a) { return a; }, 0, {.chunk_size = 2})(x); }", "write vmap(f, 0, 0, {.chunk_size = 2})", 41),
    ("Array f(Array x) { return vmap([](Array a) { return a; }, {.axis_size = 2, .chunk_size = 2})(x); }", "write vmap(f, 0, 0, {.chunk_size = 2})", 41),
    ("Array f(Array x) { return vmap([](Array a) { return a; }, {0}, {.axis_name = \"i\"})(x); }", "write vmap(f, 0, 0, {.chunk_size = 2})", 41),
    ("Array f(Array x) { return pure_callback(ShapeDtypeStruct{{}, F32}, [](Array a) { return a; }, x); }", "the function is the first argument", 24),
    ("Array f(Array x) { return pure_callback([](Array a, Array b) { return a + b; }, ShapeDtypeStruct{{}, F32}, x); }",
     "calls f(x, y)", 24),
    ("Array f(Array x) { return pure_callback([](Array a) { (void)a; }, ShapeDtypeStruct{{}, F32}, x); }", "io_callback(f, none, x)", 24),
    ("void f(Array x) { io_callback([](Array a) { return std::pair{a, a}; }, ShapeDtypeStruct{{}, F32}, x); }", "must return what result_types", 24),
    ("void f(Array x) { io_callback([](Array a) { return a; }, none, x); }", "must return what result_types", 24),
    ("Array f(Array x) { return custom_vmap([](Array a) { return a; }, [](Array a) { return a; })(x); }",
     "[](int64_t size, tree::Mask mapped, Array x)", 24),
    ("Array f(Array x) { return custom_vmap([](Array a) { return a; }, [](int64_t, tree::Mask, Array a) { return a; })(x); }",
     "std::pair{out, true}", 24),
    ("Array f(Array x) { return custom_vmap([](Array a) { return a; }, [](int64_t, tree::Mask, Array a) { (void)a; })(x); }",
     "std::pair{out, true}", 24),
    ("Array f(Array x) { return custom_vmap([](Array a) { return a; }, [](int64_t, tree::Mask, Array a) "
     "{ return std::pair{std::pair{a, a}, true}; })(x); }", "must have the type of the function's result", 24),
    ("sharding::P f() { return sharding::P(\"data\", 0); }", "or `none` if it is not partitioned"),
    ("void f(Array d) { vmap([](Array a) { (void)a; })(d); }", "let it return an Array"),
    ("void f(Array d) { jit([](Array a) { (void)a; })(d); }", "let it return an Array"),
    ("void f(Array d) { grad([](Array a) { (void)a; })(d); }", "let it return an Array"),
    ("using namespace std; Array f(Array x) { return map([](Array a) { return a; }, x); }", "write lax::map(f, xs)"),
    # Calls with other arguments than the function takes. clang shows all candidates beside a deleted function.
    ("Array f(Array x) { auto g = [](Array a, Array b) { return a * b; }; return vmap(g)(x); }", "takes other arguments than these", 15, 22),
    ("Array f(Array x) { return jit([](Array a) { return a * 2.; })(x, x); }", "takes other arguments than these", 15, 22),
    ("Array f(Array x) { return jit([](Array a, int n) { return a * n; })(x, x); }", "takes other arguments than these", 15, 22),
    ("Array f(Array x) { return vmap(jit([](Array a, std::string) { return a; }), {0, none})(x, 5); }",
     "takes other arguments than these", 15, 22),
    ("Array f(Array x) { return map([](Array a, Array b) { return a + b; }, x); }", "f must take a row of xs"),
    ("Array f(Array x) { return foldl([](Array a) { return a; }, x, 0.); }", "fn must accept (acc, row of elems)"),
    ("Array f(Array x) { return associative_scan([](Array a) { return a; }, x); }", "f must accept (left, right)"),
    ("Array f(Array x) { return odeint([](Array y, Array) { return -y; }, x, linspace(0., 1., 3), x, x); }", "func must take (y, t, args"),
    ("void f(Array x) { switch_(1, {[](Array a) { return a; }, [](Array a) { return std::pair{a, a}; }}, x); }",
     "others are given as a std::tuple"),
    ("Array f(Array x) { return custom_vjp([](Array a) { return a; }, [](Array a) { return a; }, [](Array, Array g) { return g; })(x); }",
     "fwd must return a pair {out, residuals}"),
    ("Array f(Array x) { return custom_jvp([](Array a) { return a; }, [](Array a, Array t) { return std::pair{a, t}; })(x); }",
     "the rule must take (tuple of primals, tuple of tangents)"),
    ("void f(Array x) { grad<1>([](Array a) { return sum(a); })(x); }", "requires more arguments"),
    ("void f(Array x) { auto [g, aux] = grad_with_aux([](Array a) { return sum(a); })(x); }", "two-element tuple, {loss, aux}"),
    ("void f(Array x) { auto [l, g] = value_and_grad([](Array a) { return std::pair{sum(a), a}; })(x); }", "with auxiliary results use grad_with_aux"),
    ("void f(Array x) { auto o = optim::adam(1e-3); auto s = o.init(x); o.update(x, s, x, 1); }", "UpdateFn"),
    # Names that are not declared, below several transforms.
    ("Array f(Array x) { auto g = [](Array a) { return sum(a * oops); }; return jit(vmap(grad(g)))(x); }", "oops"),
    ("Array f(Array x) { return hessian([](Array a) { return sum(a.oops()); })(x); }", "oops"),
    ("Array f(Array x) { return grad(checkpoint([](Array a) { return a * oops; }))(x); }", "oops"),
    ("Array f(Array x) { return odeint([](Array y, Array) { return -y * oops; }, x, linspace(0., 1., 3)); }", "oops"),
    # In braces GCC shows all candidates beside a name that is not declared: it has no type, so no overload takes it.
    ("Array f() { return array({oops, 1.}); }", "oops", 79, 15),
    ("Array f(Array x) { return vmap([](Array a) { return a; }, {oops})(x); }", "oops", 50, 15),
    # Numbers and lists that are no Arrays.
    ("Array f(Array x, std::vector<float> v) { return x + v; }", "write array(v)"),
    ("Array f(Array x, std::vector<std::vector<double>> v) { return v * x; }", "write array(v)"),
    ("Array f(Array x) { double c[3] = {1, 2, 3}; return x[0] >= c; }", "write array(v)"),
    ("auto f(Array x) { return std::string(\"loss \") + x; }", "to_string(x)"),
    ("Array f(Array a, Array b) { return concatenate(a, b); }", "one list, in braces: concatenate({a, b})"),
    ("Array f(Array a, Array b) { return stack(a, b, 0); }", "one list, in braces: concatenate({a, b})"),
    ("Array f(Array a, Array b) { return hstack(a, b); }", "one list, in braces: concatenate({a, b})"),
    ("Array f() { return ones(3, 3); }", "write ones({3, 3})"),
    ("Array f() { return zeros(2, 3, 4); }", "write ones({3, 3})"),
    ("Array f() { return zeros({3}, {.dtype = \"float32\"}); }", "a dtype is not a text"),
    ("Array f(Array x) { return where(x > 0, x); }", "write where(condition, x, y)"),
    ("Array f(Array k) { return random::normal(k, {3}, {.mean = 2}); }", "mean + stddev * random::normal(key, shape)"),
    ("struct S { Array w; int* p; S* next; }; void f(S s) { grad([](S t) { return sum(t.w); })(s); }", "neither a tree of Arrays nor a static value"),
]
FLAGS = [  # the code before START, the message, and the flags of the compiler
    ("", "Weft needs C++20: compile with -std=c++20", ["-std=c++17"]),
    ("", "with _GLIBCXX_ASSERTIONS in its place", ["-D_GLIBCXX_DEBUG"]),
    ("#include <vector>\n", "include <weft/weft.h> before standard headers", ["-D_GLIBCXX_DEBUG"]),
]
# Many programs compile with these warnings. With -I the warnings apply to Weft's headers, too.
WARNINGS = ["-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Wsign-conversion", "-Werror"]
QUIET = """
Array f(Array x, Params p) {
  const Array y = vmap([](Array a, Params q) { return a * q.w; }, {0, none})(x, p) + x[{slice(1, none), 0}];
  const auto [l, ys] = scan([](Array c, Array r) { return std::pair{c + r, c}; }, Array(0.), x);
  const auto c = jit([](Array a, int n) { return a * n; }).lower(x, 2).compile();
  const Array z = cond(x.sum() > 0, [](Array a) { return a; }, [](Array a) { return -a; }, c(x, 2));
  std::cout << x.item<float>(0) << x.to_vector<float>().size() << random::split<2>(random::key(0))[0];
  return grad([](Array a) { return sum(a, 0); })(y) + z + ys + l + array(std::vector<double>{1, 2}, F32);
}
"""


def compiled(compiler, text, *options):
    command = [compiler, "-std=c++20", *options, "-fsyntax-only", "-I", sys.argv[2], "-x", "c++", "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=False)


def faults(compiler):
    whole = START + "".join(f"namespace n{i} {{\n{code}\n}}\n" for i, code in enumerate(WORKS[:-1])) + WORKS[-1]
    run = compiled(compiler, whole)
    if run.returncode:
        yield "what is to work does not compile:\n" + run.stderr[:8000]
    # All are in one file, and each namespace must have an error.
    first = START.count("\n") + 1
    text = START + "".join(f"namespace n{i} {{ {code} }}\n" for i, code in enumerate(REFUSED))
    limit = "-ferror-limit=0" if "clang" in compiler else "-fmax-errors=0"
    said = compiled(compiler, text, limit).stderr
    for i, code in enumerate(REFUSED):
        if f"<stdin>:{first + i}:" not in said:
            yield f"compiles, and reads a name as an axis: {code}"
    said = compiled(compiler, START + QUIET, *WARNINGS).stderr
    if said:
        yield "the headers have warnings for programs:\n" + said[:8000]
    cases = [(START + code, want, [], *most) for code, want, *most in SAYS]
    cases += [(code + START, *rest) for code, *rest in FLAGS]
    for code, want, options, *most in cases:
        said = compiled(compiler, code, *options).stderr
        limit = [MOST_LINES, *most][-1] if "clang" in compiler else [*most, MOST_LINES][0]
        if want not in said or said.count("\n") > limit:
            yield f"{code or options}: {said.count(chr(10))} lines, '{want}' {'is' if want in said else 'is not'} among them\n{said[:2000]}"


def main():
    clang = shutil.which("clang++-19")
    compilers = [sys.argv[1]] + ([clang] if clang and "clang" not in sys.argv[1] else [])
    found = [(c, f) for c in compilers for f in faults(c)]
    for compiler, fault in found:
        print(f"{compiler}: {fault}")
    print(f"{len(WORKS) + len(SAYS) + len(FLAGS)} cases of misuse by {' and '.join(compilers)}" + ("" if len(compilers) > 1 else "; no clang++-19 here"))
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
