# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The Weft authors
# tools/fuzz.sh: builds one fuzzer of tests/fuzz and runs it for some time; sourced by ./dev, which
# sets the variables.
# shellcheck disable=SC2154

fuzz_longest=16384  # bytes of an input; longer seeds are left out

# The literals in the sources of a reader, as a dictionary for the fuzzer.
fuzz_words() {  # FILE...
  cat -- "$@" | grep -oE '"[A-Za-z0-9_.<>()=-]{2,30}"' | sort -u
}

# Seeds from the conformance suites, if they exist, and from the test data.
fuzz_seeds() {  # NAME DIR: into DIR
  local suites=${WEFT_SHARED:-../shared}/conformance cases
  if [[ ! -d $suites ]]; then echo "no $suites: only the seeds of this repository"; fi
  case $1 in
    stablehlo)
      {
        find tests/interop/data -name '*.mlir'
        if [[ -d $suites ]]; then find "$suites" -name '*.mlir' -size -$((fuzz_longest + 1))c; fi
      } | xargs -d '\n' cp --backup=numbered -t "$2" ;;  # some files have the same name
    npz) find tests/golden/npy -name '*.np[yz]' -size -$((fuzz_longest + 1))c -exec cp -t "$2" {} + ;;
    safetensors) cp -t "$2" tests/interop/data/*.safetensors ;;
    expr)
      cases=$suites/jax/cases.json
      {
        sed -n 's/^ *applied("\(.*\)",.*/\1/p' tests/tools/expr_test.cpp
        grep -oE '"(vmap|grad|value_and_grad|jit|hessian|jacfwd|jacrev|jvp|vjp)\([^"]*"' \
          tests/tools/expr_test.cpp | tr -d '"'
        if [[ -f $cases ]]; then sed -n 's/^"apply": "\(.*\)",$/\1/p' "$cases"; fi
      } | sort -u | split -l 1 -a 4 - "$2/seed" ;;
  esac
}

fuzz_sources() {  # NAME: the sources that read the input
  case $1 in
    stablehlo) find interop/stablehlo -name "*.cpp" ;;
    npz) echo interop/npy.cpp ;;
    safetensors) echo interop/safetensors.cpp ;;
    expr) echo tools/weft/expr.cpp ;;
  esac
}

# Random programs (tests/programs), by number. Failing programs are reduced and printed.
fuzz_programs() {
  local dir=build/programs asked=0 binary=$build_dir/tests/test_programs next status=0 line
  if [[ $scope == jax ]]; then python_peers; asked=1; fi
  build test_programs
  mkdir -p "$dir"
  next=$dir/next_$asked  # the number of the next program
  if [[ -z $from ]]; then from=$(cat "$next" 2>/dev/null || echo 1000000); fi
  export WEFT_CACHE_DIR=$PWD/$build_dir/cache
  WEFT_PROGRAMS_FROM=$from WEFT_PROGRAMS_SECONDS=$seconds WEFT_PROGRAMS_JAX=$asked \
    WEFT_PROGRAMS_JOBS=${jobs:-$(job_count)} "$binary" "new random programs" > "$dir/log" || status=$?
  sed -n '/^program/p' "$dir/log"
  sed -n 's/^programs [0-9]* to \([0-9]*\):.*/\1/p' "$dir/log" > "$next"
  if (( ! status )); then return; fi
  # Shows the first failure of each kind.
  sed -n 's/^program \([0-9]*\)\( under stack \([0-9]*\)\)\?: \([a-z ]*\).*/\4:\1:\3/p' "$dir/log" |
    sort -t: -k1,1 -u | while IFS=: read -r _ seed stack; do
      line="WEFT_PROGRAM=$seed${stack:+ WEFT_PROGRAM_STACK=$stack} $binary 'one random program'"
      printf '\n%s\n' "$line"
      env WEFT_PROGRAM="$seed" ${stack:+WEFT_PROGRAM_STACK="$stack"} "$binary" "one random program" |
        sed -n '/^\/\/ program/,/^~~~/p' || true
    done
  die "fuzz programs: findings; the log is $dir/log"
}

cmd_fuzz() {
  if [[ $fuzzer == programs ]]; then fuzz_programs; return; fi
  local name=$fuzzer dir sources status=0
  need clang-19 cmd:clang++-19 "compiles the fuzzers"
  need libclang-rt-19-dev "file:/usr/lib/clang/19/lib/*/libclang_rt.fuzzer*" "is libFuzzer and its sanitizers"
  install_needed
  build "fuzz_$name"
  dir=$build_dir/corpora/$name
  rm -rf "$dir/seeds"
  mkdir -p "$dir/seeds" "$dir/corpus" "$dir/findings"
  fuzz_seeds "$name" "$dir/seeds"
  mapfile -t sources < <(fuzz_sources "$name")
  fuzz_words "${sources[@]}" > "$dir/words"
  # libFuzzer adds new inputs to the first directory.
  UBSAN_OPTIONS=print_stacktrace=1 "$build_dir/fuzz_$name" -max_total_time="$seconds" \
    -max_len=$fuzz_longest -timeout=20 -rss_limit_mb=2560 -dict="$dir/words" -report_slow_units=20 -print_final_stats=1 \
    -artifact_prefix="$dir/findings/" "$dir/corpus" "$dir/seeds" > "$dir/log" 2>&1 || status=$?
  if (( status )); then
    grep -v '^#' "$dir/log" | tail -n 60 >&2
    die "fuzz $name: a finding; the input is in $dir/findings, the whole log in $dir/log"
  fi
  grep -E '^#[0-9]+.*DONE|^stat::number_of_executed_units' "$dir/log"
  echo "fuzz $name: nothing found in $seconds s"
}
