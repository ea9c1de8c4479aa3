#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/install/refused.py: arguments, operands, carries and results that are neither trees nor
# static values do not compile. The message says what to write instead. Arguments: compiler, include
# directory.
import re
import subprocess
import sys

START = """#include <weft/weft.h>
#include <memory>
#include <unordered_map>
#include <variant>
using namespace weft;
template <int> class Opaque { public: explicit Opaque(Array x) : w(x) {} Array w; };
template <int> struct Plain { int n; WEFT_STATIC(Plain); };
template <int> struct Held { Array w; bool operator==(const Held&) const = default; WEFT_STATIC(Held); };
const Array x = ones({2});
"""
NEITHER = "neither a tree of Arrays nor a static value. WEFT_TREE(Type, field"
CAPTURES = "a callable as an argument must be stateless"
CASES = [  # the code (O: an Opaque), and the message
    ("vmap([](Array a, O o) { return a + o.w; }, {0, none})(x, o);", NEITHER),
    ("vmap([](Array a) { return O(a); })(x);", NEITHER),
    ("jit([](Array a, O o) { return a + o.w; })(x, o);", NEITHER),
    ("jit([](Array a) { return O(a); })(x);", NEITHER),
    ("jit([](Array a, O o) { return a + o.w; }).lower(x, o);", NEITHER),
    ("grad([](Array a, O o) { return (a * o.w).sum(); })(x, o);", NEITHER),
    ("jvp([](O o) { return o.w; }, std::tuple{o}, std::tuple{o});", NEITHER),
    ("vjp([](O o) { return o.w; }, o);", NEITHER),
    ("linearize([](O o) { return o.w; }, o);", NEITHER),
    ("jacfwd([](Array a, O o) { return a * o.w; })(x, o);", NEITHER),
    ("hessian([](Array a, O o) { return (a * o.w).sum(); })(x, o);", NEITHER),
    ("make_jaxpr([](Array a, O o) { return a + o.w; })(x, o);", NEITHER),
    ("custom_jvp([](O o) { return o.w; }, [](std::tuple<O> p, std::tuple<O> t) { return std::pair(std::get<0>(p).w, "
     "std::get<0>(t).w); })(o);", NEITHER),
    ("cond(true, [](O o) { return o.w; }, [](O o) { return -o.w; }, o);", NEITHER),
    ("switch_(0, std::tuple{[](O o) { return o.w; }}, o);", NEITHER),
    ("while_loop([](O o) { return o.w.sum() < 3; }, [](O o) { return O(o.w + 1); }, o);", NEITHER),
    ("fori_loop(0, 3, [](Array, O o) { return o; }, o);", NEITHER),
    ("scan([](O c, Array r) { return std::pair(c, r); }, o, x);", NEITHER),
    ("map([](Array r) { return O(r); }, x);", NEITHER),
    ("associative_scan([](O a, O) { return a; }, o);", NEITHER),
    ("tree::map([](Array a) { return a; }, o);", NEITHER),
    ("tree::leaves(o);", NEITHER),
    ("tree::structure(o);", NEITHER),
    ("tree::ravel(o);", NEITHER),
    ("vmap([](std::pair<Array, O> p) { return p.first; })(std::pair(x, o));", NEITHER),
    ("using M = std::unordered_map<std::string, O>; vmap([](M m) { return m.at(\"w\").w; })(M{});", NEITHER),
    ("using M = std::map<int, O>; vmap([](M m) { return m.at(0).w; })(M{});", NEITHER),
    ("using V = std::variant<Array, O>; vmap([](V v) { return std::get<0>(v); })(V{x});", NEITHER),
    ("using S = std::shared_ptr<O>; vmap([](S s) { return s->w; })(S{});", NEITHER),
    ("jit([](Array a, auto f) { return f(a); })(x, [o](Array a) { return a + o.w; });", CAPTURES),
    ("jit([](Array a, Plain<N> p) { return a * p.n; })(x, Plain<N>{3});", "WEFT_STATIC(Type): the type needs =="),
    ("jit([](Array a, Held<N> h) { return a * h.w; })(x, Held<N>{x});", "WEFT_STATIC(Type): the type holds an Array"),
]


def main():
    compiler, include = sys.argv[1:3]
    text = START
    for i, (code, _) in enumerate(CASES):
        text += f"void f{i}() {{ constexpr int N = {i}; using O = Opaque<N>; const O o(x); (void)o; {code} }}\n"
    clang = "clang" in compiler
    limit = ["-ferror-limit=0"] if clang else ["-fmax-errors=0"]
    command = [compiler, "-std=c++20", *limit, "-ftemplate-backtrace-limit=0", "-fsyntax-only", "-I", include, "-x", "c++", "-"]
    run = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    # There is a block for each error: the chain of instantiations, and then (clang: before it) the
    # error.
    start = r"\n(?=[^\n]*: error: )" if clang else r"\n(?=[^\n]*: In instantiation of |In file included from )"
    blocks = re.split(start, run.stderr)
    first = START.count("\n") + 1
    # clang does not always name the instantiating line, but it names the type.
    missing = [code for i, (code, want) in enumerate(CASES)
               if not any(want in b and (f"<stdin>:{first + i}:" in b or clang and f"<{i}>" in b) for b in blocks)]
    for code in missing:
        print(f"compiles, or fails with another message: {code}")
    if missing:
        print(run.stderr[:20000])
    print(f"{len(CASES) - len(missing)} of {len(CASES)} are refused")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
