import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import type { LocalAddresses } from './local-addresses.ts';

export interface Overview {
  readonly cluster: Pick<Cluster, 'dir' | 'kubeconfigPath' | 'store'>;
  readonly addresses: Pick<LocalAddresses, 'apiUrl' | 'dashboardUrl'>;
  readonly signInUrl: string;
  readonly project: { readonly namespace: string; readonly token: string; readonly bucketName: string };
  readonly originUrl: string;
  /** Folder of this checkout that the origin serves. */
  readonly sourceFolder: string;
  readonly receiverUrl: string;
}

function curl({ addresses, project, originUrl }: Overview): string {
  const urls = [
    { url: `${originUrl}/gen/1048576/1`, filename: 'first.bin' },
    { url: `${originUrl}/gen/1048576/2`, filename: 'more/second.bin' },
  ];
  return [
    `curl -sS ${addresses.apiUrl}/v1/zips`,
    `-H 'Authorization: Bearer ${project.token}'`,
    "-H 'Content-Type: application/json'",
    `-d '${JSON.stringify({ bucket_name: project.bucketName, key: 'hello.zip', urls })}'`,
  ].join(' \\\n    ');
}

/** Where everything is and how to use it, at the end of `npm run dev` and `npm run demo -- --keep`. */
export function describeOverview(overview: Overview): string {
  const { cluster, addresses, project } = overview;
  const { store } = cluster;
  return `
Dashboard      ${overview.signInUrl}
               This link signs you in, until Ctrl-C. The dashboard itself is at ${addresses.dashboardUrl}
API reference  ${addresses.apiUrl}/docs

Try it in another terminal, in this folder. Create an archive:
  ${curl(overview)}

See it:
  export KUBECONFIG=${cluster.kubeconfigPath}
  cli/zipjobs job list -n ${project.namespace}

Project        ${project.namespace}, with the access token ${project.token}
Store          ${store.endpoint} (S3, region ${store.region}, bucket ${project.bucketName})
               AWS_ACCESS_KEY_ID=${store.accessKeyId} AWS_SECRET_ACCESS_KEY=${store.secretAccessKey}
Sources        ${overview.originUrl}/files/PATH serves ${overview.sourceFolder}/PATH, /gen/BYTES/SEED generates a file
Webhooks       ${overview.receiverUrl} prints each delivery here
kubectl, helm  export PATH=${cluster.dir}/bin:$PATH
Logs           ${cluster.dir}/pods (API, controller, dashboard, zippers), ${cluster.dir}/logs (cluster and store)
`;
}
