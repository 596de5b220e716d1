import type { KubeRequest, KubeResponse, KubeUser } from '#test/support/clients/kube-user.ts';
import { type ApiResource, pathOf, resourceName } from './api-resources.ts';
import { bodyOf, foreignName, isDescribed, patchOf, targetOf } from './targets.ts';

/** `denied` by a role, `allowed`, or the name of the policy that refused what the role grants. */
export type Verdict = 'denied' | 'allowed' | `policy ${string}`;

/** One request of an account. */
export interface Attempt {
  readonly resource: ApiResource;
  readonly verb: string;
  readonly namespace: string | undefined;
  /** Restricts the request to one name; otherwise it is about somebody else's object, or all objects. */
  readonly named?: string;
}

export function isRead(verb: string): boolean {
  return ['get', 'list', 'watch'].includes(verb);
}

function verdictOf({ status, message }: KubeResponse, what: string, isChecked: boolean): Verdict {
  if (status === 403 && / cannot [a-z]+ resource /.test(message)) return 'denied';
  const policy = /ValidatingAdmissionPolicy '([^']+)'/.exec(message)?.[1];
  if (policy !== undefined) return `policy ${policy.replace(/^zipjobs-/, '')}`;
  // Without an object, the API server responds before it asks the policies.
  if (status === 403 || (status === 404 && isChecked)) throw new Error(`${what}: ${status} ${message}`);
  return 'allowed';
}

/** The namespace in which no object of a name exists yet. */
export const EMPTY_NAMESPACE = 'green';

type Request = readonly [method: string, path: string, request?: KubeRequest];

interface Place {
  readonly list: string;
  /** The object, or its subresource. */
  readonly one: string;
  readonly name: string;
}

function placeOf({ resource, named }: Attempt, namespace: string | undefined): Place {
  const list = `${pathOf(resource)}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${resource.plural}`;
  const name = named ?? foreignName(resource);
  const { subresource } = resource;
  return { list, name, one: `${list}/${name}${subresource === '' ? '' : `/${subresource}`}` };
}

/** Only an apply has a name before the object exists. */
function createNamed(attempt: Attempt): Request {
  const { one, name } = placeOf(attempt, EMPTY_NAMESPACE);
  const body = bodyOf(attempt.resource, name, EMPTY_NAMESPACE);
  return ['PATCH', `${one}?dryRun=All&fieldManager=attempt`, { patch: 'apply', body }];
}

function create(attempt: Attempt, { list, one }: Place): Request {
  const { resource, namespace, named } = attempt;
  if (named !== undefined) return createNamed(attempt);
  const body = bodyOf(resource, 'attempt', namespace);
  return ['POST', `${resource.subresource === '' ? list : one}?dryRun=All`, { body }];
}

function selectorOf({ named }: Attempt): string {
  return named === undefined ? '' : `&fieldSelector=metadata.name%3D${named}`;
}

const REQUESTS: Readonly<Record<string, (attempt: Attempt, place: Place) => Request>> = {
  get: (_attempt, { one }) => ['GET', one],
  list: (attempt, { list }) => ['GET', `${list}?limit=1${selectorOf(attempt)}`],
  watch: (attempt, { list }) => ['GET', `${list}?watch=1${selectorOf(attempt)}`, { isWatch: true }],
  create,
  update: ({ resource, namespace }, { one, name }) => [
    'PUT',
    `${one}?dryRun=All`,
    { body: bodyOf(resource, name, namespace) },
  ],
  patch: ({ resource }, { one }) => ['PATCH', `${one}?dryRun=All`, { body: patchOf(resource) }],
  delete: (_attempt, { one }) => ['DELETE', `${one}?dryRun=All`],
  deletecollection: (_attempt, { list }) => ['DELETE', `${list}?dryRun=All`],
};

function requestOf(attempt: Attempt): Request {
  const request = REQUESTS[attempt.verb];
  if (!request)
    throw new Error(`the API server offers ${resourceName(attempt.resource)} with the verb ${attempt.verb}`);
  return request(attempt, placeOf(attempt, attempt.namespace));
}

/** Sends the request; writes are dry runs. */
export async function attempt(user: KubeUser, one: Attempt): Promise<Verdict> {
  const [method, path, request] = requestOf(one);
  const response = await user.request(method, path, request);
  const isChecked = !isRead(one.verb) && isDescribed(one.resource);
  return verdictOf(response, `${method} ${path}`, isChecked);
}

/** The requests for one resource and verb: about any object, and about each name that a role may be restricted to. */
export function attemptsOn(
  resource: ApiResource,
  verb: string,
  namespaces: readonly string[],
): readonly Attempt[] {
  const { named = [] } = targetOf(resource);
  return (resource.namespaced ? namespaces : [undefined]).flatMap((namespace) => [
    { resource, verb, namespace },
    ...(verb === 'deletecollection' ? [] : named.map((name) => ({ resource, verb, namespace, named: name }))),
  ]);
}
