# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tools/reference/signatures.py: declarations as users read them: without bodies, private members,
# constraints that reject mistakes, and overloads that exist for an error message.
import re

WIDTH = 100
INTERNAL = re.compile(r"\b(?:detail|ir)::")
# Parts of overloads that exist for an error message.
MISTAKE = re.compile(r"\bdetail::(?:NoAxis|Nothing)\b|= delete$")
REJECTED = re.compile(r"\bdetail::(?:not_in_braces|no_assignment|shape_of_many)\b")
# The parameter that captures the line of the call. README.md of the reference explains it.
LOCATION = re.compile(r"(?:typing::)?Location(?: \w+)? = (?:(?:typing::)?Location::here\(\)|\{\})$")
CAPTURES = re.compile(r"Th(?:is overload|ese overloads) captures? the line of the call")
# Types that users know, in place of internal ones.
PUBLIC = [
    (re.compile(r"\b(?:weft::)?detail::AxesOf<F>"), "Axes"),
    (re.compile(r"\b(?:ir::FunctionRef|ir::Function|detail::Branch)<"), "std::function<"),
    (re.compile(r"const detail::PlacedText&"), "std::string_view"),
    (re.compile(r"\bir::Strings\b"), "std::vector<std::string>"),
    (re.compile(r"\bir::Subscript\b"), "int64_t"),
    (re.compile(r"\b(?:weft::)?(?:tree::)?detail::\w+<.*>$"), "auto"),
]
# Parameters of templates that stand for one type, and those that are never given.
ONE_TYPE = re.compile(r"std::same_as<([\w:]+)> (\w+)(?: = .*)?$|(?:weft::)?detail::Plain(DType) (\w+)$")
NEVER_GIVEN = re.compile(r"(?:class|typename) = ")
HERE = re.compile(r"(?:typing::)?\w+\((.+), (?:typing::)?Location::here\(\)\)$")
OPEN, CLOSE = "([{", ")]}"


def blank(text):
    """The text with blanks in place of comments, strings and characters."""
    pattern = r'//[^\n]*|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Za-z])\'(?:\\.|[^\'\\\n])+\''
    return re.sub(pattern, lambda m: " " * len(m[0]), text)


def closing(code, start):
    """The position of the bracket that closes the one at `start`; only < opens angles."""
    depth, angles, inner = 0, code[start] == "<", 0
    for i in range(start, len(code)):
        c = code[i]
        if angles and not inner and c in "<>" and code[i - 1 : i + 1] != "->":
            depth += 1 if c == "<" else -1
            if depth == 0:
                return i
        elif c in OPEN:
            inner += 1
        elif c in CLOSE:
            inner -= 1
        if not angles and inner == 0:
            return i
    raise ValueError(f"nothing closes {code[start:start + 60]!r}")


def top_level(code, wanted, start=0):
    """The position of the first of these characters outside brackets, or the end."""
    i = start
    while i < len(code):
        if code[i] in wanted:
            return i
        i = closing(code, i) + 1 if code[i] in OPEN else i + 1
    return len(code)


def parenthesis(code, start=0):
    """The position of the first parenthesis outside brackets of templates, or that of = { ;"""
    i = start
    while i < len(code) and code[i] not in "({;=":
        operator = re.match(r"operator\s*[<>=!]+", code[i:])
        if operator or re.match(r"decltype\(auto\)", code[i:]):
            i += operator.end() if operator else len("decltype(auto)")
        else:
            i = closing(code, i) + 1 if code[i] == "<" else i + 1
    return i


