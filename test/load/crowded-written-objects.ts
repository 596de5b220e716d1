/** The objects that are written to the API server in memory. Reports each change to the watches. */
import { randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { isRecord } from '#runtime/kube/client/decode.ts';
import { merged } from '#test/support/builders/objects-by-path.ts';

export interface Write {
  readonly method: string;
  readonly path: string;
  readonly isApply?: boolean;
  readonly body: unknown;
}

export interface Written {
  readonly status: number;
  readonly body: unknown;
}

export interface WrittenObjects {
  /** The newest resourceVersion. */
  readonly version: number;
  get(path: string): object | undefined;
  /** The objects of a kind, as JSON. */
  list(plural: string): readonly string[];
  write(write: Write): Written;
  /** Calls back with each event of a kind after this version, as a line. */
  follow(plural: string, after: number, onLine: (line: string) => void): Disposable;
}

type Fields = Readonly<Record<string, unknown>>;

interface Stored extends Fields {
  readonly metadata: Fields;
}

interface Target {
  readonly path: string;
  readonly plural: string;
  readonly isStatus: boolean;
}

function fieldsOf(value: unknown): Fields {
  return isRecord(value) ? value : {};
}

function refused(code: number, reason: string): Written {
  return {
    status: code,
    body: { kind: 'Status', code, reason, message: reason },
  };
}

function targetOf({ method, path, body }: Write): Target {
  const isStatus = path.endsWith('/status');
  const of = isStatus ? path.slice(0, -'/status'.length) : path;
  const named = method === 'POST' ? `${of}/${String(fieldsOf(fieldsOf(body)['metadata'])['name'])}` : of;
  return { path: named, plural: named.split('/').at(-2) ?? '', isStatus };
}

function refusalOf({ method, isApply, body }: Write, target: Target, current?: Stored): Written | undefined {
  if (method === 'POST') return current && refused(409, 'AlreadyExists');
  if (!current) return isApply === true && !target.isStatus ? undefined : refused(404, 'NotFound');
  const { resourceVersion: version = current.metadata['resourceVersion'] } = fieldsOf(
    fieldsOf(body)['metadata'],
  );
  return version === current.metadata['resourceVersion'] ? undefined : refused(409, 'Conflict');
}

/** The controller is the only writer of a status, so an apply of one replaces all of it. */
function nextOf({ method, body }: Write, { isStatus }: Target, current: Stored | undefined): Fields {
  if (isStatus) return { ...current, status: fieldsOf(body)['status'] };
  return method === 'PATCH' ? fieldsOf(merged(current, body)) : fieldsOf(body);
}

export function createWrittenObjects(firstVersion: number): WrittenObjects {
  const objects = new Map<string, Stored>();
  const events: { readonly version: number; readonly plural: string; readonly line: string }[] = [];
  const changes = new EventEmitter().setMaxListeners(0);
  let version = firstVersion;
  return {
    get version() {
      return version;
    },
    get: (path) => objects.get(path),
    list: (plural) =>
      [...objects]
        .filter(([path]) => path.split('/').at(-2) === plural)
        .map(([, object]) => JSON.stringify(object)),
    write: (write) => {
      const target = targetOf(write);
      const current = objects.get(target.path);
      const refusal = refusalOf(write, target, current);
      if (refusal) return refusal;
      version += 1;
      const next = nextOf(write, target, current);
      const { uid = randomUUID(), creationTimestamp = `${new Date().toISOString().slice(0, 19)}Z` } =
        current?.metadata ?? {};
      const metadata = {
        ...fieldsOf(next['metadata']),
        uid,
        creationTimestamp,
        resourceVersion: String(version),
      };
      const object = { ...next, metadata };
      objects.set(target.path, object);
      const line = `${JSON.stringify({ type: current ? 'MODIFIED' : 'ADDED', object })}\n`;
      events.push({ version, plural: target.plural, line });
      changes.emit(target.plural, line);
      return { status: current ? 200 : 201, body: object };
    },
    follow: (plural, after, onLine) => {
      for (const event of events) if (event.plural === plural && event.version > after) onLine(event.line);
      changes.on(plural, onLine);
      return { [Symbol.dispose]: () => void changes.off(plural, onLine) };
    },
  };
}
