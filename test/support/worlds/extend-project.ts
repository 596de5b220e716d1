import { bucketResourceName, PROJECT_NAME, WEBHOOK_SECRET_NAME } from '#crds/api-group.ts';
import { until } from '../until.ts';
import type { Flow } from './flow.ts';

/** Makes the bucket of the project readable, and adds an endpoint with the project's secret. Waits until the API knows both. */
export async function extendProject(
  { project, kubectl, post }: Flow,
  endpoint: { readonly name: string; readonly url: string },
): Promise<void> {
  const changes = {
    [`zipbucket/${bucketResourceName('s3', project.bucketName)}`]: { spec: { readable: true } },
    [`secret/${WEBHOOK_SECRET_NAME}`]: {
      stringData: { [`${endpoint.name}.current`]: project.webhookSecret },
    },
    [`zipproject/${PROJECT_NAME}`]: { spec: { webhook: { endpoints: [endpoint] } } },
  };
  for (const [object, change] of Object.entries(changes))
    await kubectl('patch', object, '--type=merge', '-p', JSON.stringify(change));
  await project.bucket.put('known', Buffer.from('known'));
  await until(
    'the API to know the readable bucket and the endpoint',
    async () => {
      const url = `s3://${project.bucketName}/known`;
      const { spec } = await project.zipJob(await post([{ url, filename: 'a' }]));
      return (spec.webhook?.endpoints ?? []).some(({ name }) => name === endpoint.name);
    },
    { intervalMs: 500 },
  );
}
