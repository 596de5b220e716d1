import { UsageError } from '../usage-error.ts';

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

const NAMES =
  'Set --dashboard or ZIPJOBS_DASHBOARD_URL to the address of the dashboard, such as https://zipjobs.example.com';

/** The URL if it consists of scheme, host and port only. */
function originIn(text: string): URL | undefined {
  const url = URL.parse(text);
  if (url === null || !['https:', 'http:'].includes(url.protocol)) return undefined;
  const { username, password, pathname, search, hash } = url;
  return username + password + search + hash === '' && pathname === '/' ? url : undefined;
}

/**
 * The origin of the dashboard. Your token is sent there, so it must be HTTPS, except for this machine (`kubectl port-forward`).
 * @throws UsageError that does not repeat a URL with credentials
 */
export function dashboardOrigin(
  given: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): string {
  const text = given ?? env['ZIPJOBS_DASHBOARD_URL'] ?? '';
  if (text === '') throw new UsageError(`The history is read from the dashboard. ${NAMES}`);
  const url = originIn(text);
  if (url === undefined) throw new UsageError(`The URL of the dashboard is invalid. ${NAMES}`);
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname))
    throw new UsageError(
      'The URL of the dashboard must start with https://, because your token is sent to it. Plain HTTP is allowed for this machine only, for example for kubectl port-forward',
    );
  return url.origin;
}
