#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tools/check_goldens.py: each public function of the headers below has golden values from JAX:
# values of two shapes, a gradient, and a mapped result. Otherwise a line of EXEMPT gives the
# reason.
#
# A golden line belongs to the function with the longest name that is a prefix of the line's name,
# or to the function of such an alias. The following words tell its kind: "slope…" is a gradient,
# "push" a tangent, "map" or "mapped" a result of vmap, anything else a value. MAPPED lists the
# tests that also map each of their values.
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
GOLDEN = ROOT / "tests/golden"

FAMILIES = {  # header: golden texts
    "include/weft/linalg.h": ["linalg", "linalg_points", "operands"],
    "include/weft/lax/linalg.h": ["linalg", "linalg_points", "operands"],
    "include/weft/fft.h": ["fft", "operands", "scipy"],
    "include/weft/special.h": ["special"],
    "include/weft/random.h": ["distributions", "random_transformed", "random_modes", "initializers", "operands"],
    "include/weft/nn.h": ["nn", "nn_parameters", "windows", "operands"],
    "include/weft/nn/initializers.h": ["initializers", "operands"],
    "include/weft/lax/window.h": ["windows", "lax", "operands"],
    "include/weft/lax/compound.h": ["lax", "operands"],
    "include/weft/lax.h": ["lax_shapes", "linalg", "linalg_points"],
    "include/weft/collective.h": ["collectives"],
}

# Tests that also compare each value of a text with its result under vmap, and a pattern for these
# lines.
MAPPED = {
    "special": ("special_golden_test.cpp", r"\w+_grid"),
    "linalg": ("linalg_golden_test.cpp", r"\w+\.\d"),
    "linalg_points": ("linalg_points_test.cpp", ""),
    "collectives": ("collective_golden_test.cpp", ""),
}

ALIASES = {  # header: function: prefixes of its lines, if not its name alone
    "include/weft/linalg.h": {
        "diagonal": "diagonal linalg_diagonal", "matrix_power": "matrix_power power", "matrix_rank": "matrix_rank rank",
        "outer": "outer linalg_outer", "solve_sylvester": "sylvester"},
    "include/weft/lax/linalg.h": {
        "geqrf": "geqrf taus", "lu_pivots_to_permutation": "lu_order", "pivoted_qr": "qr_pivoted pivoted_r",
        "triangular_solve": "triangular"},
    "include/weft/fft.h": {
        "fftfreq": "freq", "rfftfreq": "rfreq", "fftshift": "shift", "ifftshift": "shift_back"},
    "include/weft/special.h": {"sici": "si ci"},
    "include/weft/random.h": {
        "fold_in": "fold_in fold", "orthogonal": "random",
        "wrap_key_data": "wrap"},
    "include/weft/nn.h": {
        "conv": "nn_conv", "dot_product_attention": "attention", "dot_product_attention_with_residual": "with_residual", "logsumexp": "logsumexp nn_logsumexp", "tanh": "nn_tanh"},
    "include/weft/nn/initializers.h": {
        "delta_orthogonal": "delta", "normal": "normal initial_normal",
        "truncated_normal": "truncated_normal initial_truncated_normal",
        "uniform": "uniform initial_uniform", "variance_scaling": "variance_scaling fan"},
    "include/weft/lax/window.h": {
        "conv_general_dilated_local": "conv_local", "conv_general_dilated_patches": "patches",
        "conv_general_permutations": "conv_permutations",
        "conv_general_shape_tuple": "conv_general_shape", "conv_shape_tuple": "conv_shape",
        "conv_transpose_shape_tuple": "conv_transpose_shape",
        "conv_with_general_padding": "conv_padded", "reduce_window": "window_prod window_init",
        "reduce_window_shape_tuple": "reduce_window_shape",
        "reduce_window_max": "window_max window_long_max", "reduce_window_min": "window_min",
        "reduce_window_sum": "window_sum window_long", "select_and_gather_add": "gather_add",
        "select_and_scatter_add": "scatter_add"},
    "include/weft/lax/compound.h": {"approx_max_k": "approx_max", "approx_min_k": "approx_min"},
}

