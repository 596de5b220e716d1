import type { ZipProject } from '#crds/zip-project.ts';
import type { ProjectClasses } from '#runtime/project-limits/project-classes.ts';
import type { Clock } from '#runtime/time/clock.ts';
import { createRequestPace, MAX_DELAY_MS } from './request-pace.ts';

/** The token of a request and its project. */
export interface Caller {
  readonly namespace: string;
  readonly tokenName: string;
  readonly project: ZipProject;
}

/** What this process spreads evenly, after a burst. */
export interface SecondLimits {
  /** How long a request waits, in milliseconds, because of what its token or project sends per second. Counts it, but for files. */
  readonly delaysMs: Readonly<Record<'token' | 'project' | 'files' | 'creates', (caller: Caller) => number>>;
  /** How long a create waits, in milliseconds, because of the files of earlier ones. */
  readonly filesDelayMs: (project: ZipProject) => number;
  readonly countFiles: (project: ZipProject, files: number) => void;
  /** How long reading waits after these bytes of a body, in milliseconds, because the project sends too many per second. */
  readonly bodyDelayMs: (project: string, bytes: number) => number;
}

export interface SecondLimitsDeps {
  readonly limitsOf: ProjectClasses['limitsOf'];
  /** Requests per second of a token or project that are never delayed. */
  readonly undelayedRequestsPerSecond: number;
  /** Bytes of bodies per second of a project that are read without delay. */
  readonly undelayedBodyBytesPerSecond: number;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

/** A limit per minute of a token or project; 0 for no limit. */
interface MinuteLimit {
  readonly subject: string;
  readonly limit: number;
}

const SECONDS_PER_MINUTE = 60;
const BURST_MS = 2_000;
/** A hundred creates, or two of the largest requests, at the default rates. */
export const CREATES_BURST_MS = 10_000;

function createPaces(clock: SecondLimitsDeps['clock']) {
  return {
    requests: createRequestPace({ clock, burstMs: BURST_MS }),
    bytes: createRequestPace({ clock, burstMs: BURST_MS }),
    creates: createRequestPace({ clock, burstMs: CREATES_BURST_MS }),
    files: createRequestPace({ clock, burstMs: CREATES_BURST_MS }),
  };
}

export function createSecondLimits(
  deps: SecondLimitsDeps,
  minuteLimitsOf: (caller: Caller) => { readonly token: MinuteLimit; readonly project: MinuteLimit },
): SecondLimits {
  const { limitsOf, undelayedRequestsPerSecond, undelayedBodyBytesPerSecond } = deps;
  const paces = createPaces(deps.clock);

  function delayOf({ subject, limit }: MinuteLimit): number {
    return limit === 0
      ? 0
      : paces.requests.request(subject, Math.max(undelayedRequestsPerSecond, limit / SECONDS_PER_MINUTE));
  }
  function createsDelayMs({ namespace, project }: Caller): number {
    const { createsPerSecond } = limitsOf(namespace, project);
    return createsPerSecond === 0 ? 0 : paces.creates.request(namespace, createsPerSecond);
  }
  function filesDelayMs(project: ZipProject): number {
    const { namespace } = project.metadata;
    return limitsOf(namespace, project).filesPerSecond === 0 ? 0 : paces.files.debtMs(namespace);
  }

  return {
    delaysMs: {
      token: (caller) => delayOf(minuteLimitsOf(caller).token),
      project: (caller) => delayOf(minuteLimitsOf(caller).project),
      files: ({ project }) => filesDelayMs(project),
      creates: createsDelayMs,
    },
    filesDelayMs,
    countFiles: (project, files) => {
      const { namespace } = project.metadata;
      const { filesPerSecond } = limitsOf(namespace, project);
      if (filesPerSecond > 0) paces.files.charge(namespace, files, filesPerSecond);
    },
    bodyDelayMs: (project, bytes) =>
      Math.min(MAX_DELAY_MS, paces.bytes.request(project, undelayedBodyBytesPerSecond / bytes)),
  };
}
