# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tools/reference/headers.py: the declarations of <weft/weft.h> for users, read from the headers as
# formatted by clang-format. It finds each declaration of a namespace other than `detail`, and the
# comment above or behind it.
import dataclasses
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
INCLUDE_DIR = ROOT / "include"
ALSO = ["weft/eigen.h"]  # installed headers that weft.h does not include
HIDDEN = {"detail", "ir", "math", "compiler", "nest", "cuda"}
INCLUDE = re.compile(r'^#include "([\w/.]+)"', re.M)
NAMESPACE = re.compile(r"^(?:inline )?namespace\s*([\w:]*)\s*\{")
TYPE = re.compile(r"^(?:template\s*<.*?>\s*(?:requires\b.*?)?)?(struct|class|enum class|enum|union)\s+(?:WEFT_\w+\s+)?(?:\[\[\w+\]\]\s+)?(\w+)\s*(?:final\s*)?(?::[^{]*)?(\{|;|$)", re.S)


@dataclasses.dataclass
class Entry:
    """One declaration: `what` is function, type, value or alias; `text` is as it stands in the header."""
    file: str
    line: int
    namespace: str
    name: str
    what: str
    text: str
    comment: list  # lines without "//" and the one blank after it
    overload: bool  # true: shares the comment of the entry right above
    section: str

    @property
    def full_name(self):
        return f"{self.namespace}::{self.name}"


def public_headers(root=INCLUDE_DIR):
    """The files that weft.h reaches, in the order in which it reaches them, then ALSO."""
    found = []

    def visit(name):
        if name in found or not (root / name).exists():
            return
        found.append(name)
        for other in INCLUDE.findall((root / name).read_text(encoding="utf-8")):
            visit(other)

    visit("weft/weft.h")
    for name in ALSO:
        visit(name)
    return found


def code_of(line):
    """The line without its comment, and the comment or None. Strings hold no //."""
    inside = False
    for i, c in enumerate(line):
        if c == '"' and line[i - 1:i] not in ("\\", "'"):
            inside = not inside
        elif line.startswith("//", i) and not inside:
            return line[:i].rstrip(), line[i + 2:]
    return line.rstrip(), None


def bare(text):
    """The text without strings and characters, so that brackets count."""
    return re.sub(r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'', '""', text)


def depth(text):
    t = bare(text)
    return t.count("{") + t.count("(") - t.count("}") - t.count(")")


def kind_and_name(text):
    """(what, name) of a declaration, or None for what users do not see as one of their own."""
    t = " ".join(text.split())
    if re.match(r"(class|struct|enum class|enum|union) \w+;$", t) or t.startswith(("static_assert", "extern template", "friend", "template class", "template <> struct", "template <>")):
        return None
    m = TYPE.match(t)
    if m:
        return "type", m[2]
    t = re.sub(r"^template\s*(?P<r><(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>)\s*", "", t)
    while True:  # requires clauses: skip to the declaration after them
        m = re.match(r"requires\s*\((?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*\)\s*(?:&& |\|\| )?", t) or re.match(r"requires\s+[\w:]+(?:<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>)?\s*(?:&& |\|\| )?", t)
        if not m:
            break
        t = t[m.end():]
    if re.match(r"(?:struct|class) \w+<", t):  # a specialization of a template
        return None
    t = t.replace("decltype(auto) ", "auto ", 1)
    m = re.match(r"(?:concept|using) (\w+) =", t) or re.match(r"concept (\w+)", t)
    if m:
        return "alias", m[1]
    if t.startswith(("using ", "typedef ")):
        m = re.match(r"using ([\w:]+)::(\w+);", t)
        return ("alias", m[2]) if m else None
    head = t.split("{")[0] if not t.startswith("[[") else re.sub(r"^\[\[[^\]]*\]\]\s*", "", t)
    before = re.split(r"\(", head, 1)
    if len(before) == 2:
        # a definition of a member that its class declares
        if re.search(r"\w::~?(?:\w+|operator\W*)\s*$", before[0]):
            return None
        m = re.search(r"(operator\s*\S+|~?\w+)\s*$", before[0])
        if m and not before[0].rstrip().endswith("="):
            if "=" in before[0] and "operator" not in before[0]:
                m = re.search(r"(\w+)\s*=", before[0])
                return "value", m[1]
            return "function", m[1].replace(" ", "")
    m = re.search(r"(\w+)\s*(?:=|\{|;|$)", head)
    if not m or re.search(r">\s*=", head.split("=")[0] + "="):  # a specialization of a template
        return None
    return "value", m[1]


