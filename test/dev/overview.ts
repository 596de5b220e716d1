import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import { WATCHED_FOLDERS } from './change-effects.ts';

export interface Overview {
  readonly cluster: Pick<Cluster, 'dir' | 'kubeconfigPath' | 'store'>;
  readonly apiUrl: string;
  readonly dashboardUrl: string;
  /** File with the token to sign in with. */
  readonly signInTokenPath: string;
  readonly project: { readonly namespace: string; readonly token: string; readonly bucketName: string };
  readonly originUrl: string;
  readonly receiverUrl: string;
  /** Sources of the example request. */
  readonly files: readonly { readonly url: string; readonly filename: string }[];
}

function curl({ apiUrl, project, files }: Overview): string {
  return [
    `curl -sS ${apiUrl}/v1/zips`,
    `-H 'Authorization: Bearer ${project.token}'`,
    "-H 'Content-Type: application/json'",
    `-d '${JSON.stringify({ bucket_name: project.bucketName, key: 'hello.zip', urls: files })}'`,
  ].join(' \\\n    ');
}

/** Where everything is and how to use it. */
export function describeDev(overview: Overview): string {
  const { cluster, apiUrl, dashboardUrl, project } = overview;
  const { store } = cluster;
  return `
API        ${apiUrl} (reference: ${apiUrl}/docs)
Dashboard  ${dashboardUrl}
           Sign in with the token from: cat ${overview.signInTokenPath}
           A restart of the dashboard ends the session; sign in again with the same token.
Store      ${store.endpoint} (S3, region ${store.region}, bucket ${project.bucketName})
           AWS_ACCESS_KEY_ID=${store.accessKeyId} AWS_SECRET_ACCESS_KEY=${store.secretAccessKey}
Project    ${project.namespace}
           token ${project.token}
Sources    ${overview.originUrl}/files/PATH serves docs/PATH, /gen/BYTES/SEED generates a file
Webhooks   ${overview.receiverUrl} prints each delivery here
Logs       ${cluster.dir}/pods (API, controller, dashboard, zippers), ${cluster.dir}/logs (cluster and store)

In another shell:
  export KUBECONFIG=${cluster.kubeconfigPath}
  export PATH=${cluster.dir}/bin:$PATH
  kubectl get zipjobs -n ${project.namespace}
  npx zipjobs job list -n ${project.namespace}

Create a zip:
  ${curl(overview)}

Save a file in ${WATCHED_FOLDERS.join(', ')} to apply it. Press Ctrl-C to stop everything.
`;
}
