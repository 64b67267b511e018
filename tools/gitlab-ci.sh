#!/usr/bin/env bash
# Checks what `init` writes for GitLab by GitLab's own schema, and which jobs run for each source of a pipeline. gitlab-ci-local, which brings the schema,
# and the Node.js 22 that it needs come from npm, into .local.
set -euo pipefail
cd "$(dirname "$0")/.."
tools=$PWD/.local/gitlab-ci-local-4.75.1
[ -d "$tools/node_modules/gitlab-ci-local" ] || npm install --silent --no-audit --no-fund --prefix "$tools" gitlab-ci-local@4.75.1 node@22.23.3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
npx --no-install tsx tools/written-pipelines.ts "$work/written"
git -C "$work" init --quiet --initial-branch=main
git -C "$work" remote add origin https://gitlab.example/team/voices.git
cd "$work"
export GCL_IGNORE_PREDEFINED_VARS=CI_PIPELINE_SOURCE,CI_COMMIT_BRANCH,CI_DEFAULT_BRANCH
check() { # source of the pipeline, project of the change, jobs
  variables=(CI_PIPELINE_SOURCE="$1" CI_COMMIT_BRANCH=main CI_DEFAULT_BRANCH=main CI_MERGE_REQUEST_SOURCE_PROJECT_ID="$2" CI_MERGE_REQUEST_PROJECT_ID=1)
  jobs=$("$tools/node_modules/node/bin/node" "$tools/node_modules/gitlab-ci-local/dist/index.js" --list-csv "${variables[@]/#/--variable=}" 2>log) || { cat log; exit 1; }
  jobs=$(tail -n +2 <<<"$jobs" | cut -d ";" -f 1 | tr -d '"' | paste -sd ,)
  [ "$jobs" = "$3" ] || { echo "A pipeline of the source $1 (project $2) runs the jobs \"$jobs\", not \"$3\"."; exit 1; }
}
use() { # environments
  cp "written/gitlab-$1.yml" .gitlab-ci.yml
  git add --all
  git -c user.name=a -c user.email=a@b.c commit --quiet -m "$1"
}
use dev,prod
check merge_request_event 1 "review: [dev],review: [prod],note: [dev],note: [prod]"
check merge_request_event 2 "" # a fork
check push 1 up-dev,up-prod
check schedule 1 "drift: [dev],drift: [prod]"
check web 1 up-dev,up-prod
use prod
check merge_request_event 1 "review: [prod],note: [prod]"
check push 1 up-prod
echo "What init writes for GitLab fits GitLab's schema, and runs the jobs that it should."
