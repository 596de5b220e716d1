import { GROUP_VERSION } from '#crds/api-group.ts';
import type { Manifest } from '#tools/local-cluster/cluster-types.ts';

/** A bucket with webIdentity instead of keys. */
function keyless(place: { readonly service: string; readonly [field: string]: string }, change: object = {}) {
  return {
    apiVersion: GROUP_VERSION,
    kind: 'ZipBucket',
    metadata: { name: `${place.service}-keyless` },
    spec: {
      ...place,
      bucketName: 'keyless',
      credentials: {
        webIdentity: {
          roleArn: 'arn:aws:iam::123456789012:role/zips',
          audience: 'sts.amazonaws.com',
          stsRegion: 'eu-west-1',
          ...change,
        },
      },
    },
  };
}

/** Buckets without keys that the API server refuses: why, the object, and a part of the message. */
export const REFUSED_ROLES: readonly [string, Manifest, string][] = [
  ...(
    [
      [
        'whose audience is one of the API server',
        { audience: 'https://kubernetes.default.svc' },
        'of the API server',
      ],
      ['whose audience is one of the API server in short', { audience: 'kubernetes' }, 'of the API server'],
      ['without the region of its token service', { stsRegion: undefined }, 'stsRegion is required'],
      ['whose token service has a path', { stsEndpoint: 'https://sts.example.com/x' }, 'stsEndpoint'],
      [
        'whose sessions are shorter than any token service permits',
        { durationSeconds: 60 },
        'durationSeconds',
      ],
      ['whose role is not an ARN', { roleArn: 'admin' }, 'roleArn'],
      ['whose audience the operator does not allow', {}, 'store.webIdentity.audiences'],
    ] as const
  ).map(([which, change, message]): [string, Manifest, string] => [
    `a bucket without keys ${which} (X21)`,
    keyless({ service: 's3', region: 'eu-west-1' }, change),
    message,
  ]),
  [
    'an r2 bucket without keys (X21)',
    keyless({ service: 'r2', host: 'a.r2.cloudflarestorage.com', accountId: 'a' }),
    'R2 has no token service',
  ],
];
