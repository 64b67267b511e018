#!/usr/bin/env bash
# Checks the recipes for GitHub and the workflows by actionlint, with the file that the recipes name for its gap. It is built once, into .local.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=$PWD/.local/actionlint-1.7.12
[ -x "$bin/actionlint" ] || GOFLAGS='' GOBIN=$bin go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
"$bin/actionlint" -config-file docs/pipelines/actionlint.yaml .github/workflows/*.yml docs/pipelines/github*.yml
