import { errorCode, toError } from '#runtime/errors.ts';
import { readStart } from '#runtime/http/read-start.ts';
import { Agent, request as send } from '#runtime/http/undici.ts';
import { redactText } from '#runtime/log/redact.ts';
import { type Clock, pause } from '#runtime/time/clock.ts';
import type { Check } from './checks.ts';
import type { ReleaseCheckConfig } from './config.ts';

export interface RunChecksDeps {
  readonly config: Pick<
    ReleaseCheckConfig,
    'namespace' | 'instance' | 'timeoutSeconds' | 'requestTimeoutMs' | 'retryPauseMs'
  >;
  readonly clock: Clock;
  /** Aborted by a signal to the process: checks are not repeated any more. */
  readonly stopping: AbortSignal;
  /** Receives one line per check. */
  readonly write: (line: string) => void;
}

/** What a check got instead of the expected response. */
interface Problem {
  readonly kind: 'no response' | 'wrong response';
  readonly text: string;
}

const MAX_BODY_BYTES = 64 * 1024;
const MAX_SHOWN_CHARACTERS = 200;

/** The body in one line, for an error message; nothing for a page, whose first characters say nothing useful. */
function shown(contentType: unknown, body: string): string {
  const isPage = typeof contentType === 'string' && contentType.startsWith('text/html');
  const text = body.replaceAll(/\s+/g, ' ').trim().slice(0, MAX_SHOWN_CHARACTERS);
  return isPage || text === '' ? '' : `: ${redactText(text)}`;
}

async function request(check: Check, signal: AbortSignal): Promise<Problem | undefined> {
  // Each request has its own connection: one that is kept alive would send each retry to the same pod. As those of the kubelet, these
  // requests contain nothing secret, and the certificate may be for the public host only.
  const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
  let response: Awaited<ReturnType<typeof send>>;
  let body: string;
  try {
    response = await send(check.url, { dispatcher, method: 'GET', signal });
    body = await readStart(response.body, MAX_BODY_BYTES);
  } catch (error) {
    return { kind: 'no response', text: `no response (${errorCode(error) ?? toError(error).message})` };
  } finally {
    await dispatcher.destroy();
  }
  if (response.statusCode !== check.status)
    return {
      kind: 'wrong response',
      text: `status ${response.statusCode} instead of ${check.status}${shown(response.headers['content-type'], body)}`,
    };
  if (body.includes(check.contains)) return undefined;
  return {
    kind: 'wrong response',
    text: `a response that is not from zipjobs: it does not contain ${check.contains}`,
  };
}

/** Repeats a check until it succeeds or the time is over. There is always one request. */
async function lastProblem(check: Check, deps: RunChecksDeps): Promise<Problem | undefined> {
  const { clock, stopping, config } = deps;
  const end = clock.monotonicMs() + config.timeoutSeconds * 1000;
  for (;;) {
    const limit = AbortSignal.timeout(config.requestTimeoutMs);
    const problem = await request(check, AbortSignal.any([stopping, limit]));
    if (problem === undefined) return undefined;
    if (clock.monotonicMs() + config.retryPauseMs > end) return problem;
    if (!(await pause(clock, config.retryPauseMs, stopping))) return problem;
  }
}

function remedy(check: Check, { kind }: Problem, { config }: RunChecksDeps): string {
  const labels = `app.kubernetes.io/instance=${config.instance},app.kubernetes.io/component=${check.component}`;
  const selection = `-n ${config.namespace} -l ${labels}`;
  return kind === 'no response'
    ? `See whether its pods are ready: kubectl get pods ${selection}. If they are, check the network policies of the namespace and the DNS of the cluster.`
    : `Read its logs: kubectl logs --tail=200 ${selection}`;
}

/** Runs all checks at the same time and writes their lines in this order. Returns whether all succeeded. */
export async function runChecks(checks: readonly Check[], deps: RunChecksDeps): Promise<boolean> {
  const problems = await Promise.all(checks.map((check) => lastProblem(check, deps)));
  for (const [index, check] of checks.entries()) {
    const problem = problems[index];
    deps.write(
      problem === undefined
        ? `ok: ${check.name}: GET ${check.url}`
        : `failed: ${check.name}: GET ${check.url}: ${problem.text}. Tried for ${deps.config.timeoutSeconds} s. ${remedy(check, problem, deps)}`,
    );
  }
  return problems.every((problem) => problem === undefined);
}
