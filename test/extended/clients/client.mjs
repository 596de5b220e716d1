// Compiled against the types that openapi-typescript generates; openapi-fetch sends the requests.
import createClient from 'openapi-fetch';

const { ZIPJOBS_URL = '', ZIPJOBS_TOKEN = '', BUCKET = '', KEY = '', SOURCE = '' } = process.env;

/** @type {import('openapi-fetch').Client<import('./zips.js').paths>} */
const client = createClient({ baseUrl: ZIPJOBS_URL, headers: { Authorization: `Bearer ${ZIPJOBS_TOKEN}` } });

/** @param {string} bucket */
const create = (bucket) =>
  client.POST('/v1/zips', {
    body: {
      urls: [{ url: SOURCE, filename: 'a.txt' }],
      bucket_name: bucket,
      key: KEY,
      metadata: { any: ['thing'] },
    },
  });

const created = await create(BUCKET);
if (created.data === undefined) throw new Error(created.error.error.message);
let zip = created.data.data;
while (zip.status === 'none' || zip.status === 'processing') {
  await new Promise((resolve) => setTimeout(resolve, 500));
  const read = await client.GET('/v1/zips/{id}', {
    params: { path: { id: zip.uuid }, query: { expand: ['archive', 'job'] } },
  });
  if (read.data === undefined) throw new Error(read.error.error.message);
  zip = read.data.data;
}
console.log(zip.status, zip.archive?.files, zip.job?.finished_at != null, JSON.stringify(zip.metadata));

const { error } = await create('missing');
const { type, code, param, message } = error?.error ?? {};
console.log(type, code, param, message !== '');
