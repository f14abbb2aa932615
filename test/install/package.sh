#!/usr/bin/env bash
# Packs this checkout, and installs the tarball into an empty folder, once with each Node that must be able to start Mohur:
#   test/install/package.sh [--user NAME] [NODE …]
# Each Node serves to a paid order by `npx mohur serve`, and starts, pays and stops a sandbox by `import` and by `require` of mohur/testing.
# --user runs all of it but the packing as another user, and needs root. Nodes come from npm, into a folder that is removed.
set -euo pipefail

NODES=(18 20 22 24 26)
user='' nodes=()
while [ $# -gt 0 ]; do
  case $1 in
    --user) user=$2; shift ;;
    *) nodes+=("$1") ;;
  esac
  shift
done
[ ${#nodes[@]} -gt 0 ] || nodes=("${NODES[@]}")

. "$(dirname "$0")/tools.sh"

install_tools "$(npm_of 10)" $(for node in "${nodes[@]}"; do node_of "$node"; done)
(cd "$root" && node bin/run.mjs bin/pack.mjs "$work/dist" && cd "$work" && npm pack --loglevel=error ./dist) >&2
tarball=$(echo "$work"/mohur-*.tgz)
printf 'the tarball: %s MB, %d files\n' "$(du -k "$tarball" | awk '{printf "%.1f", $1 / 1024}')" "$(tar -tzf "$tarball" | wc -l)"

cat >"$work/pay.cjs" <<'PAY'
// Creates an order of the demo merchant and pays it, as a shop and a payer do.
const { createCipheriv, createHash } = require('node:crypto')
const mid = 'DEMO0000000000000001'
const key = 'ABCDEFGHIJKLMNOP'
const sign = (text) => {
  const cipher = createCipheriv('aes-128-cbc', key, '@@@@&&&&####$$$$')
  return cipher.update(createHash('sha256').update(`${text}|salt`).digest('hex') + 'salt', 'utf8', 'base64') + cipher.final('base64')
}
const post = async (url, text) => {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: text })
  return (await response.json()).body
}
exports.create = async (url, orderId) => {
  const order = { requestType: 'PAYMENT', mid, orderId, txnAmount: { value: '499.00', currency: 'INR' }, userInfo: { custId: 'CUST_1' }, websiteName: 'DEFAULT' }
  const body = JSON.stringify(order)
  const { txnToken } = await post(`${url}/aoa-acquiring-biz/v2/order?mid=${mid}&orderId=${orderId}`, `{"head":{"signature":"${sign(body)}"},"body":${body}}`)
  return { mid, orderId, txnToken }
}
exports.pay = async (url, { orderId, txnToken }) => {
  const body = { mid, orderId, paymentMode: 'CREDIT_CARD', cardInfo: '|4111111111111111|123|122040' }
  return post(`${url}/theia/api/v1/processTransaction?mid=${mid}&orderId=${orderId}`, JSON.stringify({ head: { txnToken }, body }))
}
PAY
cat >"$work/sandbox.mjs" <<'SANDBOX'
import { startSandbox } from 'mohur/testing'
import { trial } from './trial.cjs'
await trial('import', startSandbox)
SANDBOX
cat >"$work/sandbox.cjs" <<'SANDBOX'
const { startSandbox } = require('mohur/testing')
require('./trial.cjs').trial('require', startSandbox)
SANDBOX
cat >"$work/trial.cjs" <<'TRIAL'
const { create } = require('./pay.cjs')
exports.trial = async (how, startSandbox) => {
  const began = performance.now()
  const sandbox = await startSandbox()
  const ms = performance.now() - began
  const { callback } = await sandbox.payer.pay(await create(sandbox.url, 'ORDER_1'))
  await sandbox.stop()
  if (callback.fields.STATUS !== 'TXN_SUCCESS') throw new Error(JSON.stringify(callback))
  console.log(`  ${how} on Node ${process.versions.node}: started in ${ms.toFixed(0)} ms, paid, stopped`)
}
TRIAL
cat >"$work/served.cjs" <<'SERVED'
// Serves by npx until an order is paid.
const { spawn } = require('node:child_process')
const { create, pay } = require('./pay.cjs')
const child = spawn('npx', ['mohur', 'serve', '--port', '0'], { stdio: ['ignore', 'pipe', 'inherit'] })
let out = ''
child.stdout.on('data', async (part) => {
  out += part
  const url = /Mohur listens on (http:\S+)/.exec(out)?.[1]
  if (!url || !child.stdout.listenerCount('data')) return
  child.stdout.removeAllListeners('data').resume()
  const { resultInfo } = await pay(url, await create(url, 'ORDER_1'))
  console.log(`  npx mohur serve: ${resultInfo.resultStatus} ${resultInfo.resultMsg}`)
  child.kill()
  if (resultInfo.resultStatus !== 'S') process.exitCode = 1
})
child.on('exit', (code) => out.includes('listens') || process.exit(code || 1))
SERVED

check() { # $1: the folder, $2: the tarball
  cd "$1"
  echo '{"private":true}' >package.json
  local began=$SECONDS
  npm install --no-audit --no-fund --loglevel=error "$2" >/dev/null
  node served.cjs
  printf '  npm install and a paid order: %d s; %d packages, %d MB, %d without Node\n' $((SECONDS - began)) \
    "$(find node_modules -name package.json -path '*node_modules/*/package.json' -not -path '*/node_modules/*/*/*' | wc -l)" \
    "$(du -sm node_modules | cut -f1)" "$(du -sm node_modules/mohur | cut -f1)"
  node sandbox.mjs
  node sandbox.cjs
}
declare -f check >"$work/check.sh"

failed=0
for node in "${nodes[@]}"; do
  bin=$work/bin-$node project=$work/project-$node
  make_bin "$bin" "$node" 10
  mkdir "$project" "$project.home" "$project.tmp"
  cp "$work"/*.cjs "$work"/*.mjs "$project"
  [ -z "$user" ] || chown -R "$user" "$project" "$project.home" "$project.tmp"
  if run_check "$project" "$bin" "$tarball"; then
    verdict=passed
  else
    verdict=FAILED failed=1
  fi
  for _ in $(seq 4); do sleep 0.5; done
  left=$(ps -A -o args= | grep -F "$project" | grep -vcF 'grep ' || true)
  printf 'Node %s as %s: %s; left behind: processes %d, files %d\n' "$("$bin/node" --version)" "${user:-$(id -un)}" "$verdict" "$left" \
    "$(find "$project.tmp" -mindepth 1 -maxdepth 1 ! -name node-compile-cache | wc -l)"
  [ "$left" = 0 ] || failed=1
  cat "$project.log"
done
exit $failed
