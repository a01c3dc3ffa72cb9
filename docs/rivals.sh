#!/usr/bin/env bash
# Compares mem with deja-vu and engram in one run, by processor time.
#   MEM_DEJA_VU, MEM_ENGRAM   checkouts to build; what is absent is skipped with a line
#   DEJA_MAIN (the package to build), DEJA_INDEX, DEJA_SEARCH, ENGRAM_INDEX, ENGRAM_SEARCH   their commands after the program, if not the ones below
# usage: docs/rivals.sh SESSIONS   a folder laid out as ~/.claude/projects; run it in a project that they are of
set -euo pipefail
sessions=$(cd "${1:?a folder of sessions, laid out as ~/.claude/projects}" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

build() { # NAME CHECKOUT: builds the program of a checkout
	if [ -z "$2" ] || [ ! -d "$2" ]; then
		echo "$1: skipped, no checkout"
		return 1
	fi
	(cd "$2" && go build -o "$tmp/$1" "./${3:-cmd/$1}") || { echo "$1: skipped, it does not build"; return 1; }
}

cpu() { # NAME STEP COMMAND...: prints the processor time of a command
	local name=$1 step=$2 TIMEFORMAT='%U %S' used
	shift 2
	used=$( { time HOME="$tmp/home-$name" "$@" >"$tmp/out" 2>&1 </dev/null || echo "failed: $(tail -n 1 "$tmp/out")" >"$tmp/failed"; } 2>&1)
	if [ -s "$tmp/failed" ]; then
		printf '%-8s %-12s %s\n' "$name" "$step" "$(cat "$tmp/failed")"
		rm "$tmp/failed"
		return
	fi
	awk -v n="$name" -v s="$step" '{ printf "%-8s %-12s %.2f s\n", n, s, $1 + $2 }' <<<"$used"
}

compare() { # NAME INDEX SEARCH: each is what follows the program's name
	local home=$tmp/home-$1 newest
	mkdir -p "$home/.claude"
	cp -a "$sessions" "$home/.claude/projects"
	newest=$(find "$home/.claude/projects" -name '*.jsonl' | sort | tail -n 1)
	mv "$newest" "$tmp/new"
	# shellcheck disable=SC2086 # the words of a command
	cpu "$1" cold "$tmp/$1" $2
	cpu "$1" "nothing new" "$tmp/$1" $2
	mv "$tmp/new" "$newest"
	cpu "$1" "one new" "$tmp/$1" $2
	HOME=$home "$tmp/$1" $3 >/dev/null 2>&1 </dev/null || true # so that the next is warm
	cpu "$1" search "$tmp/$1" $3
}

export MEM_HOOK_WORKER=false
here=$(cd "$(dirname "$0")/.." && pwd)
build mem "$here" && compare mem "backfill --root $tmp/root --oracle heuristic --yes" "search --root $tmp/root --sessions test"
build deja-vu "${MEM_DEJA_VU:-}" "${DEJA_MAIN:-.}" && compare deja-vu "${DEJA_INDEX:-index}" "${DEJA_SEARCH:-search test}"
build engram "${MEM_ENGRAM:-}" && compare engram "${ENGRAM_INDEX:-import}" "${ENGRAM_SEARCH:-search test}"
exit 0
