#!/bin/sh
# describe-cluster.sh DIR TIME: prints what may explain a failed test on the cluster in this folder: the ends of the newest
# logs, and the newest objects and the Events of the two newest namespaces since then (RFC 3339). Reads no Secrets.
exec 2>&1
cd "$1" || exit
PATH="$PWD/bin:$PATH"

tail_logs() { # conditions of find
  find pods -mindepth 2 -maxdepth 2 -type f -name '*.log' "$@" -printf '%T@ %p\n' |
    sort -rn | head -n 3 | cut -d' ' -f2 | xargs -r tail -v -n 10
}
newest() { # namespace, kinds, number
  kubectl get "$2" -n "$1" --sort-by=.metadata.creationTimestamp -o name | tail -n "$3" | tac
}

# First, because the API server may not respond.
tail_logs -path 'pods/zipjobs-system_*'
tail_logs -not -path 'pods/zipjobs-system_*'

kubectl get namespaces \
  -o jsonpath='{range .items[*]}{.metadata.creationTimestamp} {.metadata.name}{"\n"}{end}' |
  sort -r | awk -v since="$2" '$1 >= since { print $2 }' | head -n 2 |
  while read -r namespace; do
    echo "Namespace $namespace"
    kubectl events -n "$namespace" | tail -n 20
    { newest "$namespace" zipjobs 2; newest "$namespace" jobs,pods 4; } |
      xargs -r kubectl describe -n "$namespace" --show-events=false |
      # Without what pods have from their Job, and without the files, which may be thousands.
      sed -e '/^Pod Template:/,/^$/d' -e '/^    Environment:/,/^[A-Z]/{/^ /d}' -e '/^Volumes:/,/^$/d' \
        -e '/^  Files:$/,/^  [A-Z]/{/^    /d}' -e '/ Last Transition Time:/d' -e '/ Observed Generation:/d'
  done
