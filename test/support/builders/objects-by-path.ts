import { isRecord } from '#runtime/kube/client/decode.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import type { KubeRequest } from '#runtime/kube/client/kube-request.ts';
import { type KubeObject, objectKey } from '#runtime/kube/types.ts';

/**
 * The objects of an API server by path, for tests of clients with a user's token: no schema and no admission,
 * and only field selectors that compare strings.
 */
export interface ObjectsByPath {
  respond(request: KubeRequest): unknown;
  /** Stores it under its path, such as `/api/v1/namespaces/a/secrets`. */
  put(collection: string, object: KubeObject): void;
  /** Returns the object at this path, or undefined. */
  get(path: string): Readonly<Record<string, unknown>> | undefined;
  /** Every later call for which the predicate is true fails with the error. */
  fail(error: Error, when: (request: KubeRequest) => boolean): void;
}

/** The target after a JSON merge patch. */
export function merged(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const result: Record<string, unknown> = isRecord(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch))
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  return result;
}

function fieldOf(object: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), object);
}

function isSelected(object: unknown, selector: string): boolean {
  return selector
    .split(',')
    .filter((term) => term !== '')
    .every((term) => {
      const [, path = '', operator, wanted] = /^([^!=]+)(!?=)(.*)$/.exec(term) ?? [];
      const value = fieldOf(object, path) ?? '';
      return (typeof value === 'string' && value === wanted) === (operator === '=');
    });
}

function refusal(code: 'NotFound' | 'AlreadyExists', { method, path }: KubeRequest): KubeError {
  return new KubeError(code, {
    attempt: `${method} ${path}`,
    code,
    httpStatus: code === 'NotFound' ? 404 : 409,
  });
}

/** The path of an object is one segment longer than that of its collection: the name. */
function isCollection(path: string): boolean {
  return /\/namespaces\/[^/]+\/[^/]+$/.test(path);
}

function nameOf(body: unknown): string {
  return String(fieldOf(body, 'metadata.name'));
}

export function createObjectsByPath(): ObjectsByPath {
  const objects = new Map<string, Readonly<Record<string, unknown>>>();
  let failure: { readonly error: Error; readonly when: (request: KubeRequest) => boolean } | undefined;
  function keep(path: string, value: unknown): unknown {
    const given: Record<string, unknown> = isRecord(value) ? { ...value } : {};
    const object = merged({ metadata: { uid: `uid of ${path}` } }, given);
    if (isRecord(object)) objects.set(path, object);
    return object;
  }
  function existing(request: KubeRequest): Readonly<Record<string, unknown>> {
    const object = objects.get(request.path);
    if (object === undefined) throw refusal('NotFound', request);
    return object;
  }
  function list({ path, query }: KubeRequest): unknown {
    const selector = String(query?.['fieldSelector'] ?? '');
    const items = [...objects]
      .filter(([key, object]) => key.startsWith(`${path}/`) && isSelected(object, selector))
      .map(([, object]) => object);
    return { metadata: { resourceVersion: '1' }, items };
  }
  const verbs: Readonly<Record<KubeRequest['method'], (request: KubeRequest) => unknown>> = {
    GET: (request) => (isCollection(request.path) ? list(request) : existing(request)),
    POST: (request) => {
      const path = `${request.path}/${nameOf(request.body)}`;
      if (objects.has(path)) throw refusal('AlreadyExists', request);
      return keep(path, request.body);
    },
    PUT: (request) => keep(request.path, request.body),
    PATCH: (request) => keep(request.path, merged(existing(request), request.body)),
    DELETE: (request) => {
      existing(request);
      objects.delete(request.path);
      return {};
    },
  };
  return {
    respond: (request) => {
      if (failure?.when(request) === true) throw failure.error;
      return verbs[request.method](request);
    },
    put: (collection, object) => {
      keep(`${collection}/${objectKey(object).split('/').at(-1) ?? ''}`, object);
    },
    get: (path) => objects.get(path),
    fail: (error, when) => {
      failure = { error, when };
    },
  };
}
