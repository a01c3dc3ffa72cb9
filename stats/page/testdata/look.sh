#!/usr/bin/env bash
# look.sh PAGE.html OUT: pictures OUT-*.png of a page of mem report, wide and narrow, light and dark,
# with and without JavaScript; and what the browser and axe find wrong. It needs node, npm and a network
# the first time, and chromium (CHROMIUM names another one). No test runs it.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
page=$(realpath "$1") out=$(realpath -m "$2")
tools=${TOOLS:-${XDG_CACHE_HOME:-$HOME/.cache}/mem-look}
mkdir -p "$tools" "$(dirname "$out")"
cd "$tools"
[ -d node_modules/axe-core ] || npm install --silent --no-audit --no-fund playwright-core axe-core >&2
node "$here/look.mjs" "$page" "$out" "$(command -v "${CHROMIUM:-chromium}")"
