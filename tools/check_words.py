#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tools/check_words.py: refuses sentences that are not plain English, and names that were retired.
# It reads comments, pages, and the string literals of the library and its command. tools/words.txt
# lists the constructions and names, each with what to write instead.
#   check_words.py [--count] [PATH...]   PATH: files or folders; all of the repository without one
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CODE = {".h", ".cpp", ".cu"}
SCRIPTS = {".py", ".sh", ".cmake", ".txt"}
LONGEST = 30  # words of a sentence
# Folders whose string literals users read: docs of ops and options, reasons in reports, errors.
# Shorter literals are names and parts of code.
LIBRARY = ("autodiff/", "batching/", "core/", "functions/", "include/", "interop/", "jit/", "ops/", "runtime/", "tools/suites/", "tools/weft/", "tracer/", "transforms/")
SHORTEST = 5  # words of a string literal that is checked
# Sentences and lists of words that are data, not prose of ours.
SKIPPED = ("tests/golden/npy/", "docs/reference/", "docs/ops.md", "docs/accuracy.md", "docs/stages.md", "docs/gpu-kernels.md", "tools/words.txt", "tests/known/", "LICENSE")
TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|R"([A-Za-z_]*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'', re.S)
WORD = re.compile(r"[A-Za-z][\w'-]*")


def rules():
    """The rules by section: (expression, what to write instead)."""
    sections, section = {}, None
    for line in (ROOT / "tools/words.txt").read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        if line.startswith("["):
            section = sections.setdefault(line.strip("[]"), [])
            continue
        expression, instead = (part.strip() for part in line.split(" => "))
        section.append((re.compile(expression), instead))
    return sections


def comments_of_code(text):
    """(line, comment) of each block of // lines, and the code with comments and strings left out."""
    blocks, code, at = [], [], 0
    for match in TOKEN.finditer(text):
        code.append(text[at : match.start()])
        at = match.end()
        token = match.group()
        if not token.startswith("//"):
            code.append(" ")
            continue
        line = text.count("\n", 0, match.start()) + 1
        body = token[2:].removeprefix(" ")
        alone = not text[text.rfind("\n", 0, match.start()) + 1 : match.start()].strip()
        if alone and blocks and blocks[-1][2] == line - 1 and blocks[-1][3]:
            blocks[-1][1] += "\n" + body
            blocks[-1][2] = line
        else:
            blocks.append([line, body, line, alone])
        code.append("")
    code.append(text[at:])
    return [(b[0], b[1]) for b in blocks], "".join(code)


def literals_of_code(text):
    """(line, text) of each string literal of several words. Adjacent literals are one."""
    literals, end = [], 0
    for match in TOKEN.finditer(text):
        if not match.group().startswith('"'):
            continue
        body = re.sub(r"\\([n\"])", lambda m: " " if m.group(1) == "n" else '"', match.group()[1:-1])
        if literals and not text[end : match.start()].strip():
            literals[-1][1] += body
        else:
            literals.append([text.count("\n", 0, match.start()) + 1, body])
        end = match.end()
    return [(line, body) for line, body in literals if len(WORD.findall(body)) >= SHORTEST]


def comments_of_script(text):
    blocks = []
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r"\s*#(?!!)\s?(.*)", line)
        if not match:
            continue
        if blocks and blocks[-1][2] == number - 1:
            blocks[-1][1] += "\n" + match.group(1)
            blocks[-1][2] = number
        else:
            blocks.append([number, match.group(1), number])
    return [(b[0], b[1]) for b in blocks]


def paragraphs_of_page(text):
    """(line, paragraph) of prose: no code, no tables, no headings."""
    text = re.sub(r"^```.*?^```", lambda m: "\n" * m.group().count("\n"), text, flags=re.S | re.M)
    blocks, fresh = [], True
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith(("|", "#", "<", "    ")):
            fresh = True
            continue
        item = re.match(r"\s*(?:[-*]|\d+\.)\s+(.*)", line)
        if item or fresh:
            blocks.append([number, item.group(1) if item else line.strip()])
        else:
            blocks[-1][1] += "\n" + line.strip()
        fresh = False
    return [(b[0], b[1]) for b in blocks]


def plain(block):
    """The prose of a block: examples and code in backticks are left out."""
    lines = [line for line in block.split("\n") if not line.startswith(("    ", "NOLINT", "shellcheck", "SPDX", "Copyright", "Source:"))]
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(lines))
    text = re.sub(r"^-{2,}\s*", "", text)
    text = re.sub(r"^[\w/.-]+\.(?:cpp|h|py|sh|cu|txt|cmake): ", "", re.sub(r"`[^`]*`", "x", text))
    return re.sub(r"\bSource: .*?(?:\. |\.$|$)", "", text)


def sentences(text):
    for sentence in re.split(r"(?<=[.!?:;])\s+(?=[A-Z`(])|(?<=[.!?])\s+", text):
        if sentence.strip():
            yield sentence.strip()


def prose_faults(blocks, listed):
    for line, block in blocks:
        text = plain(block)
        for expression, instead in listed["prose"]:
            for match in expression.finditer(text):
                yield line, f"'{match.group().strip()}': {instead}"
        for sentence in sentences(text):
            for expression, instead in listed["opening"]:
                if expression.match(sentence) and not sentence.endswith("?"):
                    yield line, f"'{sentence[:40]}': {instead}"
            words = len(WORD.findall(sentence))
            if words > LONGEST:
                yield line, f"{words} words in a sentence: '{sentence[:60]}'"


def faults(path, listed):
    text = path.read_text()
    name = str(path.relative_to(ROOT))
    if path.suffix in CODE:
        blocks, code = comments_of_code(text)
        yield from prose_faults(blocks, listed)
        if name.startswith(LIBRARY):
            yield from prose_faults(literals_of_code(text), listed)
        for expression, instead in listed["names"]:
            match = expression.search(code)
            if match:
                yield text[: text.find(match.group())].count("\n") + 1, f"name '{match.group()}' was retired: {instead}"
    elif path.suffix == ".md":
        yield from prose_faults(paragraphs_of_page(text), listed)
    elif path.suffix in SCRIPTS or name == "dev":
        yield from prose_faults(comments_of_script(text), listed)


def main():
    arguments = [a for a in sys.argv[1:] if a != "--count"]
    listed = rules()
    names = subprocess.run(["git", "ls-files", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    total = {}
    for name in names:
        path = ROOT / name
        if name.startswith(SKIPPED) or path.is_symlink() or not path.is_file() or path.suffix not in CODE | SCRIPTS | {".md"} and name != "dev":
            continue
        for line, fault in faults(path, listed):
            total[name] = total.get(name, 0) + 1
            if "--count" not in sys.argv:
                print(f"{name}:{line}: {fault}")
    if "--count" in sys.argv:
        folders = {}
        for name, n in total.items():
            folder = "/".join(name.split("/")[:2]) if "/" in name else name
            folders[folder] = folders.get(folder, 0) + n
        for folder, n in sorted(folders.items()):
            print(f"{n:6d} {folder}")
    print(f"check_words: {sum(total.values())} faults in {len(total)} files", file=sys.stderr)
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())