EXEMPT = [  # header, what is missing, functions, reason
    ("include/weft/linalg.h", "slope", "matrix_rank", "gives integers"),
    ("include/weft/linalg.h", "slope",
     "hessenberg schur sqrtm rsf2csf", "JAX has none"),
    ("include/weft/lax/linalg.h", "slope",
     "geqp3 geqrf hessenberg ormqr pivoted_qr schur", "JAX has none"),
    ("include/weft/lax/linalg.h", "slope", "lu_pivots_to_permutation", "takes and gives integers"),
    ("include/weft/lax/linalg.h", "slope", "householder_product", "JAX has none"),
    ("include/weft/lax/linalg.h", "slope", "qdwh", "JAX has no gradient of its loop"),
    ("include/weft/fft.h", "slope map", "fftfreq rfftfreq", "take no array"),
    ("include/weft/special.h", "slope map", "bernoulli", "takes no array"),
    ("include/weft/random.h", "slope",
     "key key_data split fold_in wrap_key_data clone PRNGKey", "take and give words"),
    ("include/weft/random.h", "value slope map", "key_of", "key, for its template"),
    ("include/weft/random.h", "value slope map", "key_impl", "gives a text"),
    ("include/weft/random.h", "slope",
     "bits randint bernoulli rademacher geometric poisson binomial multinomial categorical "
     "permutation",
     "give whole numbers, or bools"),
    ("include/weft/random.h", "slope",
     "normal exponential gumbel laplace logistic cauchy maxwell orthogonal",
     "have no operand beside the key"),
    ("include/weft/random.h", "map", "PRNGKey", "takes no array"),
    ("include/weft/collective.h", "value slope map", "ragged_all_to_all",
     "JAX's has no rule for vmap; tests/batching/ragged_all_to_all_test.cpp has the definition"),
    ("include/weft/random.h", "value", "key fold_in PRNGKey", "give one key each"),
    ("include/weft/nn.h", "slope", "one_hot", "takes integers"),
    ("include/weft/nn/initializers.h", "slope",
     "zeros ones uniform normal truncated_normal variance_scaling glorot_uniform glorot_normal "
     "xavier_uniform xavier_normal lecun_uniform lecun_normal he_uniform he_normal "
     "kaiming_uniform kaiming_normal orthogonal delta_orthogonal",
     "have no operand beside the key"),
    ("include/weft/lax/window.h", "slope", "reduce_window", "JAX has none for any function"),
    ("include/weft/lax/window.h", "slope map",
     "conv_dimension_numbers conv_general_permutations conv_general_shape_tuple conv_shape_tuple "
     "conv_transpose_shape_tuple padtype_to_pads reduce_window_shape_tuple",
     "take shapes, no arrays"),
    ("include/weft/lax/window.h", "value slope map",
     "select_and_scatter", "XLA's, which JAX has no name for: windows_test.cpp"),
    ("include/weft/lax/compound.h", "slope map",
     "broadcast_shapes empty shape_as_value", "take shapes, no arrays"),
    ("include/weft/lax/compound.h", "value slope map", "dtype", "gives a dtype, which has no shape"),
    ("include/weft/lax/compound.h", "slope map",
     "rng_uniform", "draws the backend's own numbers: lax_golden_test.cpp"),
    ("include/weft/lax/compound.h", "slope", "scatter_apply", "JAX has none"),
    ("include/weft/collective.h", "slope", "axis_index", "gives integers"),
    ("include/weft/collective.h", "slope", "pmax pmin", "JAX has none"),
    ("include/weft/collective.h", "value slope map",
     "across gather_lanes scatter_sum exchange permute shuffle from_lane each_leaf",
     "are behind the templates of the others"),
    ("include/weft/collective.h", "value slope map", "pcast pvary", "give what they take: tokens_test.cpp"),
    ("include/weft/collective.h", "value slope map", "need_names need_varying", "are behind pcast and pvary"),
    ("include/weft/lax.h", "slope map", "iota broadcasted_iota", "take no array"),
    ("include/weft/lax.h", "slope", "scatter_min scatter_max", "JAX has none"),
]


def declared(header):
    """The public functions that a header declares, or takes from elsewhere."""
    text = re.sub(r"//.*", "", (ROOT / header).read_text())
    found = re.findall(r"^(?:[A-Za-z_][\w:<>, ]*[ &*]+)(\w+)\(", text, re.M)
    found += re.findall(r"^using (?:\w+::)+(\w+);", text, re.M)
    return list(dict.fromkeys(found))


def lines(text):
    """Names and shapes of the lines of a golden text."""
    with open(GOLDEN / (text + ".txt"), encoding="utf-8") as f:
        return [line.split()[:3:2] for line in f if line[0] not in "#\n"]


def begins(header):
    """How lines begin: {text: function}."""
    aliases = ALIASES.get(header, {})
    return {b: f for f in declared(header) for b in aliases.get(f, f).split()}


def owner(name, known):
    """The longest of the known names that a line's begins with."""
    words = re.split("([._])", name)
    heads = ("".join(words[:n]) for n in range(len(words), 0, -2))
    return next((h for h in heads if h in known), None)


def kind(rest):
    words = re.split("[._]", rest)
    for k, begin in (("slope", "slope"), ("push", "push"), ("map", "map")):
        if any(w.startswith(begin) for w in words):
            return k
    return "value"


def found_kinds(header, known):
    """What there is of each function: {function: set of kinds}."""
    mine = begins(header)
    shapes = {f: set() for f in declared(header)}
    kinds = {f: set() for f in shapes}
    for text in FAMILIES[header]:
        for name, shape in lines(text):
            b = owner(name, known)
            if b not in mine:
                continue
            k = kind(name[len(b):])
            kinds[mine[b]].add(k)
            if k == "value":
                shapes[mine[b]].add(shape)
                if text in MAPPED and re.match(MAPPED[text][1], name):
                    kinds[mine[b]].add("map")
    for f in shapes:
        kinds[f].discard("value")
        if len(shapes[f]) > 1:
            kinds[f].add("value")
    return kinds


def main():
    bad = []
    for text, (test, _) in MAPPED.items():
        source = next((ROOT / "tests").rglob(test)).read_text()
        if f'"{text}.txt"' not in source or "vmap(" not in source:
            bad.append(f"{test} does not map what {text}.txt has")
    count, known = 0, {b for header in FAMILIES for b in begins(header)}
    for header in FAMILIES:
        exempt = {f"{f} {k}" for h, ks, fs, _ in EXEMPT if h == header
                  for k in ks.split() for f in fs.split()}
        needed = set()
        for f, kinds in found_kinds(header, known).items():
            count += 1
            for k in ("value", "slope", "map"):
                if k in kinds:
                    continue
                needed.add(f"{f} {k}")
                if f"{f} {k}" not in exempt:
                    bad.append(f"{header}: {f} has no golden lines for {k}")
        bad += [f"{header}: {e} needs no exemption" for e in sorted(exempt - needed)]
    print("\n".join(bad) or f"{count} functions")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
