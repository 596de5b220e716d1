import { toTable } from '../table.ts';
import type { Counts, Facts } from './facts.ts';

export interface SummaryInput {
  readonly takenAt: Date;
  /** User name according to the API server. */
  readonly user: string;
  readonly version: string;
  readonly kubernetes: string;
  readonly systemNamespaces: readonly string[];
  readonly projects: readonly string[];
  readonly problemCount: number;
  readonly facts: Facts;
}

type Row = readonly string[];

function section(title: string, header: Row, rows: readonly Row[]): readonly string[] {
  return rows.length === 0
    ? ['', `${title}: none`]
    : [
        '',
        title,
        ...toTable(header, rows)
          .split('\n')
          .map((line) => `  ${line}`),
      ];
}

function countRows(counts: Counts): readonly Row[] {
  return [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .map(([key, count]) => [String(count), ...key.split('\t')]);
}

function podRows({ pods }: Facts, systemNamespaces: readonly string[]): readonly Row[] {
  return pods
    .filter(({ namespace, phase }) => systemNamespaces.includes(namespace) || phase !== 'Succeeded')
    .map(({ namespace, name, phase, isReady, restarts, image }) => [
      namespace,
      name,
      phase,
      isReady ? 'ready' : 'not ready',
      String(restarts),
      image,
    ]);
}

/** The entry to read first. */
export function summaryText(input: SummaryInput): string {
  const { facts, systemNamespaces } = input;
  const whole =
    input.problemCount === 0
      ? 'The dump is complete.'
      : `PARTIAL: ${input.problemCount} items are missing or truncated. See errors.txt.`;
  return [
    `zipjobs sysdump of ${input.takenAt.toISOString()}, taken by ${input.user}`,
    whole,
    'No Secrets were read. Signed queries, credentials and caller metadata were removed.',
    '',
    `CLI:          ${input.version}`,
    `Kubernetes:   ${input.kubernetes}`,
    `Chart:        ${[...facts.charts].filter((chart) => chart !== '').join(', ') || 'not found'}, in ${systemNamespaces.join(', ')}`,
    `Projects:     ${input.projects.join(', ') || 'none'}`,
    ...section(
      'Pods (without succeeded zippers)',
      ['NAMESPACE', 'NAME', 'PHASE', 'READY', 'RESTARTS', 'IMAGE'],
      podRows(facts, systemNamespaces),
    ),
    ...section('Leases', ['NAMESPACE', 'NAME', 'HOLDER', 'RENEWED'], facts.leases),
    ...section('Jobs', ['COUNT', 'PROJECT', 'PHASE', 'REASON', 'FAILURE'], countRows(facts.jobs)),
    ...section('Webhooks of jobs', ['COUNT', 'PROJECT', 'STATE'], countRows(facts.webhooks)),
    ...section('Not Ready', ['KIND', 'PROJECT', 'NAME', 'REASON', 'MESSAGE'], facts.notReady),
    ...section('Warning events', ['COUNT', 'NAMESPACE', 'REASON', 'OBJECT'], countRows(facts.warnings)),
    '',
  ].join('\n');
}
