import type { NodelessCluster } from '#tools/local-cluster/cluster-types.ts';
import { until } from './until.ts';

export interface Right {
  readonly user: string;
  readonly verb: string;
  readonly resource: string;
  /** All namespaces by default. */
  readonly namespace?: string;
}

/** Waits until a new binding takes effect. The API server's authorizer learns of it from a watch. */
export const untilAllowed = (
  cluster: NodelessCluster,
  { user, verb, resource, namespace }: Right,
): Promise<unknown> => {
  const where = namespace === undefined ? ['-A'] : ['-n', namespace];
  const question = ['auth', 'can-i', verb, resource, ...where, `--as=${user}`];
  return until(`${user} to be allowed to ${verb} ${resource}`, async () => {
    const { exitCode } = await cluster.kubectl(question, { allowFailure: true });
    return exitCode === 0;
  });
};