class Reader:
    def __init__(self, name, text):
        self.file, self.lines = name, text.splitlines()
        self.scopes, self.section, self.entries = [], "", []
        self.inner = set()  # namespaces of weft
        self.local = set(re.findall(r"^#undef (\w+)", text, re.M))  # macros that the header undefines

    def hidden(self):
        parts = [part for scope in self.scopes for part in scope.split("::")]
        return parts[:1] != ["weft"] or any(part in HIDDEN or not part for part in parts)

    def declaration(self, at):
        """The lines of the declaration that begins at line `at`: (text, trailing comment, the line behind it)."""
        text, trailing, i = [], [], at
        while i < len(self.lines):
            code, comment = code_of(self.lines[i])
            text.append(self.lines[i] if len(text) or code != self.lines[i].rstrip() else code)
            i += 1
            whole = "\n".join(code_of(line)[0] for line in text)
            if comment is not None and depth(whole) == 0:
                trailing.append(comment)
            if depth(whole) == 0 and re.search(r"[;}]$", whole.rstrip()):
                break
        while trailing and i < len(self.lines) and re.match(r"\s{20,}//", self.lines[i]):
            trailing.append(code_of(self.lines[i])[1])
            i += 1
        return "\n".join(text), trailing, i

    def read(self):
        i, comment, start = 0, [], 0
        while i < len(self.lines):
            line = self.lines[i]
            stripped = line.strip()
            if not stripped:
                comment, i = [], i + 1
            elif stripped.startswith("// ----"):
                self.section = stripped.strip("/- ").strip()
                comment, i = [], i + 1
            elif stripped.startswith("//"):
                text = stripped[2:]
                if text.strip() not in ("clang-format off", "clang-format on"):
                    comment.append(text[1:] if text.startswith(" ") else text)
                i += 1
            elif stripped.startswith("#"):
                macro = re.match(r"#define (WEFT_\w+)\(", stripped)
                begin = i
                while self.lines[i].endswith("\\"):
                    i += 1
                i += 1
                if macro and macro[1] not in self.local and comment and (not self.scopes or not self.hidden()):
                    self.add(begin, macro[1], "macro", code_of(self.lines[begin])[0].rstrip(" \\"), comment)
                comment = []
            elif re.match(r"WEFT_\w+\(.*\);?$", stripped):  # a macro that declares overloads
                comment, i = [], i + 1
            elif NAMESPACE.match(stripped):
                self.scopes.append(NAMESPACE.match(stripped)[1])
                path = "::".join(self.scopes).split("::")
                self.inner.update(path[1:2] if path[0] == "weft" else [])
                comment, i = [], i + 1
            elif stripped == "}" or stripped.startswith("}  // namespace") or (stripped.startswith("}") and not self.scopes):
                if self.scopes:
                    self.scopes.pop()
                comment, i = [], i + 1
            else:
                text, trailing, end = self.declaration(i)
                found = None if self.hidden() else kind_and_name("\n".join(code_of(t)[0] for t in text.splitlines()))
                if found:
                    self.add(i, found[1], found[0], text, comment or [t.strip() for t in trailing])
                comment, i = [], end
        return self.entries

    def add(self, i, name, what, text, comment):
        namespace = "::".join(self.scopes)
        last = self.entries[-1] if self.entries else None
        overload = not comment and last is not None and last.name == name and last.namespace == namespace
        self.entries.append(Entry(self.file, i + 1, namespace, name, what, text, comment, overload, self.section))


def read_header(name, root=INCLUDE_DIR):
    return Reader(name, (root / name).read_text(encoding="utf-8")).read()


def read_all(root=INCLUDE_DIR):
    entries = []
    for name in public_headers(root):
        entries += read_header(name, root)
    return entries


def is_dtype(entry):
    """True for an enumerator of DType that is also a name in weft."""
    return entry.text.startswith("using DType::")


def examples_of(entry):
    """The lines of code in a comment: those set off by four blanks, behind an empty line."""
    lines, inside, before = [], False, ""
    for line in entry.comment:
        inside = line.startswith("    ") and (inside or not before)
        if inside:
            lines.append(line[4:])
        before = line
    return lines
