#!/usr/bin/env bash
# Fetch what the checks of deploy/ and dashboards/ need into build/tools, as any user, installing and
# starting nothing: Debian's Prometheus and Alertmanager (with promtool and amtool) and, from npm, the
# schemas of Grafana, Kubernetes, the Prometheus operator and compose files. What is there stays.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

target=$PWD/build/tools
mkdir -p "$target"
missing=()

have() { command -v "$1" >/dev/null || [ -x "$target/usr/bin/$1" ]; }

debian() { # PACKAGE: unpack it into the target
    local scratch options=()
    scratch=$(mktemp -d)
    [ "$(id -u)" -ne 0 ] || options=(-o APT::Sandbox::User=root)
    if ! apt-cache show "$1" >/dev/null 2>&1; then # lists of our own: the system's are root's
        mkdir -p "$scratch/lists/partial" "$scratch/cache/archives/partial"
        options+=(-o "Dir::State::Lists=$scratch/lists" -o "Dir::Cache=$scratch/cache")
        apt-get "${options[@]}" -qq update
    fi
    (cd "$scratch" && apt-get "${options[@]}" -qq download "$1" && dpkg-deb -x ./*.deb "$target")
    rm -rf "$scratch"
}

for pair in prometheus:promtool prometheus-alertmanager:amtool; do
    package=${pair%:*}
    if have "${pair#*:}" && have "$package"; then continue; fi
    echo "tools: unpacking Debian's $package into build/tools"
    command -v apt-get >/dev/null && debian "$package" || missing+=("$package, in Debian or at prometheus.io")
done

if ! cmp -s tests/deploy/node/package-lock.json "$target/package-lock.json" || [ ! -d "$target/node_modules" ]; then
    echo "tools: installing npm's packages into build/tools"
    cp tests/deploy/node/package.json tests/deploy/node/package-lock.json "$target/"
    if ! command -v npm >/dev/null || ! npm --prefix "$target" ci --silent --ignore-scripts --no-audit --no-fund; then
        rm -rf "$target/node_modules"
        missing+=("the packages of tests/deploy/node/package.json, with npm")
    fi
fi

for one in "${missing[@]}"; do
    echo "tools: not to be had here: $one. Tests that need it are skipped" >&2
done
[ "${#missing[@]}" -eq 0 ]
