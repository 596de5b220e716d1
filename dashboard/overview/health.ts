import { toHistoryPurge } from '#administration/projects/project-view.ts';
import { toWebhooks, type Webhook } from '#administration/webhooks/webhook-view.ts';
import { findCondition } from '#crds/conditions.ts';
import { DEFAULT_ENDPOINT } from '#crds/webhook-endpoints.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import type { LimitMeter } from '../projects/project-limits.ts';
import { FORMAT } from '../ui/format.ts';
import { reasonText } from '../ui/reason-text.ts';
import { endpointHref } from '../webhook/webhook-paths.ts';
import type { CurrentFigures } from './current-figures.ts';
import { isAboveThreshold } from './failure-rate.ts';
import type { Failures, Sums } from './period-figures.ts';

/** One sentence about the project, worst look first: `bad`, `warn`, `quiet` (worth knowing), `good`. */
export interface Finding {
  readonly look: 'bad' | 'warn' | 'quiet' | 'good';
  readonly text: string;
  /** More, in smaller type; `''` for nothing. */
  readonly note: string;
  /** Where to see it. */
  readonly href?: string | undefined;
}

const LOOKS = ['bad', 'warn', 'quiet', 'good'] as const satisfies readonly Finding['look'][];

/** As in the alert ZipjobsQueueWaits. */
const LONGEST_WAIT_MS = 1_800_000;

/** The finished jobs of some time. */
export interface Ended extends Failures {
  readonly total: Pick<Sums, 'succeeded' | 'failed'>;
  /** `hour`, `24 hours`. */
  readonly label: string;
  /** The list of its failed jobs. */
  readonly href: string;
}

/** What the dashboard knows of a project. */
export interface HealthFacts {
  readonly project: ZipProject;
  readonly current: CurrentFigures;
  /** From the cluster, which still has them. */
  readonly hour: Ended;
  readonly day: Ended;
  /** The history database does not respond. */
  readonly isAway: boolean;
  readonly limits: readonly LimitMeter[];
}

function reasonsText({ failures: [first], total: { failed } }: Ended): string {
  if (first === undefined || (first.count === 1 && failed > 1)) return '';
  if (first.count === failed) return `, ${failed === 1 ? '' : 'all '}with ${first.reason}`;
  return `, ${FORMAT.number(first.count)} with ${first.reason}`;
}

const OPERATOR = 'zipjobs, its cluster or the store';

/** Who can correct the causes. */
function faultText({ faults: { caller, operator } }: Ended): string {
  if (operator === 0) return caller === 0 ? '' : 'The cause is in the requests, their sources or buckets.';
  return caller === 0
    ? `The cause is in ${OPERATOR}.`
    : `${FORMAT.number(caller)} because of requests, sources or buckets, ${FORMAT.number(operator)} because of ${OPERATOR}.`;
}

function isBad({ faults, total: { succeeded } }: Ended): boolean {
  return isAboveThreshold(faults, succeeded);
}

/** The last hour, unless only the whole day has failures or too many of them. */
function endedFinding({ hour, day }: Pick<HealthFacts, 'hour' | 'day'>): Finding {
  const all = [hour, day];
  const shown = all.find(isBad) ?? all.find(({ total }) => total.failed > 0);
  if (shown === undefined) {
    const { succeeded } = day.total;
    return {
      look: 'good',
      text:
        succeeded === 0
          ? 'Nothing is wrong. No job finished in the last 24 hours.'
          : `All good: ${FORMAT.count(succeeded, 'job')} succeeded in the last 24 hours.`,
      note: '',
    };
  }
  const { failed, succeeded } = shown.total;
  return {
    look: isBad(shown) ? 'bad' : 'quiet',
    text: `${FORMAT.number(failed)} of ${FORMAT.count(failed + succeeded, 'job')} failed in the last ${shown.label}${reasonsText(shown)}.`,
    note: faultText(shown),
    href: shown.href,
  };
}

