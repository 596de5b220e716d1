import { setTimeout as delay } from 'node:timers/promises';
import { askApi } from '#test/support/clients/api-client.ts';
import type { ChaosWorld } from './chaos-world.ts';

const LIMIT_MS = 5_000;

/** A client that polls the status of its job until the signal, from any API pod that responds. */
export async function pollResponses(
  world: ChaosWorld,
  uuid: string,
  { everyMs, signal }: { readonly everyMs: number; readonly signal: AbortSignal },
): Promise<void> {
  const { project, history } = world;
  async function ask(): Promise<void> {
    const { status, body } = await askApi(await world.apiUrl(), {
      path: `/v1/zips/${uuid}`,
      token: project.token,
      signal: AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]),
    });
    if (status === 200 || status === 404) history.respond(uuid, body.data?.status ?? 'absent');
  }
  while (!signal.aborted) {
    // A missing response cannot be wrong.
    await ask().catch(() => undefined);
    await delay(everyMs, undefined, { signal }).catch(() => undefined);
  }
}
