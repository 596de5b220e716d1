import type { Bucket } from '#administration/buckets/bucket-view.ts';
import type { Route } from '../http/page.ts';
import { FORMAT } from '../ui/format.ts';
import { paged } from '../ui/paged.ts';
import { reasonAgainst } from '../user/reason-against.ts';
import { providerOf } from './bucket-fields.ts';
import { BUCKETS_PATH, bucketHref } from './bucket-paths.ts';
import { BUCKET_RIGHTS } from './bucket-rights.ts';
import { newBucketHref } from './new-bucket.ts';

function rowOf(namespace: string) {
  return (bucket: Bucket) => ({
    bucket,
    provider: providerOf(bucket),
    href: bucketHref(namespace, bucket),
  });
}

/** The buckets of a project. */
export function createBucketsPage(): readonly Route[] {
  return [
    {
      method: 'GET',
      path: BUCKETS_PATH,
      needs: BUCKET_RIGHTS.list,
      handle: async (request) => {
        const { namespace } = request;
        const [buckets, reason] = await Promise.all([
          request.user.administration.buckets(request.namespace).list(),
          reasonAgainst(request, BUCKET_RIGHTS.add),
        ]);
        const add = { href: newBucketHref(namespace), reason };
        const path = FORMAT.path('projects', namespace, 'buckets');
        const { rows, paging } = paged(buckets, path, request.query);
        const data = { namespace, rows: rows.map(rowOf(namespace)), paging, add };
        return { kind: 'page', view: '/buckets/buckets', title: 'Buckets', section: 'buckets', data };
      },
    },
  ];
}
