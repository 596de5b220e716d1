import type { Cluster } from '#tools/local-cluster/cluster-types.ts';
import { until } from './until.ts';

export interface Right {
  readonly user: string;
  readonly verb: string;
  readonly resource: string;
  /** Every namespace when absent. */
  readonly namespace?: string;
}

/** Waits until a new binding is in force. The API server's authorizer learns of it through a watch. */
export const untilAllowed = (
  cluster: Cluster,
  { user, verb, resource, namespace }: Right,
): Promise<unknown> => {
  const where = namespace === undefined ? ['-A'] : ['-n', namespace];
  const question = ['auth', 'can-i', verb, resource, ...where, `--as=${user}`];
  return until(`${user} to be allowed to ${verb} ${resource}`, async () => {
    const { exitCode } = await cluster.kubectl(question, { allowFailure: true });
    return exitCode === 0;
  });
};
