#!/usr/bin/env bash
# Copyright 2026 The gorefs Authors. All rights reserved.
# Use of this source code is governed by a BSD-style
# license that can be found in the LICENSE file.

# Takes a picture of Parca's pages with a refs profile of nats-server:
#
#   misc/demo/parca/parca.bash DIR [PNG]
#
# DIR is a new folder for the pages, the servers, what they store, and logs. If
# an earlier run has built everything there, only the picture is taken again.
# The default of PNG is DIR/parca-refs.png.
#
# Parca's Go module has the sources of its pages, but not the pages. The script
# builds the pages with the module's own yarn, from packages of npm with the
# versions in the module's yarn.lock. This takes 10 minutes of processor time,
# up to 3 GB of disk space and 2 GB of memory. The script needs goroot/, node
# (18 or later), npm, curl and chromium.

set -euo pipefail

parca=v0.21.0
query=refs:live_space:bytes:space:bytes

if [ $# -lt 1 ] || [ $# -gt 2 ]; then
	echo "usage: misc/demo/parca/parca.bash DIR [PNG]" >&2
	exit 2
fi
here=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
root=$(pwd -P)
. misc/demo/processes.bash
dir=$(absolute "$1")
png=$(absolute "${2:-$dir/parca-refs.png}")
for program in node npm chromium curl; do
	command -v "$program" >/dev/null || die "there is no $program in PATH"
done
[ -e "$dir/built" ] || [ ! -e "$dir" ] || die "$dir is there, but has not been built to its end"
run=$dir/run # what one run of the servers stores
rm -rf "$run"
mkdir -p "$dir/bin" "$dir/log" "$run/ports"
# Without a limit, the pages' bundler would use more memory.
export NODE_OPTIONS=--max-old-space-size=3000

# logged NAME COMMAND... runs a command with its output in a log, and prints its
# time.
logged() {
	local name=$1 began=$SECONDS
	shift
	step "$@" >"$dir/log/$name.log" 2>&1 || {
		tail -n 30 "$dir/log/$name.log" >&2
		die "$name failed; above is the end of $dir/log/$name.log"
	}
	say "$name: $((SECONDS - began)) s"
}

# url_of NAME prints one of nats-server's addresses, from the file in which it
# writes them.
url_of() { sed -n 's/.*"'"$1"'":\["\([^"]*\)".*/\1/p' "$run"/ports/nats-server_*.ports | grep .; }

# build builds the pages and the servers.
build() {
	tool mod download "github.com/parca-dev/parca@$parca"
	cp -r "$(tool env GOMODCACHE)/github.com/parca-dev/parca@$parca" "$dir/src"
	chmod -R u+w "$dir/src"
	ui=$dir/src/ui

	(cd "$ui" && node "$root/misc/demo/parca/reduce.cjs")
	sed -i -e '/alwaysmeticulous/d' -e 's/await tryLoadAndStartRecorder(/void (/' \
		"$ui/packages/app/web/src/index.tsx"
	# swc compiles the packages without declarations, so types cannot be checked.
	sed -i 's/^      return webpackConfig;/      webpackConfig.plugins = webpackConfig.plugins.filter(p => !\/ForkTsChecker\/.test(p.constructor.name));\n&/' \
		"$ui/packages/app/web/craco.config.js"
	# yarn.lock names another address of the registry.
	sed -i -E "s,^(  resolved \")https://[^/]+/,\1$(npm config get registry)," "$ui/yarn.lock"

	cd "$ui"
	logged packages node .yarn/releases/yarn-1.19.0.cjs install --ignore-scripts --ignore-engines --non-interactive \
		--network-timeout 300000 --cache-folder "$dir/yarn-cache"
	rm -rf "$dir/yarn-cache" # 1.2 GB
	compile() {
		local package
		for package in client utilities hooks store icons components profile; do
			(cd "packages/shared/$package" && "$ui/node_modules/.bin/swc" src -d dist --copy-files)
		done
		for package in icons components profile; do
			(cd "packages/shared/$package" && "$ui/node_modules/.bin/tailwindcss" -o dist/styles.css --minify)
		done
		mkdir -p packages/shared/icons/dist/assets
		cp packages/shared/icons/src/assets/* packages/shared/icons/dist/assets/
	}
	logged compile compile
	cd packages/app/web
	logged pages env CI=false GENERATE_SOURCEMAP=false DISABLE_ESLINT_PLUGIN=true \
		"$ui/node_modules/.bin/craco" build
	[ -s build/index.html ] || die "there is no build/index.html"

	cd "$dir/src"
	logged parca-build tool build -p 2 -tags purego -ldflags "-X main.version=${parca#v}" \
		-o "$dir/bin/parca" ./cmd/parca
	logged nats-build tool build -C "$root/misc/demo" -p 2 -o "$dir/bin/" \
		github.com/nats-io/nats-server/v2 ./load

	mkdir "$dir/browser"
	cd "$dir/browser"
	echo '{"private": true, "type": "module"}' >package.json
	logged browser npm install --ignore-scripts --no-audit --no-fund --save-exact \
		puppeteer-core@24.43.0 @fontsource/{poppins,roboto-mono}@5.3.0 \
		@iconify-json/{heroicons@1.2.3,material-symbols@1.2.98,iconoir@1.2.11} \
		@iconify-json/{pajamas@1.2.15,mdi@1.2.3,ph@1.2.2,ep@1.2.4,system-uicons@1.2.4}
}

if [ ! -e "$dir/built" ]; then
	build
	touch "$dir/built"
fi

cd "$run"
start "$dir/bin/nats-server" -a 127.0.0.1 -p -1 --profile -1 --ports_file_dir "$run/ports" \
	-js -sd "$run/jetstream" >"$dir/log/nats-server.log" 2>&1
await nats-server "$dir/log/nats-server.log" url_of profile
address=$(url_of profile)
address=${address#http://}
# The configuration is that of doc/collectors.md, with another address and a
# short interval.
awk '/^\tobject_storage:$/ { on = 1 } on && !/^\t/ { exit } on { sub(/^\t/, ""); print }' "$root/doc/collectors.md" |
	sed -e "s/127\.0\.0\.1:6060/${address%%/*}/" -e 's/scrape_interval: .*/scrape_interval: 4s/' >parca.yaml
grep -q "$address" parca.yaml || die "there is no configuration in doc/collectors.md"
port=$(node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close() })')
start "$dir/bin/parca" --config-path=parca.yaml --http-address="127.0.0.1:$port" --storage-path="$run/data" \
	--debuginfo-cache-dir="$run/data" --debuginfod-upstream-servers=127.0.0.1:1 --log-level=info >"$dir/log/parca.log" 2>&1
await parca "$dir/log/parca.log" curl -fsS -o "$run/index.html" "http://127.0.0.1:$port/"
sleep 6
start "$dir/bin/load" -server "$(url_of nats)" -time 5m >"$dir/log/load.log" 2>&1
await "the load" "$dir/log/load.log" grep -q 'load is on' "$dir/log/load.log"
say "$(cat "$dir/log/load.log")"
sleep 28 # the load has sent all its messages after 40 seconds
cd "$dir/browser"
cp "$root/misc/demo/parca/picture.js" . # node looks for packages beside the script
CHROMIUM=$(command -v chromium) logged picture node picture.js "http://127.0.0.1:$port" "$query" "$png"
cat "$dir/log/picture.log"
say "the picture is $png ($(stat -c %s "$png") bytes); $dir has $(du -sh "$dir" | cut -f1)"
