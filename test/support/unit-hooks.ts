import { processResources } from './process-resources.ts';

/**
 * Root hooks of the unit tests: a test file may leave nothing behind. After the last test only the handles
 * that the process had before the first one may be open; mocha then exits by itself.
 */
const WIND_DOWN_LIMIT_MS = 2_000;
const CHECK_INTERVAL_MS = 20;
const IGNORED = new Set([
  'TTYWrap',
  'PipeWrap',
  'FSReqCallback',
  'FSReqPromise',
  'CloseReq',
  'TickObject',
  'Immediate',
]);

function openHandles(): string[] {
  return process
    .getActiveResourcesInfo()
    .filter((name) => !IGNORED.has(name))
    .filter((name) => name !== 'Timeout');
}

let before: string[] = [];

export const mochaHooks = {
  beforeAll(): void {
    before = openHandles();
  },
  async afterAll(): Promise<void> {
    const deadline = performance.now() + WIND_DOWN_LIMIT_MS;
    while (openHandles().length > before.length && performance.now() < deadline)
      await new Promise((resolve) => setTimeout(resolve, CHECK_INTERVAL_MS));
    const left = openHandles();
    if (left.length > before.length) throw new Error(`tests left handles open: ${left.join(', ')}`);
  },
};

export function mochaGlobalTeardown(): Promise<void> {
  return processResources.disposeAsync();
}
