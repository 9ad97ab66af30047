#!/usr/bin/env bash
# Compares this library's informer with client-go's and kube-rs's on the same server and bytes:
#   benchmarks/run.sh --results DIR [options of peers/bench.py]
#   benchmarks/run.sh --results DIR --pods 10000 --reps 1 --modes list     a quick look
# Needs Go 1.26 and Rust 1.89 for the peers; their build outputs stay in BENCH_OUT (default
# ~/.cache/informer-bench).
source "$(dirname "$0")/../scripts/lib.sh"

configure release >&2
build release informer-bench >&2
"$root/benchmarks/peers/run.sh" \
  --client client-cpp="$root/build/release/benchmarks/informer-bench --server {server}" "$@"
