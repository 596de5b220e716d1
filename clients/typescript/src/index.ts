export type * from './client.ts';
export { createClient } from './client.ts';
export { ApiError, ConnectionError, WaitTimeoutError } from './errors.ts';
