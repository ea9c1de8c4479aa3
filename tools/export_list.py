#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tools/export_list.py: writes cmake/weft.map, the list of symbols that libweft exports. These are the
# declarations of the public headers whose definitions are in the library.
#
#     export_list.py           writes cmake/weft.map
#     export_list.py --check   fails if cmake/weft.map is out of date
#
# clang++-19 reads the headers. Without it, --check exits with 77, which CTest shows as skipped.
#
# A pattern is the beginning of a mangled name, so it holds for all overloads. Functions with a body
# in a header get no pattern: each program compiles its own copy. Classes whose instances the library
# compiles (`extern template class`) do get one.
import json
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = ROOT / "include"
MAP = ROOT / "cmake" / "weft.map"
CLANG = "clang++-19"
SKIPPED = 77
OUTSIDE = ["weft/eigen.h"]  # templates only; it would need Eigen's headers

HEAD = """\
/* SPDX-License-Identifier: Apache-2.0
   Copyright The Weft authors
   cmake/weft.map: the symbols that libweft exports. Written by tools/export_list.py (./dev docs). */
"""
METHODS = {"CXXMethodDecl", "CXXConstructorDecl", "CXXDestructorDecl", "CXXConversionDecl"}


def headers():
    found = (str(path.relative_to(INCLUDE)) for path in INCLUDE.rglob("*.h"))
    return sorted(name for name in found if name not in OUTSIDE)


def declarations():
    """The blocks of namespace weft in the public headers, as clang's syntax tree."""
    command = [CLANG, "-std=c++20", "-fsyntax-only", "-I", INCLUDE, "-Xclang", "-ast-dump=json",
               "-Xclang", "-ast-dump-filter=weft", "-x", "c++", "-"]
    program = "".join(f"#include <{name}>\n" for name in headers())
    dump = subprocess.run(command, input=program, capture_output=True, text=True, check=True).stdout
    decoder, at = json.JSONDecoder(), 0
    while at < len(dump):
        node, at = decoder.raw_decode(dump, at)
        if node["kind"] == "NamespaceDecl" and node["name"] == "weft":
            yield node
        while at < len(dump) and dump[at].isspace():
            at += 1


def has_body(function):
    return any(part["kind"] in ("CompoundStmt", "CXXTryStmt") for part in function.get("inner", []))


def needs_library(function):
    """True if a program that calls this function needs a definition that no header has."""
    defined = has_body(function) or function.get("isImplicit") or function.get("pure")
    return not (defined or function.get("explicitlyDeleted") or function.get("explicitlyDefaulted"))


def is_data(variable):
    """True for a variable that programs and the library must share."""
    return not (variable.get("constexpr") or variable["type"]["qualType"].startswith("const "))


class Exports:
    def __init__(self):
        self.patterns = set()
        self.names = set()  # qualified names of what the patterns export
        self.instantiated = set()  # class templates with instances in the library
        for name in headers():
            text = (INCLUDE / name).read_text(encoding="utf-8")
            self.instantiated.update(re.findall(r"^extern template class (\w+)<", text, re.M))

    def add(self, scope, name, code, *prefixes):
        self.names.add("::".join([*scope, name]))
        where = "".join(f"{len(part)}{part}" for part in scope)
        self.patterns.update(prefix + where + code for prefix in prefixes)

    def visit(self, node, scope):
        kind, name = node["kind"], node.get("name", "")
        if kind == "NamespaceDecl":
            for inner in node.get("inner", []):
                self.visit(inner, [*scope, name])
        elif kind in ("FunctionTemplateDecl", "ClassTemplateDecl", "VarTemplateDecl"):
            # The first is the template, the others are its instances. A guide has none of them.
            kinds = ("FunctionDecl", "CXXRecordDecl", "VarDecl")
            for template in [i for i in node["inner"] if i["kind"] in kinds][:1]:
                self.visit(template, scope)
        elif kind == "FunctionDecl" and needs_library(node):
            self.add(scope, name, self.code(node, scope) + "*", "_ZN")
        elif kind == "VarDecl" and is_data(node):
            self.add(scope, name, f"{len(name)}{name}*", "_ZN", "_ZGVN", "_ZTHN", "_ZTWN")
        elif kind == "CXXRecordDecl" and node.get("completeDefinition") and name:
            self.visit_class(node, scope)

    def code(self, function, scope):
        """A function's name as it is mangled behind its scope: 3exp, or pl for operator+."""
        name = function["name"]
        if not re.match(r"operator\W", name):
            return f"{len(name)}{name}"
        where = "".join(f"{len(part)}{part}" for part in scope)
        return re.match(f"_ZN{where}([a-z][a-zA-Z])", function["mangledName"])[1]

    def visit_class(self, node, scope):
        name = node["name"]
        code = f"{len(name)}{name}"
        if node.get("definitionData", {}).get("isPolymorphic"):
            self.add(scope, name, code + "E", "_ZTIN", "_ZTSN", "_ZTVN")
        if name in self.instantiated:
            self.add(scope, name, code + "*", "_ZN", "_ZNK")
        for kind, member in members(node, scope, self):
            if kind == "VarDecl" and not (member.get("inline") or member.get("constexpr")):
                self.add(scope, name, code + "*", "_ZN")
            elif kind in METHODS and needs_library(member):
                self.add(scope, name, code + "*", "_ZN" + qualifiers(member["type"]["qualType"]))


def members(node, scope, exports):
    """Members of a class, of its templates and of its classes: (kind, node)."""
    for inner in node.get("inner", []):
        kind = inner["kind"]
        if kind in ("FunctionTemplateDecl", "ClassTemplateDecl", "CXXRecordDecl"):
            yield from members(inner, scope, exports)
        elif kind == "FriendDecl":  # a function of the namespace
            for friend in inner.get("inner", []):
                exports.visit(friend, scope)
        yield kind, inner


def qualifiers(function_type):
    """How the qualifiers of a member function are mangled: K for const, R for &, O for &&."""
    behind = function_type.split(" ->")[0].rpartition(")")[2]
    return ("K" if "const" in behind else "") + ("O" if "&&" in behind else "R" if "&" in behind else "")


def read():
    exports = Exports()
    for node in declarations():
        exports.visit(node, [])
    return exports


def text_of(exports):
    lines = "".join(f"    {pattern};\n" for pattern in sorted(exports.patterns))
    return f"{HEAD}{{\n  global:\n{lines}  local:\n    *;\n}};\n"


def main():
    check = sys.argv[1:] == ["--check"]
    if not shutil.which(CLANG):
        print(f"there is no {CLANG}, which reads the headers for cmake/weft.map")
        return SKIPPED if check else 1
    exports = read()
    text = text_of(exports)
    if not check:
        MAP.write_text(text, encoding="utf-8")
    elif MAP.read_text(encoding="utf-8") != text:
        print("cmake/weft.map is out of date: run ./dev docs")
        return 1
    print(f"{len(exports.patterns)} patterns for {len(exports.names)} names")
    return 0


if __name__ == "__main__":
    sys.exit(main())
