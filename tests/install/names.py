#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tests/install/names.py: a program that uses namespace weft keeps its own names.
# docs/reference/names.md lists all names that the headers declare there. Arguments: compiler,
# include directory, source directory.
import pathlib
import re
import shutil
import subprocess
import sys

# Types that programs define. "Light" to "Triangle" are from ray tracers, "Cloth" from simulations,
# and so on.
TYPES = """Mesh Cost Index Location Key Type Types Dim Slice Piece P Node Edge Point Vector Matrix State Params Options Graph Device Stream
Buffer Step Rule Value Function Token Block Tile Region Program Plan Grid Cell Particle Complex Intersection Bins Closed Nested
RootResult MemoryUse At Arg Args Source Sparsity LinearMap Light Ray Scene Material Sphere Triangle Hit Camera Cloth Spring
Constraint Contact Body Joint Problem Solution Solver Result Results Config Settings Task Job Worker Queue Request Response Server
Client Session Message Event Handler Cache Entry Table Column Row Record Field Schema Layer Model Network Loss Optimizer
Batch Dataset Sample Sampler Chain Tree Leaf Path Track Filter Kernel Window Image Pixel Color Texture Frame Track2 Pose
Landmark Observation Residual Jacobian Hessian Gradient Trajectory Horizon Controller Policy Agent Action Reward Environment
Range Interval Bounds Domain Level Order Position Velocity Force Mass Time Timer Clock Counter Stats Logger Writer Reader
Parser Lexer Symbol Scope Context Info Data Item Pair Map Set List Stack Op Expr Term Factor Atom Literal Ref Tensor
MinimizeOptions SearchOptions SolveOptions RootOptions ScanOptions CompileOptions SortOptions ArgOptions TakeOptions
PadOptions SetOptions GetOptions VmapOptions JitOptions GradOptions LinspaceOptions SegmentOptions ArrayOptions""".split()
# Functions of one int.
FUNCTIONS = """loss step update predict simulate render rotate normalize distance length norm residual energy force likelihood
propose accept integrate solve train evaluate forward backward init reset run apply compute process transform project unproject
intersect shade march sample resample weight predict_step cost constraint dynamics observe measure assign match filter reduce
fold load save parse print read write open close start stop wait send receive push pop begin end size first last front back
make_ref intern verify promote real_part short_name itemsize build_id row_major parallel_for type types location options typing_of
sum mean dot clip where sort stack take add select round sign power square
f g h x y z d e n m T2 main2""".split()
# Variables that occur in many programs.
VARIABLES = "data model mesh grid state params options config key keys rng batch lr axis axes shape dtype device here opts args result value".split()


def program(at_global_scope):
    lines = ["#include <weft/weft.h>"]
    using = "using namespace weft;"
    lines += [using] if at_global_scope else [using, "namespace program {"]
    for name in TYPES:
        lines.append(f"struct {name} {{ Array w; int n; }};")
    lines += [f"int {name}(int i) {{ return i; }}" for name in FUNCTIONS]
    lines += [f"int {name} = 1;" for name in VARIABLES if name not in FUNCTIONS]
    lines += ["template <class... T> constexpr int count = sizeof...(T);", f"int all_types = count<{', '.join(TYPES)}>;",
              "int all_functions() {", "  int s = 0;"]
    lines += [f"  s += {name}(1);" for name in FUNCTIONS]
    lines += [f"  s += {name};" for name in VARIABLES if name not in FUNCTIONS]
    lines += ["  return s;", "}"]
    # Weft is used together with them: the program's types are trees.
    lines.append("Array uses(Mesh m, Array v) { return vmap([](Mesh k, Array a) { return k.w * a[slice(1, -1)]; }, {{none, none}, 0})(m, v)"
                 " + grad([](State s) { return weft::sum(s.w); })(State{v, 1}).w; }")
    lines += [] if at_global_scope else ["}  // namespace program"]
    return "\n".join(lines) + "\n"


def declared(clang, include):
    """Names that the headers declare in namespace weft, as clang reads them."""
    command = [clang, "-std=c++20", "-fsyntax-only", "-fno-color-diagnostics", "-Xclang", "-ast-dump", "-I", include, "-x", "c++", "-"]
    dump = subprocess.run(command, input="#include <weft/weft.h>\n", capture_output=True, text=True, check=True).stdout
    names, inside = set(), False
    for line in dump.splitlines():
        if re.match(r"[|`]-\w", line):
            inside = re.match(r"[|`]-NamespaceDecl .* weft$", line) is not None
        elif inside and " parent 0x" not in line and (m := re.match(r"[| ] [|`]-(?!UsingShadow|ClassTemplate\w*Specialization)\w+Decl 0x\w+ (?:prev 0x\w+ )?<.*?>+ (?:\S*:\S+ )?(.*)", line)):
            text = re.sub(r" '.*", "", m[1])
            text = text.split("::")[-1] if "UsingDecl" in line else text
            words = [w for w in text.split() if w not in ("definition", "implicit", "inline", "nested", "referenced", "used", "class", "struct", "constexpr")]
            if words and re.fullmatch(r"[A-Za-z]\w*", words[-1]):
                names.add(words[-1])
    return names


def listed(source):
    page = (pathlib.Path(source) / "docs/reference/names.md").read_text(encoding="utf-8")
    return set(re.findall(r"`([A-Za-z]\w*)`", page.split("## ", 1)[1]))


def main():
    compiler, include, source = sys.argv[1:4]
    clang = shutil.which("clang++-19")
    compilers = [compiler] + ([clang] if clang and "clang" not in compiler else [])
    bad = False
    for c in compilers:
        for everywhere in (True, False):
            command = [c, "-std=c++20", "-fsyntax-only", "-I", include, "-x", "c++", "-"]
            run = subprocess.run(command, input=program(everywhere), capture_output=True, text=True, check=False)
            if run.returncode:
                bad = True
                print(f"{c}: a program's own names do not compile:\n{run.stderr[:6000]}")
    if clang:
        there, page = declared(clang, include), listed(source)
        for name in sorted(there - page):
            print(f"docs/reference/names.md does not list {name}, which the headers declare in namespace weft")
        for name in sorted(page - there):
            print(f"docs/reference/names.md lists {name}, which the headers do not declare in namespace weft")
        bad = bad or there != page
        print(f"{len(there)} names of namespace weft")
    print(f"{len(TYPES)} types and {len(FUNCTIONS)} functions of a program by {' and '.join(compilers)}"
          + ("" if clang else "; no clang++-19 here, so the list is not compared"))
    return bad


if __name__ == "__main__":
    sys.exit(main())
