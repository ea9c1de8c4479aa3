#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tools/reference/pages.py: makes docs/reference/ from the comments of the public headers: one page
# per subject, and tables from the names of JAX, PyTorch and TensorFlow to ours and back. `pages.py
# DIR` writes the folder; `pages.py --check DIR` fails if it differs.
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import headers  # noqa: E402
import signatures  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
PEERS = ("jax", "torch", "tf")
TITLES = {"jax": "JAX", "torch": "PyTorch", "tf": "TensorFlow"}
SOURCE = re.compile(r"\bSources?:\s*((?:[\w.]+(?:,| and)?\s*)+)")
NAME = re.compile(r"\b(?:jax|optax)(?:\.\w+)+")
MADE = "<!-- Made by ./dev docs from the comments of the headers: write there. -->"


def headers_of(pattern, named):
    """The headers that `folder/*` stands for: those of the folder that `named` does not have."""
    if not pattern.endswith("/*"):
        return [pattern]
    found = (str(path.relative_to(headers.INCLUDE_DIR)) for path in (headers.INCLUDE_DIR / pattern[:-2]).glob("*.h"))
    return sorted(name for name in found if name not in named)


def read_pages():
    """[(page, title, headers)]"""
    pages, named = [], set()
    for line in (HERE / "pages.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            left, _, right = line.rpartition(":")
            name, title = left.split(None, 1)
            pages.append((name, title.strip(), right.split()))
            named.update(right.split())
    return [(name, title, [f for pattern in files for f in headers_of(pattern, named)]) for name, title, files in pages]


def read_peers():
    """{our full name: {peer: [names]}} from peers.txt, whose lines are `weft::name  torch.name  tf.name`."""
    peers = {}
    for line in (HERE / "peers.txt").read_text().splitlines():
        words = line.split("#")[0].split()
        if words:
            peers[words[0]] = {p: [w for w in words[1:] if w.split(".")[0] == p] for p in PEERS}
    return peers


def peers_of(entry, table):
    """The names that others have for it: JAX's as the comment says, the rest as the table does."""
    names = {p: list(table.get(entry.full_name, {}).get(p, [])) for p in PEERS}
    for source in SOURCE.finditer(" ".join(entry.comment)):
        for name in NAME.findall(source[1]):
            if name.rstrip(".") not in names["jax"]:
                names["jax"].append(name.rstrip("."))
    return names


def plain(line):
    """The line with what Markdown would take for its own escaped, but for what stands in `code`."""
    parts = line.split("`")
    return "`".join(re.sub(r"([*_<|])", r"\\\1", part) if i % 2 == 0 else part for i, part in enumerate(parts))


def prose(comment):
    """Markdown: what is set off by four blanks is code."""
    out, code = [], False
    for line in comment:
        if line.startswith("    ") != code:
            out += ["```", ""] if code else ["", "```cpp"]
            code = not code
        out.append(line[4:] if code else plain(line))
    return out + (["```"] if code else [])


def grouped(entries):
    """Entries that stand one after another with one name and one comment."""
    groups = []
    for e in entries:
        if groups and e.overload:
            groups[-1].append(e)
        else:
            groups.append([e])
    return groups


def options_of(entry, entries):
    """The comment of a struct of options that has none: it names the functions of the page with it."""
    mention = re.compile(rf"\b{entry.name}\b")
    users = list(dict.fromkeys(e.name for e in entries if e.what == "function"
                               and mention.search(signatures.shown(e) or "")))
    if not users:
        return []
    names = [f"`{n}`" for n in users]
    return [f"The options of {', '.join(names[:-1]) + ' and ' if names[1:] else ''}{names[-1]}."]


def write_page(title, files, entries, table):
    lines = [MADE, f"# {title}", "", f"Declared in {', '.join(f'`{f}`' for f in files)}.", ""]
    section = None
    for group in grouped(entries):
        first = group[0]
        if headers.is_dtype(first):  # the enum documents all of them
            continue
        texts = list(dict.fromkeys(text for e in group if (text := signatures.shown(e)) is not None))
        if not texts or signatures.for_errors(first):
            continue
        if first.section != section:
            section = first.section
            lines += [f"## {section[0].upper() + section[1:]}", ""] if section else []
        lines += [f"### `{first.full_name.removeprefix('weft::')}`", "", "```cpp"]
        lines += texts
        said = prose(first.comment)
        if not said and first.what == "type" and first.name.endswith("Options"):
            said = options_of(first, entries)
        lines += ["```", "", *said, ""]
        others = [f"{TITLES[p]} `{'`, `'.join(n)}`" for p, n in peers_of(first, table).items() if n]
        if others:
            lines += ["Elsewhere: " + "; ".join(others) + ".", ""]
    return "\n".join(lines).rstrip() + "\n"


def anchor(entry):
    return re.sub(r"[^\w-]", "", entry.full_name.removeprefix("weft::").lower())


def peer_table(peer, places, table):
    """The page of one peer: its names and ours, then ours and its."""
    pairs = {}
    for page, e in places:
        for name in peers_of(e, table)[peer]:
            pairs.setdefault((name, e.full_name.removeprefix("weft::")), (page, e))
    title = TITLES[peer]

    def rows(key):
        for (theirs, ours), (page, e) in sorted(pairs.items(), key=key):
            yield theirs, f"[`{ours}`]({page}.md#{anchor(e)})"

    lines = [MADE, f"# {title} and Weft", "", f"## From {title}", "", f"| {title} | Weft |", "|---|---|"]
    lines += [f"| `{theirs}` | {ours} |" for theirs, ours in rows(lambda p: p[0])]
    lines += ["", f"## To {title}", "", f"| Weft | {title} |", "|---|---|"]
    lines += [f"| {ours} | `{theirs}` |" for theirs, ours in rows(lambda p: p[0][::-1])]
    return "\n".join(lines) + "\n"


def names_page(entries, inner):
    """What namespace weft has: the page that tests/install/names.py compares with what clang reads."""
    ours = [e for e in entries if e.namespace == "weft" and e.what != "macro" and not e.name.startswith("operator")]
    kinds = {e.name: e.what for e in ours}
    for e in ours:
        if e.what == "alias" and e.name != "to_string":
            kinds[e.name] = "value" if headers.is_dtype(e) else "type"

    def spans(names):
        return ", ".join(f"`{n}`" for n in sorted(names, key=str.lower))

    return "\n".join([
        MADE, "# Names that `using namespace weft` brings", "",
        "A program that has one of these names itself, outside a namespace of its own, writes `weft::NAME` for Weft's or",
        "does without the directive: `namespace w = weft;`. All other types that functions take and return are in",
        "`weft::typing`, meshes in `weft::sharding`, the keys among the dtypes are `DType::Key` and `DType::RbgKey`: a program",
        "may have a `Mesh`, `Index`, `Type` or `Slice`. `std` is C++'s namespace first: write `x.std()` or `weft::std(x)`.", "",
        "## Types", "", spans(n for n, k in kinds.items() if k == "type"), "",
        "## Values", "", spans(n for n, k in kinds.items() if k == "value"), "",
        "## Namespaces", "", spans(inner), "",
        "## Functions", "", spans(n for n, k in kinds.items() if k not in ("type", "value"))]) + "\n"


def make():
    """{file: text} of the whole folder."""
    table = read_peers()
    made, places, index = {}, [], []
    for page, title, files in read_pages():
        entries = [e for f in files for e in headers.read_header(f)]
        made[f"{page}.md"] = write_page(title, files, entries, table)
        places += [(page, e) for e in entries]
        names = list(dict.fromkeys(e.name for e in entries if e.what == "function"))
        index.append(f"| [{title}]({page}.md) | {', '.join(f'`{n}`' for n in names[:12])}{', …' if len(names) > 12 else ''} |")
    readers = [headers.Reader(h, (headers.INCLUDE_DIR / h).read_text(encoding="utf-8"))
               for h in headers.public_headers() if h not in headers.ALSO]
    made["names.md"] = names_page([e for r in readers for e in r.read()], {n for r in readers for n in r.inner})
    for peer in PEERS:
        made[f"from_{peer}.md"] = peer_table(peer, places, table)
    made["README.md"] = "\n".join([
        MADE, "# Reference", "", "All that `<weft/weft.h>` declares, in namespace `weft`. By other names: "
        "[JAX](from_jax.md), [PyTorch](from_torch.md), [TensorFlow](from_tf.md). "
        "[What `using namespace weft` brings](names.md).", "",
        "Signatures are shown without bodies, and without constraints and overloads that only reject mistakes. The last "
        "parameter `typing::Location` of most functions is left out, too: it is the line of the call, for errors.", "", "| page | of it |", "|---|---|",
        *index]) + "\n"
    return made


def main():
    check, folder = sys.argv[1] == "--check", pathlib.Path(sys.argv[-1]) / "reference"
    made, bad = make(), []
    there = {p.name for p in folder.glob("*.md")} if folder.exists() else set()
    folder.mkdir(exist_ok=True)
    for name in sorted(there | set(made)):
        file = folder / name
        if check:
            if name not in made or name not in there or file.read_text() != made[name]:
                bad.append(name)
        elif name in made:
            file.write_text(made[name])
        else:
            file.unlink()
    for name in bad:
        print(f"docs/reference/{name} is not what the headers say: run ./dev docs")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
