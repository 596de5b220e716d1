import { API_GROUP } from '#crds/api-group.ts';
import { defined } from '#runtime/collections/optional.ts';
import type { KubeClient } from '#runtime/kube/client/client.ts';
import { isRecord } from '#runtime/kube/client/decode.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';

const VERSION = 'authorization.k8s.io/v1';
const PATH = `/apis/${VERSION}/selfsubjectaccessreviews`;

/** An operation to check. */
export interface Question {
  readonly verb: 'get' | 'list' | 'create' | 'update' | 'patch' | 'delete' | 'read-sources';
  /** Plural, such as `zipjobs`. */
  readonly resource: string;
  /** Group of the resource; defaults to ours; `''` for the core group. */
  readonly group?: string;
  readonly subresource?: string;
  readonly name?: string;
}

export interface Verdict {
  readonly allowed: boolean;
  /** Why it is denied, as a sentence for the user; empty when allowed. */
  readonly reason: string;
}

function sentence(namespace: string, { verb, resource, subresource, name }: Question): string {
  const what = subresource === undefined ? resource : `${resource}/${subresource}`;
  const where = namespace === '' ? 'in the entire cluster' : `in ${namespace}`;
  return `Your Kubernetes account is not allowed to ${verb} ${what}${name === undefined ? '' : ` "${name}"`} ${where}.`;
}

/**
 * Asks the API server, with the token of the user, whether the user may do something in a namespace (`''`: in all of them).
 * @throws KubeError, with code Unauthorized when the token is no longer valid
 */
export async function askAccess(kube: KubeClient, namespace: string, question: Question): Promise<Verdict> {
  const { verb, resource, group = API_GROUP, subresource, name } = question;
  const resourceAttributes = {
    ...(namespace === '' ? {} : { namespace }),
    verb,
    group,
    resource,
    ...defined({ subresource, name }),
  };
  const response = await kube.request({
    method: 'POST',
    path: PATH,
    body: { apiVersion: VERSION, kind: 'SelfSubjectAccessReview', spec: { resourceAttributes } },
  });
  const status = isRecord(response) ? response['status'] : undefined;
  if (!isRecord(status))
    throw new KubeError('no status', { attempt: `POST ${PATH}`, code: 'InvalidResponse' });
  const allowed = status['allowed'] === true;
  return { allowed, reason: allowed ? '' : sentence(namespace, question) };
}
