import type { ZipJob } from '#crds/zip-job.ts';
import { RELEASE_NAMESPACE } from '#test/support/processes/installation.ts';
import type { Cluster } from '#tools/local-cluster/cluster-types.ts';

export function mebibytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}

export const AFTERWARDS = [
  'Try next: npm run demo -- --keep                               (keeps everything running)',
  '          npm run demo -- --url https://... --url https://...  (your own links)',
];

/** Commands to try while everything runs. */
export function whileKept(
  cluster: Cluster,
  facts: { namespace: string; job: ZipJob; token: string; apiUrl: string; uuid: string; archive: string },
): readonly string[] {
  return [
    'Everything keeps running until Ctrl-C. Try next, in another terminal:',
    `  export KUBECONFIG=${cluster.kubeconfigPath} PATH=${cluster.dir}/bin:$PATH`,
    `  kubectl get zip -n ${facts.namespace}`,
    `  kubectl describe zipjob -n ${facts.namespace} ${facts.job.metadata.name}`,
    `  kubectl get pods -n ${RELEASE_NAMESPACE}`,
    `  curl -H 'Authorization: Bearer ${facts.token}' ${facts.apiUrl}/v1/zips/${facts.uuid}`,
    `  unzip -l '${facts.archive}'`,
  ];
}

/** The figures of a finished job and what to try next. */
export function summarize(job: ZipJob, next: readonly string[]): string {
  const { apiStatus, result, webhook, attemptsTotal } = job.status ?? {};
  if (result === undefined) throw new Error(`the status of ${job.metadata.name} contains no result`);
  const rate = mebibytes(result.bytes / result.seconds);
  return [
    `${result.entries} files in one archive of ${mebibytes(result.bytes)}: ${result.seconds.toFixed(2)} s, ${rate}/s`,
    `peak memory of the zipper ${mebibytes(result.peakMemory)}, attempts ${attemptsTotal ?? 0}, retries ${result.retries}`,
    `status ${String(apiStatus)}, webhook ${String(webhook?.state)}, etag ${result.etag}`,
    '',
    ...next,
  ].join('\n');
}
