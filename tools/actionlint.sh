#!/usr/bin/env bash
# Checks the workflows, the recipes and what `init` writes by actionlint, with the file that the recipes have for its gap. It is built once, into .local.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=$PWD/.local/actionlint-1.7.12
[ -x "$bin/actionlint" ] || GOFLAGS='' GOBIN=$bin go install github.com/rhysd/actionlint/cmd/actionlint@v1.7.12
written=$PWD/.local/written-pipelines
npx --no-install tsx tools/written-pipelines.ts "$written"
"$bin/actionlint" -config-file docs/pipelines/actionlint.yaml .github/workflows/*.yml docs/pipelines/github*.yml "$written"/github-*.yml
