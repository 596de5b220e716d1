import { stringify } from 'yaml';
import { defined } from '#runtime/collections/optional.ts';
import { listPages } from '#runtime/kube/client/list-pages.ts';
import { addEntry, type DumpContext } from './dump-context.ts';
import { DEFINITIONS, type DumpedKind } from './kinds.ts';
import { maskObject } from './mask-object.ts';

const PAGE_SIZE = 200;
/** Maximum size of one entry, so that an editor can still open it. */
const MAX_ENTRY_BYTES = 32 * 1024 * 1024;

function yamlOf(object: unknown): string {
  return stringify(maskObject(object), { lineWidth: 0 });
}

interface Place {
  /** Every namespace when undefined. */
  readonly namespace: string | undefined;
  readonly folder: string;
}

async function* objectsOf(
  { kube, signal }: DumpContext,
  kind: DumpedKind,
  namespace: string | undefined,
): AsyncGenerator<unknown, void, undefined> {
  for (const fieldSelector of kind.fieldSelectors ?? [undefined]) {
    const options = {
      pageSize: PAGE_SIZE,
      signal,
      ...defined({ namespace, labelSelector: kind.labelSelector, fieldSelector }),
    };
    for await (const { items } of listPages(kube, kind, options)) yield* items;
  }
}

async function readKind(context: DumpContext, kind: DumpedKind, place: Place): Promise<string> {
  const what = `${place.folder}/${kind.plural}.yaml`;
  const { facts, limits, problems, bundle } = context;
  const documents: string[] = [];
  let bytes = 0;
  try {
    for await (const object of objectsOf(context, kind, place.namespace)) {
      if (documents.length >= limits.maxObjects || bytes > Math.min(MAX_ENTRY_BYTES, bundle.bytesLeft)) {
        problems.note(
          what,
          `truncated after ${documents.length} objects: limit reached; see --max-objects and --max-size`,
        );
        break;
      }
      facts.note(object);
      const text = yamlOf(object);
      documents.push(text);
      bytes += text.length;
    }
  } catch (error) {
    problems.failed(what, error);
  }
  return documents.join('---\n');
}

/** Writes all objects of a kind as YAML into one entry. */
export async function collectKind(context: DumpContext, kind: DumpedKind, place: Place): Promise<void> {
  const text = await readKind(context, kind, place);
  if (text !== '') await addEntry(context, `${place.folder}/${kind.plural}.yaml`, text);
}

/** The CustomResourceDefinitions of zipjobs, read by name. */
export async function collectDefinitions(context: DumpContext): Promise<void> {
  const { kube, problems, signal } = context;
  for (const name of DEFINITIONS) {
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;
    try {
      const object = await kube.request({ method: 'GET', path, signal });
      await addEntry(context, `cluster/customresourcedefinitions/${name}.yaml`, yamlOf(object));
    } catch (error) {
      problems.failed(`CustomResourceDefinition ${name}`, error);
    }
  }
}
