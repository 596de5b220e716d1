import { request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Container, Probe } from './pod-types.ts';

export type ProbeKind = 'Startup' | 'Readiness' | 'Liveness';

export interface ProbeHandlers {
  readonly onStarted: () => void;
  readonly onReady: (ready: boolean) => void;
  /** Called for a failed check. */
  readonly onUnhealthy: (kind: ProbeKind, message: string) => void;
  /** Called after so many failures that the container must be restarted. */
  readonly onDead: (kind: ProbeKind) => void;
}

interface Watch {
  readonly kind: ProbeKind;
  readonly probe: Probe;
  readonly container: Container;
  readonly address: string;
  readonly signal: AbortSignal;
  readonly onUnhealthy: ProbeHandlers['onUnhealthy'];
}

// A local process starts in a fraction of a second, so waiting whole periods would only slow down tests.
const EAGER_MS = 100;

/** Runs a container's probes until the signal aborts: startup first, then readiness and liveness in parallel. */
export async function runProbes(
  container: Container,
  handlers: ProbeHandlers,
  at: { readonly address: string; readonly signal: AbortSignal },
): Promise<void> {
  function watchOf(kind: ProbeKind, probe: Probe): Watch {
    return {
      kind,
      probe,
      container,
      ...at,
      onUnhealthy: handlers.onUnhealthy,
    };
  }
  const { startupProbe, readinessProbe, livenessProbe } = container;
  if (startupProbe !== undefined && !(await passes(watchOf('Startup', startupProbe)))) {
    if (!at.signal.aborted) handlers.onDead('Startup');
    return;
  }
  if (at.signal.aborted) return;
  handlers.onStarted();
  if (readinessProbe === undefined) handlers.onReady(true);
  await Promise.all([
    readinessProbe && followReadiness(watchOf('Readiness', readinessProbe), handlers.onReady),
    livenessProbe && followLiveness(watchOf('Liveness', livenessProbe), handlers.onDead),
  ]);
}

/** True at the first success; false after too many failures, or when the signal aborts. */
async function passes(watch: Watch): Promise<boolean> {
  for await (const healthy of verdicts(watch, true)) return healthy;
  return false;
}

async function followReadiness(watch: Watch, onReady: (ready: boolean) => void): Promise<void> {
  for await (const healthy of verdicts(watch, true)) onReady(healthy);
}

async function followLiveness(watch: Watch, onDead: (kind: ProbeKind) => void): Promise<void> {
  for await (const healthy of verdicts(watch, false)) {
    if (!healthy) return onDead(watch.kind);
  }
}

/**
 * Yields each change of the verdict: true after successThreshold successes in a row, false after failureThreshold
 * failures. An eager probe runs more often until it succeeds.
 */
async function* verdicts(watch: Watch, eager: boolean): AsyncGenerator<boolean> {
  const { probe } = watch;
  const periodMs = (probe.periodSeconds ?? 10) * 1000;
  const opinion = new Opinion(probe, periodMs);
  await pause((probe.initialDelaySeconds ?? 0) * 1000, watch.signal);
  while (isOpen(watch.signal)) {
    const changed = await opinion.form(watch);
    if (changed !== undefined && isOpen(watch.signal)) yield changed;
    await pause(eager && opinion.verdict !== true ? Math.min(EAGER_MS, periodMs) : periodMs, watch.signal);
  }
}

/** Combines the results of a probe. Failures count once per period, however often the probe runs. */
class Opinion {
  verdict: boolean | undefined;
  readonly #needed: { readonly good: number; readonly bad: number };
  readonly #periodMs: number;
  #run = { healthy: true, length: 0 };
  #countFailuresAfter = 0;

  constructor(probe: Probe, periodMs: number) {
    this.#needed = { good: probe.successThreshold ?? 1, bad: probe.failureThreshold ?? 3 };
    this.#periodMs = periodMs;
  }

  /** Runs one check. Returns the verdict if it changed. */
  async form(watch: Watch): Promise<boolean | undefined> {
    const before = this.verdict;
    const problem = await check(watch);
    // The result is meaningless if the container ended during the check.
    if (watch.signal.aborted) return undefined;
    if (this.#add(problem === undefined, Date.now())) watch.onUnhealthy(watch.kind, problem ?? '');
    return this.verdict === before ? undefined : this.verdict;
  }

  /** True if the failure should be reported. The first failure of a starting server is expected. */
  #add(healthy: boolean, now: number): boolean {
    if (!healthy && now < this.#countFailuresAfter) return false;
    if (!healthy) this.#countFailuresAfter = now + this.#periodMs - EAGER_MS / 2;
    this.#run = { healthy, length: this.#run.healthy === healthy ? this.#run.length + 1 : 1 };
    const isReported = !healthy && (this.verdict !== undefined || this.#run.length > 1);
    if (this.#run.length >= (healthy ? this.#needed.good : this.#needed.bad)) this.verdict = healthy;
    return isReported;
  }
}

function isOpen(signal: AbortSignal): boolean {
  return !signal.aborted;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}

/** Runs one check. Returns the problem, if any. */
async function check(watch: Watch): Promise<string | undefined> {
  const timeoutMs = (watch.probe.timeoutSeconds ?? 1) * 1000;
  try {
    if (watch.probe.httpGet !== undefined) return await checkHttp(watch, timeoutMs);
    if (watch.probe.tcpSocket !== undefined) return await checkTcp(watch, timeoutMs);
    return 'the local node has httpGet and tcpSocket probes only';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function checkHttp(watch: Watch, timeoutMs: number): Promise<string | undefined> {
  const { path = '/', port, host, scheme, httpHeaders = [] } = watch.probe.httpGet ?? { port: 0 };
  const send = scheme === 'HTTPS' ? secureRequest : request;
  return new Promise((resolve, reject) => {
    const call = send({
      host: host ?? watch.address,
      port: portNumber(port, watch.container),
      path,
      agent: false,
      rejectUnauthorized: false,
      headers: {
        'user-agent': 'kube-probe/local',
        ...Object.fromEntries(httpHeaders.map((h) => [h.name, h.value])),
      },
      signal: AbortSignal.any([watch.signal, AbortSignal.timeout(timeoutMs)]),
    });
    call.once('error', reject);
    call.once('response', (response) => {
      response.resume();
      const status = response.statusCode ?? 0;
      resolve(status >= 200 && status < 400 ? undefined : `HTTP probe failed with statuscode: ${status}`);
    });
    call.end();
  });
}

function checkTcp(watch: Watch, timeoutMs: number): Promise<string | undefined> {
  const { port, host = watch.address } = watch.probe.tcpSocket ?? { port: 0 };
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port: portNumber(port, watch.container), timeout: timeoutMs });
    socket.once('timeout', () => socket.destroy(new Error(`no connection in ${timeoutMs} ms`)));
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.destroy();
      resolve(undefined);
    });
  });
}

function portNumber(port: number | string, container: Container): number {
  if (typeof port === 'number') return port;
  const named = container.ports?.find(({ name }) => name === port)?.containerPort;
  if (named === undefined) throw new Error(`container ${container.name} has no port named ${port}`);
  return named;
}
