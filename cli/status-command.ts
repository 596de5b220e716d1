import type { Summary } from '#runtime/doctor/summary.ts';
import { durationText } from '#runtime/time/duration-text.ts';
import type { Command, CommandGroup } from './command.ts';
import type { DoctorArguments } from './doctor-context.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { SYSTEM_NAMESPACE } from './options.ts';
import { toFields } from './table.ts';

const NOT_PERMITTED = 'not permitted';

function orNotPermitted<T>(part: T | null, text: (part: T) => string): string {
  return part === null ? NOT_PERMITTED : text(part);
}

function leaderText(lead: Summary['lead']): string {
  return orNotPermitted(lead, (one) => {
    if (one?.holder === undefined) return 'none: no job starts';
    if (one.isStale)
      return `none: ${one.holder} has not renewed its Lease for ${durationText(one.renewedMs)}`;
    return `${one.holder} since ${one.since ?? '?'}`;
  });
}

/** `2 Queued, 1 Running`; the phases and reasons that occur. */
function countsText(counts: Readonly<Record<string, number>>): string {
  const present = Object.entries(counts).filter(([, count]) => count > 0);
  return present.length === 0 ? 'none' : present.map(([name, count]) => `${count} ${name}`).join(', ');
}

function webhookText(webhooks: Summary['webhooks']): string {
  return orNotPermitted(webhooks, ({ pending, late, oldestMs }) =>
    pending === 0
      ? 'none pending'
      : `${pending} pending, ${late} late, the oldest for ${durationText(oldestMs)}`,
  );
}

function notReadyText({
  total,
  notReady,
  held = 0,
}: {
  total: number;
  notReady: number;
  held?: number;
}): string {
  const more = held === 0 ? '' : `, ${held} whose store does not respond`;
  return notReady === 0 ? `${total}${more}` : `${total}, ${notReady} not ready${more}`;
}

function componentFields({ components, version }: Summary): readonly (readonly [string, string])[] {
  return components.map(({ component, ready, wanted, versions }) => {
    const other = versions.filter((one) => one !== version);
    const more = other.length === 0 ? '' : `, pods of ${other.join(', ')} are running`;
    return [
      `${component[0]?.toUpperCase() ?? ''}${component.slice(1)}`.replace('Api', 'API'),
      `${ready} of ${wanted} ready${more}`,
    ];
  });
}

function textOf(summary: Summary, cli: string): string {
  const { namespace, version, lead, definitions, projects, buckets, jobs, stuck, history } = summary;
  const other = cli === version ? '' : `, and this command line is ${cli}`;
  return toFields([
    ['Release', `${version} in namespace ${namespace}${other}`],
    ...componentFields(summary),
    ['Leader', leaderText(lead)],
    ['Paused', orNotPermitted(lead, (one) => (one?.paused === undefined ? 'no' : `yes: ${one.paused}`))],
    ['Definitions', orNotPermitted(definitions, ({ served, total }) => `${served} of ${total} served`)],
    ['Projects', orNotPermitted(projects, notReadyText)],
    ['Buckets', orNotPermitted(buckets, notReadyText)],
    [
      'Jobs',
      orNotPermitted(
        jobs,
        ({ phases, isComplete }) => `${countsText(phases)}${isComplete ? '' : ', or more'}`,
      ),
    ],
    ['Stuck', orNotPermitted(stuck, countsText)],
    ['Webhooks', webhookText(summary.webhooks)],
    ['History', orNotPermitted(history, ({ isEnabled, late }) => (isEnabled ? `on, ${late} late` : 'off'))],
  ]);
}

/** With null for what is not known. */
function leadValue(lead: Summary['lead']) {
  if (!lead) return null;
  const { holder = null, since = null, paused = null, ...rest } = lead;
  return { ...rest, holder, since, paused };
}

function status(version: string): Command<DoctorArguments> {
  return async (args, session) => {
    // These imports load the checks: skip them for other commands.
    const { openCheckContext } = await import('./doctor-context.ts');
    const { summarize } = await import('#runtime/doctor/summary.ts');
    const summary = await summarize(await openCheckContext(args, session, version));
    const { lead, missingPermissions } = summary;
    const leads = lead === null || (lead?.holder !== undefined && !lead.isStale);
    return {
      value: { ...summary, lead: leadValue(lead), commandLine: version },
      text: textOf(summary, version),
      notes: [
        ...missingPermissions.map((one) => `Not permitted: ${one}`),
        'To find causes and remedies: zipjobs doctor',
      ],
      exitCode: leads ? EXIT_CODES.ok : EXIT_CODES.failed,
    };
  };
}

/** Adds the status command; `version` is that of the command line. */
export function createStatusCommand(version: string): CommandGroup {
  return (parser, run) =>
    parser.command(
      'status',
      'Show on one screen whether the installation works: leader, versions, jobs, webhooks; exit code 1 without a leader',
      (args) => args.hide('namespace').hide('n').options(SYSTEM_NAMESPACE),
      run(status(version)),
    );
}