function waitingFindings(
  namespace: string,
  { paused, oldestWaiting: oldest }: CurrentFigures,
): readonly Finding[] {
  const jobs = FORMAT.path('projects', namespace, 'jobs');
  if (paused > 0)
    return [
      {
        look: 'warn',
        text: `All jobs are paused: ${FORMAT.count(paused, 'job waits', 'jobs wait')}.`,
        note: 'An administrator of the cluster has paused zipjobs.',
        href: `${jobs}?reason=Paused`,
      },
    ];
  // A user has asked for this wait.
  if (oldest === undefined || oldest.waitedMs <= LONGEST_WAIT_MS || oldest.reason === 'Suspended') return [];
  return [
    {
      look: 'warn',
      text: `${oldest.key} has waited for ${FORMAT.duration(oldest.waitedMs)}.`,
      note: reasonText(oldest.reason),
      href: FORMAT.path('projects', namespace, 'jobs', oldest.name),
    },
  ];
}

function limitFinding({ name, text, share }: LimitMeter, href: string): readonly Finding[] {
  if (name !== 'Stored jobs' || share < 0.95) return [];
  const isFull = share >= 1;
  return [
    {
      look: isFull ? 'bad' : 'warn',
      text: `The project is ${isFull ? '' : 'almost '}full: it stores ${text} jobs.`,
      note: `At the limit, requests for new jobs are refused. Wait until finished jobs are deleted, or ask your administrator for a higher limit.`,
      href,
    },
  ];
}

function webhookFinding({ name, enabled, endpoint, namespace }: Webhook): readonly Finding[] {
  const at = name === DEFAULT_ENDPOINT ? '' : ` endpoint ${name}`;
  const href = endpointHref(namespace, name);
  if (!enabled || endpoint === null) return [];
  if (endpoint.state === 'Disabled')
    return [
      {
        look: 'bad',
        text: `The webhook${at} is disabled because its deliveries failed.`,
        note: 'Nothing is sent until a user enables it.',
        href,
      },
    ];
  if (endpoint.failingSince === null) return [];
  const since = FORMAT.time(endpoint.failingSince);
  return [
    {
      look: 'warn',
      text: `Every webhook delivery${at === '' ? '' : ` to${at}`} since ${since} failed.`,
      note: '',
      href,
    },
  ];
}

function projectFindings(project: ZipProject): readonly Finding[] {
  const { metadata, status } = project;
  const settings = FORMAT.path('projects', metadata.namespace, 'settings');
  if (metadata.deletionTimestamp !== undefined)
    return [{ look: 'warn', text: 'The project is being deleted.', note: '', href: settings }];
  const problems = [
    ['Ready', 'False', 'The project is not ready.'],
    ['ObjectsRefused', 'True', 'A policy of the cluster refuses objects of the project.'],
    ['ObjectsLeftOut', 'True', 'The controller ignores some objects of the project.'],
  ] as const;
  const ready = findCondition(status?.conditions, 'Ready');
  if (ready?.status === 'Unknown')
    return [{ look: 'warn', text: 'The project is not ready.', note: ready.message }];
  return problems.flatMap(([type, bad, text]) => {
    const condition = findCondition(status?.conditions, type);
    return condition?.status === bad ? [{ look: 'bad', text, note: condition.message }] : [];
  });
}

function historyFindings({ project, isAway }: Pick<HealthFacts, 'project' | 'isAway'>): readonly Finding[] {
  if (isAway)
    return [
      {
        look: 'warn',
        text: 'The history is incomplete: its database does not respond.',
        note: 'Jobs that have left the cluster are missing.',
      },
    ];
  return toHistoryPurge(project)?.finishedAt === null
    ? [{ look: 'quiet', text: 'The history of this project is being deleted.', note: '' }]
    : [];
}

/** Everything that the dashboard knows to be wrong, the worst first. Never empty: the first one says whether anything is wrong. */
export function findingsOf(facts: HealthFacts): readonly [Finding, ...Finding[]] {
  const { project, current, limits } = facts;
  const { namespace } = project.metadata;
  const settings = FORMAT.path('projects', namespace, 'settings');
  const ended = endedFinding(facts);
  const others = [
    ...projectFindings(project),
    ...limits.flatMap((meter) => limitFinding(meter, settings)),
    ...waitingFindings(namespace, current),
    ...toWebhooks(project).flatMap(webhookFinding),
    ...historyFindings(facts),
  ];
  const rest = [ended, ...others].toSorted((a, b) => LOOKS.indexOf(a.look) - LOOKS.indexOf(b.look));
  const [first = ended, ...more] = rest;
  // With a problem, "all good" would be wrong.
  return [first, ...more.filter(({ look }) => look !== 'good')];
}
