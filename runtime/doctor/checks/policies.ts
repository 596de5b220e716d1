import { API_GROUP, GROUP_VERSION, PLURALS, ZIPPER_SERVICE_ACCOUNT } from '#crds/api-group.ts';
import type { Check, CheckContext } from '../context.ts';
import { type Finding, failure, orOk } from '../finding.ts';
import { resourceOf } from '../kinds.ts';
import { compareRecorded } from './recorded-objects.ts';

const SECRETS = { apiVersion: 'v1', plural: 'secrets' } as const;
const NAME = 'zipjobs-doctor';

/** Objects that the policies refuse to everyone. They are only sent as a dry run, which stores nothing. */
function refusedObjects(namespace: string) {
  return [
    {
      kind: { apiVersion: GROUP_VERSION, plural: PLURALS.ZipBucket },
      policy: 'bucket-identities',
      object: {
        apiVersion: GROUP_VERSION,
        kind: 'ZipBucket',
        metadata: { namespace, name: `s3-${NAME}` },
        spec: {
          service: 's3',
          bucketName: NAME,
          region: 'us-east-1',
          credentials: {
            webIdentity: {
              roleArn: 'arn:aws:iam::123456789012:role/zipjobs-doctor',
              audience: `${NAME}.${API_GROUP}`,
              stsRegion: 'us-east-1',
            },
          },
        },
      },
    },
    {
      kind: SECRETS,
      policy: 'zipper-token-secrets',
      object: {
        apiVersion: 'v1',
        kind: 'Secret',
        type: 'kubernetes.io/service-account-token',
        metadata: {
          namespace,
          name: NAME,
          annotations: { 'kubernetes.io/service-account.name': ZIPPER_SERVICE_ACCOUNT },
        },
      },
    },
  ];
}

type Probe = ReturnType<typeof refusedObjects>[number];

async function tryProbe(
  { kind, policy, object }: Probe,
  { reader, release }: CheckContext,
): Promise<Finding | undefined> {
  const name = `${release.prefix}-${policy}`;
  const refusedBy = await reader.refusingPolicy(kind, object);
  if (refusedBy === name) return undefined;
  const what =
    refusedBy === undefined
      ? `The API server accepts a ${resourceOf(kind)} object that ValidatingAdmissionPolicy ${name} must refuse`
      : `${refusedBy} refuses an object before ValidatingAdmissionPolicy ${name} can`;
  return failure(
    what,
    `See whether the policy and its binding exist, and whether the API server runs the admission plugin ValidatingAdmissionPolicy: kubectl get validatingadmissionpolicies,validatingadmissionpolicybindings ${name}`,
  );
}

/** Of the probes that the user may send; one suffices to see that the API server enforces policies. */
async function probe(context: CheckContext): Promise<readonly Finding[]> {
  const results = await Promise.allSettled(
    refusedObjects(context.release.namespace).map((one) => tryProbe(one, context)),
  );
  const tried = results.filter((one) => one.status === 'fulfilled');
  if (tried.length > 0) return tried.flatMap(({ value }) => value ?? []);
  const failed = results.find((one) => one.status === 'rejected');
  throw failed?.reason instanceof Error ? failed.reason : new Error('no policy was tried');
}

export const policies: Check = {
  name: 'policies',
  run: async (context) => {
    const compared = await compareRecorded(
      {
        kinds: ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'],
        effect: 'the API server may accept what it must refuse',
      },
      context,
    );
    return orOk(compared, 'All admission policies and their bindings are those of the release');
  },
};

export const enforcement: Check = {
  name: 'enforcement',
  run: async (context) => orOk(await probe(context), 'The API server refuses what the policies forbid'),
};
