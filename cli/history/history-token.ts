import type { KubeCredentials } from '#runtime/kube/kube-access.ts';
import { isBearerToken } from '#runtime/kube/user-client.ts';
import { UsageError } from '../usage-error.ts';

const REMEDY =
  'Create a token of a service account that has the role "view" in the project, and pass it in the environment: ZIPJOBS_DASHBOARD_TOKEN=$(kubectl create token NAME -n NAMESPACE) zipjobs ...';

/**
 * The token that identifies the user at the dashboard: ZIPJOBS_DASHBOARD_TOKEN, or else that of the kubeconfig. A client
 * certificate is useless there, because the dashboard cannot present it to the API server.
 * @throws UsageError that says how to get a token
 */
export async function historyToken(
  credentials: () => Promise<Pick<KubeCredentials, 'headers'>>,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string> {
  const given = env['ZIPJOBS_DASHBOARD_TOKEN'] ?? '';
  if (given !== '') {
    if (isBearerToken(given)) return given;
    throw new UsageError('ZIPJOBS_DASHBOARD_TOKEN is not a token: it contains spaces or other characters');
  }
  const { headers } = await credentials();
  const [scheme = '', token = ''] = (headers['authorization'] ?? '').split(' ');
  if (scheme.toLowerCase() === 'bearer' && isBearerToken(token)) return token;
  throw new UsageError(
    `Your kubeconfig has no token, for example because it signs in with a client certificate, so the dashboard cannot act as you. ${REMEDY}`,
  );
}
