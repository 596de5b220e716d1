/** `npm run cluster`: keeps a local cluster running until Ctrl-C, and prints how to use it. Installs nothing on it. */
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { startCluster } from './cluster.ts';
import type { Cluster } from './cluster-types.ts';
import { measureBuild } from './measure-build.ts';

const USAGE = `npm run cluster -- [--dir DIR] [--keep] | --measure-build
  --dir DIR  put the cluster's files there
  --keep     leave the files (logs, certificates, stored objects) when the cluster stops
  --measure-build  build the programs from an empty cache instead, and write what that cost to build-costs.json`;

function print(line: string): void {
  console.log(line);
}

function howToReach(cluster: Cluster): string {
  const { store } = cluster;
  return `
The cluster runs; Ctrl-C ends it. In another shell:

  export KUBECONFIG=${cluster.kubeconfigPath}
  export PATH=${cluster.dir}/bin:$PATH

  kubectl get nodes
  helm install zipjobs charts/zipjobs --namespace zipjobs-system --create-namespace --wait \\
    --set image.registry=localhost --set 'egress.allowCidrs={127.0.0.0/8}' --set 'store.allowCidrs={127.0.0.0/8}' \\
    --set 'store.allowedHosts={127.0.0.1}' --set store.allowHttp=true
  cli/zipjobs --help
  kubectl get pods --all-namespaces --output wide

API server  ${cluster.apiServer.url}
S3          ${store.endpoint} (region ${store.region})
            AWS_ACCESS_KEY_ID=${store.accessKeyId}
            AWS_SECRET_ACCESS_KEY=${store.secretAccessKey}
Pods        local processes on addresses of 127.64.0.0/10; see status.podIP, the API's on port 8080
Logs        ${cluster.dir}/logs and ${cluster.dir}/pods
`;
}

async function untilSignal(): Promise<void> {
  // A pending promise alone does not keep the process running.
  const awake = setInterval(() => undefined, 60_000);
  await Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  clearInterval(awake);
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      dir: { type: 'string' },
      keep: { type: 'boolean', default: false },
      'measure-build': { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return print(USAGE);
  if (values['measure-build']) return measureBuild(print);
  const place = values.dir === undefined ? {} : { dir: values.dir };
  await using cluster = await startCluster({ ...place, keep: values.keep, log: print });
  print(howToReach(cluster));
  await untilSignal();
  print('Stopping the cluster');
}

try {
  await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
