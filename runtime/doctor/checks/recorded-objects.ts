import type { CheckContext } from '../context.ts';
import { type Finding, failure, warning } from '../finding.ts';
import { KINDS, resourceOf } from '../kinds.ts';
import { digestOf, type RecordedObject } from '../release-record.ts';
import { restoreCommand } from './restore.ts';

type Kind = keyof typeof KINDS;

function isKind(kind: string): kind is Kind {
  return kind in KINDS;
}

export interface Comparison {
  readonly kinds: readonly Kind[];
  /** What follows if one is missing or differs. */
  readonly effect: string;
}

function title({ kind, namespace, name }: RecordedObject): string {
  return `${kind} ${name}${namespace === undefined ? '' : ` in namespace ${namespace}`}`;
}

async function compare(
  recorded: RecordedObject,
  effect: string,
  { reader, release }: CheckContext,
): Promise<readonly Finding[]> {
  const { kind, namespace, name, digest } = recorded;
  if (!isKind(kind)) return [];
  const live = await reader.get(KINDS[kind], name, namespace);
  const restore = `Restore it: ${restoreCommand(release)}`;
  if (live === undefined) return [failure(`${title(recorded)} does not exist, so ${effect}`, restore)];
  if (digest === digestOf(kind, live)) return [];
  const where = namespace === undefined ? '' : ` -n ${namespace}`;
  return [
    failure(
      `${title(recorded)} differs from the one of the release, so ${effect}`,
      `${restore}. If it still differs, because something was added to a list: kubectl delete ${resourceOf(KINDS[kind])}${where} ${name}, then repeat it`,
    ),
  ];
}

/** Compares the objects of these kinds with the record of the release. @throws ForbiddenReadError */
export async function compareRecorded(
  { kinds, effect }: Comparison,
  context: CheckContext,
): Promise<readonly Finding[]> {
  const { record, namespace, prefix } = context.release;
  if (record === undefined)
    return [
      warning(
        `ConfigMap ${prefix}-release does not exist in namespace ${namespace}, so it is not known what the release contains`,
        `Upgrade the release, or repeat the upgrade: helm upgrade ${prefix}`,
      ),
    ];
  const compared = record.objects.filter(({ kind }) => isKind(kind) && kinds.includes(kind));
  const findings = await Promise.all(compared.map((one) => compare(one, effect, context)));
  return findings.flat();
}
