#!/usr/bin/env bash
# Checks the workflows, the action, the recipes and what `init` writes for what makes pipelines unsafe. zizmor comes from PyPI, into .local.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=.local/zizmor-1.32.0
[ -x "$venv/bin/zizmor" ] || { python3 -m venv "$venv" && "$venv/bin/pip" install --quiet zizmor==1.32.0; }
written=.local/written-pipelines
npx --no-install tsx tools/written-pipelines.ts "$written"
"$venv/bin/zizmor" --offline --collect=all "$@" .github/workflows actions docs/pipelines/github*.yml "$written"/github-*.yml
