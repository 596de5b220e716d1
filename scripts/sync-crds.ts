/**
 * Copies crds/*.yaml into the chart, with the labels of the release and the annotations that make Helm and Argo CD keep them:
 * deleting a definition deletes every object of its kind. Also writes their digests for the record of the release, because Helm
 * would need half a second to parse them. Run it after you change a definition; tests compare the copies and the digests.
 */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { digestOf } from '#runtime/doctor/release-record.ts';

const ROOT = join(import.meta.dirname, '..');
const SOURCE = join(ROOT, 'crds');
export const CRD_TEMPLATES = join(ROOT, 'charts/zipjobs/templates/crds');

const HEAD = '# Copied from crds/ by scripts/sync-crds.ts; edit it there.\n';
const METADATA = `  {{- include "zipjobs.marks" (list . "crds" (dict "helm.sh/resource-policy" "keep" "argocd.argoproj.io/sync-options" "Prune=false")) | nindent 2 }}
`;

/** The chart's copy of a definition, with the annotations and the labels of the release. */
function chartCopyOf(name: string, text: string): string {
  const copy = text.replace(/^metadata:\n/m, `metadata:\n${METADATA}`);
  if (copy === text) throw new Error(`crds/${name} has no line 'metadata:' to put the annotations under`);
  if (text.includes('{{')) throw new Error(`crds/${name} holds '{{', which Helm would take for a template`);
  return HEAD + copy;
}

/** File name and text of each definition in the chart. */
export async function chartCrds(): Promise<ReadonlyMap<string, string>> {
  const names = (await readdir(SOURCE)).filter((name) => name.endsWith('.yaml')).sort();
  async function read(name: string): Promise<[string, string]> {
    return [name, chartCopyOf(name, await readFile(join(SOURCE, name), 'utf8'))];
  }
  return new Map(await Promise.all(names.map(read)));
}

const DIGESTS = join(ROOT, 'charts/zipjobs/templates/record/_definitions.tpl');

/** The lines of the definitions in the record of a release. */
async function recordedDefinitions(): Promise<string> {
  const names = (await readdir(SOURCE)).filter((name) => name.endsWith('.yaml')).sort();
  const lines = names.map(async (name) => {
    const { kind, metadata, ...rest } = parse(await readFile(join(SOURCE, name), 'utf8')) as {
      readonly kind: string;
      readonly metadata: { readonly name: string };
    };
    return `${kind}.${metadata.name}: "${digestOf(kind, rest)}"\n`;
  });
  const head = '{{/* Written by scripts/sync-crds.ts. */}}\n{{- define "zipjobs.recordedDefinitions" }}\n';
  return `${head}${(await Promise.all(lines)).join('')}{{- end -}}\n`;
}

/** @throws Error if a definition cannot be copied */
export async function writeChartCrds(): Promise<void> {
  const crds = await chartCrds();
  await mkdir(CRD_TEMPLATES, { recursive: true });
  for (const [name, text] of crds) await writeFile(join(CRD_TEMPLATES, name), text);
  await writeFile(DIGESTS, await recordedDefinitions());
}

if (import.meta.main) await writeChartCrds();
