#!/usr/bin/env bash
# Installs a fresh clone and tests it, once with each Node and npm that must be able to install Mohur:
#   test/install/matrix.sh [--full] [--user NAME] [NODE/NPM …]
# Without --full: `npm ci`, types, a few test files, a service that npm starts and that is killed with npm, and an install without
# development packages. With --full: `npm ci`, `npm test` and `npm run prove`. --user runs all of it as another user, and needs root.
# Each pair prints a line: its steps and result, the seconds, and the files and processes that it left. Nodes and npms come from npm, into a
# folder that is removed.
set -euo pipefail

PAIRS=(18/10 20/10 22/10 24/10 20/11 22/11 24/11)
QUICK=(test/house/docs.test.ts test/house/tidy.test.ts test/cli/cli.test.ts test/adapters/store/store.test.ts)

full='' user='' pairs=()
while [ $# -gt 0 ]; do
  case $1 in
    --full) full=yes ;;
    --user) user=$2; shift ;;
    *) pairs+=("$1") ;;
  esac
  shift
done
[ ${#pairs[@]} -gt 0 ] || pairs=("${PAIRS[@]}")

. "$(dirname "$0")/tools.sh"

# Each requested Node and npm, once.
install_tools $(for pair in "${pairs[@]}"; do node_of "${pair%/*}"; npm_of "${pair#*/}"; done)

# Files left in a clone's temp folder, and PostgreSQL's elsewhere. A file that a running process names is in use by another run.
left() {
  find "$1" -mindepth 1 -maxdepth 1 ! -name node-compile-cache # npm itself keeps that, where Node can; Mohur's own is in MOHUR_DATA
  find /tmp /var/tmp /dev/shm -mindepth 1 -maxdepth 1 -newer "$1.began" -name 'mohur-pg-*' 2>/dev/null |
    while read -r path; do [ -n "$(running "$path")" ] || [ ! -e "$path" ] || echo "$path"; done
}
# Processes whose command line names the clone, or another place. Reads to the end: a pipe that is closed early counts as a failure.
running() { ps -A -o pid=,args= | grep -F "$1" | grep -vF 'grep ' || true; }

check() { # $1: a clone; all output goes to a log beside it
  cd "$1"
  npm ci --no-audit --no-fund
  [ -z "$(git status --porcelain)" ]
  if [ -n "$2" ]; then
    npm test
    npm run prove
  else
    npm run types
    npm run prove -- "${@:3}"
    stops_with_npm
    without_development
  fi
  [ -z "$(git status --porcelain)" ]
}
stops_with_npm() { # npm is killed by a signal that it cannot pass on
  npm start -- --port 0 >served.log 2>&1 &
  local npm=$!
  for _ in $(seq 300); do grep -q 'Mohur listens' served.log && break; sleep 0.1; done
  local url; url=$(grep -o 'http://127.0.0.1:[0-9]*' served.log | head -1)
  curl -fsS "$url/readyz"
  kill -9 $npm
  for _ in $(seq 200); do curl -fsS "$url/healthz" >/dev/null 2>&1 || break; sleep 0.1; done
  if curl -fsS "$url/healthz"; then return 1; fi
  # The service may still write compiled code while it ends.
  for _ in $(seq 100); do rm -rf data 2>/dev/null && break; sleep 0.1; done
  rm -r served.log
  [ ! -e data ]
}
without_development() { # as docs/operating/install.md does for production
  npm ci --omit=dev --no-audit --no-fund
  [ ! -e node_modules/typescript ]
  export MOHUR_MODE=production MOHUR_MASTER_KEY; MOHUR_MASTER_KEY=$(head -c 32 /dev/urandom | base64)
  node bin/mohur.mjs merchant add --mid SHOP1 >/dev/null
  node bin/mohur.mjs serve --port 0 >served.log 2>&1 &
  launcher=$!
  for _ in $(seq 300); do grep -q 'Mohur listens' served.log && break; sleep 0.1; done
  trap 'kill $launcher' EXIT # if it fails
  curl -fsS "$(grep -o 'http://127.0.0.1:[0-9]*' served.log | head -1)/readyz"
  trap - EXIT
  kill $launcher
  wait $launcher
  node bin/mohur.mjs verify | tail -1
  rm -r served.log data
}
declare -f check stops_with_npm without_development >"$work/check.sh"

failed=0
for pair in "${pairs[@]}"; do
  node=${pair%/*} npm=${pair#*/}
  clone=$work/clone-$node-$npm bin=$work/bin-$node-$npm
  make_bin "$bin" "$node" "$npm"
  git clone --quiet "$root" "$clone"
  [ -z "$user" ] || chown -R "$user" "$clone"
  mkdir "$clone.home" "$clone.tmp"
  [ -z "$user" ] || chown "$user" "$clone.home" "$clone.tmp"
  touch "$clone.tmp.began"
  started=$SECONDS
  if run_check "$clone" "$bin" "$full" "${QUICK[@]}"; then
    verdict=passed
  else
    verdict=FAILED failed=1
  fi
  took=$((SECONDS - started))
  for _ in $(seq 20); do # processes that are ending get ten seconds
    sleep 0.5
    files=$(left "$clone.tmp") processes=$(running "$clone")
    [ -n "$files$processes" ] || break
  done
  printf 'node %s npm %s as %s%s: %s in %d s; left behind: files %d, processes %d\n' "$("$bin/node" --version)" "$("$bin/npm" --version)" \
    "${user:-$(id -un)}" "${full:+, npm test, npm run prove}" "$verdict" "$took" "$(grep -c . <<<"$files")" "$(grep -c . <<<"$processes")"
  if [ $verdict = FAILED ] || [ -n "$files$processes" ]; then
    failed=1
    tail -40 "$clone.log"
    printf '%s\n' "$files" "$processes"
  fi
  rm -rf "$clone" "$clone.home" "$clone.tmp"
done
exit $failed
