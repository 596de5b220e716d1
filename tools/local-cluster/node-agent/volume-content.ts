import { type DownwardView, fieldValue, resourceValue } from './downward-api.ts';
import type { ConfigSource } from './environment.ts';
import type { DownwardItem, Pod, ProjectedSource, Volume, VolumeSource } from './pod-types.ts';
import type { TokenSource } from './token-requests.ts';

/** One file of a volume. */
export interface VolumeFile {
  readonly content: Buffer;
  readonly mode: number;
}

export type VolumeFiles = ReadonlyMap<string, VolumeFile>;

export interface VolumeContext {
  readonly view: DownwardView;
  readonly source: ConfigSource;
  readonly tokenFor: (source: TokenSource, pod: Pod) => Promise<string>;
}

/** An object that the volume needs does not exist (yet). */
export class VolumeNotReadyError extends Error {
  override readonly name = 'VolumeNotReadyError';
}

const DEFAULT_MODE = 0o644;
const TOKEN_MODE = 0o600;

/**
 * The files that a volume should contain. An emptyDir contains what its pod wrote.
 * @throws VolumeNotReadyError if a Secret, ConfigMap or key that is not optional is missing
 */
export async function volumeFiles(volume: Volume, context: VolumeContext): Promise<VolumeFiles> {
  const files = new Map<string, VolumeFile>();
  const { parts, mode } = partsOf(volume);
  for (const part of parts) {
    for (const [path, file] of await partFiles(part, mode, context)) files.set(path, file);
  }
  return files;
}

function partsOf(volume: Volume): { readonly parts: readonly ProjectedSource[]; readonly mode: number } {
  const { secret, configMap, downwardAPI, projected, emptyDir } = volume;
  const kinds = [secret, configMap, downwardAPI, projected];
  if ([...kinds, emptyDir].every((kind) => kind === undefined)) {
    const known = 'emptyDir, secret, configMap, downwardAPI and projected';
    throw new VolumeNotReadyError(`the local node has ${known} volumes; "${volume.name}" is another kind`);
  }
  const single = { configMap, downwardAPI, secret: secret && { ...secret, name: secret.secretName } };
  const mode = kinds.find((kind) => kind !== undefined)?.defaultMode ?? DEFAULT_MODE;
  return { parts: [single, ...(projected?.sources ?? [])], mode };
}

async function partFiles(part: ProjectedSource, mode: number, context: VolumeContext): Promise<VolumeFiles> {
  if (part.secret !== undefined) return keyFiles('secret', { ...part.secret, mode }, context);
  if (part.configMap !== undefined) return keyFiles('configMap', { ...part.configMap, mode }, context);
  if (part.downwardAPI !== undefined) return downwardFiles(part.downwardAPI.items ?? [], mode, context.view);
  const token = part.serviceAccountToken;
  if (token === undefined) return new Map();
  const content = Buffer.from(await context.tokenFor(token, context.view.pod));
  return new Map([[token.path, { content, mode: TOKEN_MODE }]]);
}

async function keyFiles(
  kind: 'secret' | 'configMap',
  from: VolumeSource & { readonly name: string; readonly mode: number },
  context: VolumeContext,
): Promise<VolumeFiles> {
  const { namespace } = context.view.pod.metadata;
  const content = await context.source[kind](namespace, from.name);
  const kindName = kind.toLowerCase();
  if (content === undefined && from.optional !== true)
    throw new VolumeNotReadyError(`${kindName} "${from.name}" not found`);
  const items = from.items ?? Object.keys(content ?? {}).map((key) => ({ key, path: key, mode: from.mode }));
  const files = new Map<string, VolumeFile>();
  for (const item of items) {
    const value = content?.[item.key];
    if (value !== undefined) files.set(item.path, { content: value, mode: item.mode ?? from.mode });
    else if (from.optional !== true) {
      throw new VolumeNotReadyError(
        `references non-existent ${kindName} key: ${item.key} (of "${from.name}")`,
      );
    }
  }
  return files;
}

function downwardFiles(items: readonly DownwardItem[], mode: number, view: DownwardView): VolumeFiles {
  return new Map(
    items.map((item) => [
      item.path,
      { content: Buffer.from(downwardText(item, view)), mode: item.mode ?? mode },
    ]),
  );
}

function downwardText(item: DownwardItem, view: DownwardView): string {
  if (item.fieldRef !== undefined) return fieldValue(item.fieldRef.fieldPath, view);
  return item.resourceFieldRef === undefined
    ? ''
    : resourceValue(item.resourceFieldRef, view.pod.spec.containers);
}
