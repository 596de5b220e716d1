import type { ObjectKey } from '#runtime/kube/types.ts';
import type { Ledger } from '../queue/ledger.ts';
import type { JobTraces } from '../tracing/job-traces.ts';
import type { WebhookDispatcher } from '../webhook/dispatcher.ts';
import type { Memory } from './memory.ts';

interface State {
  readonly ledger: Pick<Ledger, 'forget'>;
  readonly memory: Pick<Memory, 'forget'>;
  readonly dispatcher: Pick<WebhookDispatcher, 'acknowledge' | 'endpoints'>;
  /** Undefined without tracing. */
  readonly traces?: Pick<JobTraces, 'gone'> | undefined;
}

/** Drops the state of a ZipJob that does not exist. It may have been deleted after it got its reservation. */
export function createForget({ ledger, memory, dispatcher, traces }: State) {
  return (key: ObjectKey): void => {
    ledger.forget(key);
    memory.forget(key);
    for (const name of dispatcher.endpoints(key)) dispatcher.acknowledge(key, name);
    traces?.gone(key);
  };
}
