import { toTable } from '../table.ts';
import type { Counts, Facts } from './facts.ts';

export interface SummaryInput {
  readonly takenAt: Date;
  /** Who took it, as the API server knows the person. */
  readonly user: string;
  readonly version: string;
  readonly kubernetes: string;
  readonly systemNamespaces: readonly string[];
  readonly projects: readonly string[];
  readonly problemCount: number;
  readonly facts: Facts;
}

type Row = readonly string[];

const section = (title: string, header: Row, rows: readonly Row[]): readonly string[] =>
  rows.length === 0
    ? ['', `${title}: none`]
    : [
        '',
        title,
        ...toTable(header, rows)
          .split('\n')
          .map((line) => `  ${line}`),
      ];

const countRows = (counts: Counts): readonly Row[] =>
  [...counts].toSorted(([, a], [, b]) => b - a).map(([key, count]) => [String(count), ...key.split('\t')]);

const podRows = ({ pods }: Facts, systemNamespaces: readonly string[]): readonly Row[] =>
  pods
    .filter(({ namespace, phase }) => systemNamespaces.includes(namespace) || phase !== 'Succeeded')
    .map(({ namespace, name, phase, isReady, restarts, image }) => [
      namespace,
      name,
      phase,
      isReady ? 'ready' : 'not ready',
      String(restarts),
      image,
    ]);

/** What a person reads first. */
export const summaryText = (input: SummaryInput): string => {
  const { facts, systemNamespaces } = input;
  const whole =
    input.problemCount === 0
      ? 'Everything that was asked for is in it.'
      : `PARTIAL: ${input.problemCount} things are missing or cut; errors.txt tells which and why.`;
  return [
    `zipjobs sysdump of ${input.takenAt.toISOString()}, taken by ${input.user}`,
    whole,
    'No Secret was read. Signed queries, credentials and the metadata of callers are left out.',
    '',
    `Command line: ${input.version}`,
    `Kubernetes:   ${input.kubernetes}`,
    `Chart:        ${[...facts.charts].filter((chart) => chart !== '').join(', ') || 'not found'}, in ${systemNamespaces.join(', ')}`,
    `Projects:     ${input.projects.join(', ') || 'none'}`,
    ...section(
      'Pods (zippers that ended well left out)',
      ['NAMESPACE', 'NAME', 'PHASE', 'READY', 'RESTARTS', 'IMAGE'],
      podRows(facts, systemNamespaces),
    ),
    ...section('Leases', ['NAMESPACE', 'NAME', 'HOLDER', 'RENEWED'], facts.leases),
    ...section('Jobs', ['COUNT', 'PROJECT', 'PHASE', 'REASON', 'FAILURE'], countRows(facts.jobs)),
    ...section('Webhooks of jobs', ['COUNT', 'PROJECT', 'STATE'], countRows(facts.webhooks)),
    ...section('Not Ready', ['KIND', 'PROJECT', 'NAME', 'REASON', 'MESSAGE'], facts.notReady),
    ...section('Warning events', ['COUNT', 'NAMESPACE', 'REASON', 'ABOUT'], countRows(facts.warnings)),
    '',
  ].join('\n');
};
