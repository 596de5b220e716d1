/**
 * The parts of undici that the zipper uses. The index also loads fetch, WebSocket, caches and mocks, which costs each start
 * 50 ms of CPU. It adds the methods to dispatchers; of these, the zipper needs only `request`.
 */
import type { Dispatcher } from 'undici';
// oxlint-disable-next-line no-restricted-imports -- the folder `api` is one of undici
import apiRequest from 'undici/lib/api/api-request.js';
import DispatcherPart from 'undici/lib/dispatcher/dispatcher.js';

export { default as buildConnector } from 'undici/lib/core/connect.js';
export { default as errors } from 'undici/lib/core/errors.js';
export { default as Agent } from 'undici/lib/dispatcher/agent.js';

Object.assign(DispatcherPart.prototype, { request: apiRequest });

type RequestOptions = Omit<Dispatcher.RequestOptions, 'origin' | 'path'> & {
  readonly dispatcher: Dispatcher;
};

/** As `request` of the index. */
export function request(
  url: string | URL,
  { dispatcher, ...options }: RequestOptions,
): Promise<Dispatcher.ResponseData> {
  const { origin, pathname, search } = new URL(url);
  return dispatcher.request({ ...options, origin, path: `${pathname}${search}` });
}