def split_list(text):
    """The parts of a list of parameters."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(blank(text)):
        if c in "([{<":
            depth += 1
        elif c in ")]}" or (c == ">" and text[i - 1] not in "-="):
            depth -= 1
        elif c == "," and depth == 0:
            parts.append(text[start:i].strip())
            start = i + 1
    return [p for p in [*parts, text[start:].strip()] if p]


def without_requires(code):
    """What follows the constraints at the beginning, and the constraints."""
    start, operand = 0, r"\s*(?:requires\b|!|&&|\|\||[\w:]+(?=\s*[<&|]|\s*$))"
    while True:
        if re.match(r"\s*[(]", code[start:]) or re.match(r"\s*\{", code[start:]):
            start = closing(code, re.search(r"[({]", code[start:]).start() + start) + 1
        else:
            m = re.match(r"\s*(requires\b|&&|\|\||!)", code[start:])
            n = re.match(r"\s*[\w:]+<", code[start:])
            if m:
                start += m.end()
                continue
            if not n:
                break
            start = closing(code, start + n.end() - 1) + 1
        following = re.match(r"\s*(&&|\|\||\{|\()", code[start:])
        if not following:
            break
    return code[start:].strip(), code[:start].strip()


def head_of(text):
    """(template parameters, constraints, the rest) of a declaration in one line."""
    parameters, constraints = [], ""
    if text.startswith("template"):
        start = text.index("<")
        end = closing(text, start)
        parameters, text = split_list(text[start + 1 : end]), text[end + 1 :].strip()
    if text.startswith("requires"):
        text, constraints = without_requires(text)
    return parameters, constraints, text


def public_types(text):
    for pattern, name in PUBLIC:
        text = pattern.sub(name, text)
    while (same := text.find("std::type_identity_t<")) >= 0:
        start = text.index("<", same)
        end = closing(text, start)
        text = text[:same] + text[start + 1 : end] + text[end + 1 :]
    return text


def wrapped(head, parameters, tail, indent):
    """A function whose parameters begin behind `head`, in lines of at most WIDTH."""
    lines, line = [], " " * indent + head
    column = len(line)
    for i, p in enumerate(parameters):
        p += "," if i + 1 < len(parameters) else tail
        if len(line) + 1 + len(p) > WIDTH and line.strip() and len(line) > column:
            lines.append(line)
            line = " " * min(column, indent + 40) + p
        else:
            line += (" " if i else "") + p
    return "\n".join([*lines, line if parameters else line + tail])


def function(text, indent=0):
    """The signature of a function, or None if it explains a mistake."""
    text = " ".join(re.sub(r"//[^\n]*", "", text).split())
    parameters, constraints, text = head_of(text)
    code = blank(text)
    at = re.search(r"operator\s*\(\)", code)
    start = parenthesis(code, at.end() if at else 0)
    end = closing(code, start)
    tail = code[end + 1 :]
    cut = min(top_level(tail, "{;"), len(tail))
    single = re.search(r"(?<!:):(?!:)", tail[:cut])
    body = text[end + 1 + cut :]
    tail = tail[: single.start() if single else cut].strip()
    if "requires" in tail:
        tail = tail[: tail.index("requires")].strip()
    given = split_list(text[start + 1 : end])
    before = text[:start].strip()
    if MISTAKE.search(" ".join([before, *given, constraints, tail])) or REJECTED.search(body) or any(MISTAKE.search(p) for p in parameters):
        return None
    given = [HERE.sub(r"\1", public_types(p)) for p in given if not LOCATION.match(p)]
    kept = []
    for p in parameters:
        one = ONE_TYPE.match(p)
        if one:
            given = [re.sub(rf"\b{one[2] or one[4]}\b", one[1] or one[3], g) for g in given]
        elif not NEVER_GIVEN.match(p):
            kept.append(re.sub(r"^(?:weft::)?(?:detail|ir)::\w+(?:<.*?>)?(?=[ .])", "class", p))
    before = re.sub(r"\[\[[^\]]*\]\] |\b(?:inline|constexpr) (?=.)", "", before)
    name = re.search(r"(?:operator\s*\S+|~?\w+)$", before)
    result = public_types(before[: name.start()].strip()) if name else before
    before = " ".join(p for p in (result, name[0] if name else "") if p)
    lines = [" " * indent + f"template <{', '.join(kept)}>"] if kept else []
    if constraints and not re.search(r"\b(?:detail|ir|std)::|[(!]", constraints):
        lines.append(" " * indent + "  " + constraints)
    tail = f") {tail};" if tail and not tail.startswith(";") else ");"
    return "\n".join([*lines, wrapped(before + "(", given, tail, indent)])


def statements(body):
    """The members of a class: comments, labels and declarations, each with the comment behind it."""
    i = 0
    while i < len(body):
        if body[i].isspace():
            if body.startswith("\n\n", i):
                yield ""
                i += 2
            else:
                i += 1
            continue
        if body.startswith("//", i):
            end = body.find("\n", i) % (len(body) + 1)
            yield body[i:end]
            i = end
            continue
        label = re.match(r"(?:public|private|protected):", body[i:])
        if label:
            yield label[0]
            i += label.end()
            continue
        code = blank(body)
        end = top_level(code, "{;", i)
        while end < len(code) and code[end] == "{":
            end = closing(code, end)
            following = re.match(r"\s*[;,]", code[end + 1 :])
            if following or not is_function(body[i : end + 1]):
                end = top_level(code, "{;", end + 1)
            else:
                break
        end += 1
        behind = re.match(r"[ ]*//[^\n]*(?:\n {20,}//[^\n]*)*", body[end:])
        yield body[i : end + (behind.end() if behind else 0)]
        i = end + (behind.end() if behind else 0)


def is_function(text):
    _, _, rest = head_of(" ".join(re.sub(r"//[^\n]*", "", text).split()))
    if re.match(r"(?:struct|class|enum|union|using|static_assert|concept)\b", rest):
        return False
    code = blank(rest)
    start = parenthesis(code)
    return code[start : start + 1] == "(" and code[start + 1 : start + 2] != "*"


def member(text, indent):
    """A member of a class as users read it, or None."""
    code = blank(text).strip()
    if code.startswith(("static_assert", "friend class", "friend struct", "using NoNamesInBraces", "WEFT_")):
        return None
    _, _, rest = head_of(" ".join(re.sub(r"//[^\n]*", "", text).split()))
    if re.match(r"(?:struct|class|union)\b", rest) and "{" in code:
        return declared_type(text, indent)
    if not is_function(text):
        internal = INTERNAL.search(public_types(code)) or re.match(r"(?:typing::)?Location at;", code)
        return None if internal else " " * indent + public_types(text)
    comment = re.search(r";[ ]*(//[^\n]*)$", text) or re.search(r"\}[ ]*(//[^\n]*)$", text)
    if re.search(r"\brefused\b|= delete;?$", " ".join(code.split())):
        return None
    shown = function(text, indent)
    if shown is None or INTERNAL.search(shown):
        return None
    return shown + (f"  {comment[1]}" if comment else "")


def declared_type(text, indent=0):
    """A type with its public members."""
    code = blank(text)
    start = top_level(code, "{")
    if start == len(code):
        return text
    parameters, _, rest = head_of(" ".join(text[:start].split()))
    rest, *bases = re.split(r" (?:final )?: ", rest, maxsplit=1)
    bases = [b for b in split_list(bases[0]) if not INTERNAL.search(b)] if bases else []
    rest = " : ".join([rest.strip(), *([", ".join(bases)] if bases else [])])
    above = [" " * indent + f"template <{', '.join(parameters)}>"] if parameters else []
    if re.match(r"(?:enum|union)\b", rest):
        return " " * indent + text
    out, comments, hidden = [], [], False
    for s in statements(text[start + 1 : closing(code, start)]):
        if s in ("public:", "private:", "protected:"):
            hidden, comments = s != "public:", []
            out += [" " * (indent + 1) + s] if not hidden and not out else []
        elif hidden:
            continue
        elif not s or s.startswith("//"):
            comments.append(" " * (indent + 2) + s if s else "")
        else:
            shown = member(s, indent + 2)
            if shown is not None and shown not in out:
                out += [*comments, shown]
            comments = [""] if comments[:1] == [""] and shown is None else []
    lines = [line for i, line in enumerate(out) if line or (i and out[i - 1])]
    return "\n".join([*above, " " * indent + rest + " {", *lines, " " * indent + "};"])


def for_errors(entry):
    """True if the comment says that a function exists for errors or their locations only."""
    comment = entry.comment[0] if entry.comment else ""
    return entry.what == "function" and (" does not compile" in comment or bool(CAPTURES.match(comment)))


def shown(entry):
    """The text of an entry as users read it; None if it exists for an error message."""
    if entry.what == "function":
        return function(entry.text)
    if entry.what == "type":
        return declared_type(entry.text)
    if entry.what == "alias" and INTERNAL.search(entry.text):
        return entry.text[: entry.text.index("=")].rstrip() + ";"
    return entry.text
