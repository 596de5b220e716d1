// Compiled against the types that openapi-typescript generates; openapi-fetch sends the requests.
import createClient from 'openapi-fetch';

const { ZIPJOBS_URL = '', ZIPJOBS_TOKEN = '', BUCKET = '', KEY = '' } = process.env;
const { SOURCE = '', SIZE = '', CRC32 = '', OBJECT = '' } = process.env;

/** @type {import('openapi-fetch').Client<import('./zips.js').paths>} */
const client = createClient({ baseUrl: ZIPJOBS_URL, headers: { Authorization: `Bearer ${ZIPJOBS_TOKEN}` } });

/** @param {string} bucket */
const create = (bucket) =>
  client.POST('/v1/zips', {
    body: {
      urls: [
        { url: SOURCE, filename: 'a.txt', size: Number(SIZE), crc32: CRC32 },
        { url: OBJECT, filename: 'a.txt' },
      ],
      duplicate_names: 'rename',
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
    params: { path: { id: zip.uuid }, query: { expand: ['archive', 'job', 'webhook'] } },
  });
  if (read.data === undefined) throw new Error(read.error.error.message);
  zip = read.data.data;
}
console.log(zip.status, zip.archive?.files, zip.job?.finished_at != null, JSON.stringify(zip.metadata));
const [renamed] = zip.archive?.renamed ?? [];
console.log(zip.archive?.renamed_total, renamed?.file_index, renamed?.name);
console.log(zip.webhook?.endpoints[0]?.name);
const plain = await client.GET('/v1/zips/{id}', { params: { path: { id: zip.uuid } } });
console.log(Object.keys(plain.data?.data ?? {}).join(' '));

const { error } = await create('missing');
const { type, code, param, message } = error?.error ?? {};
console.log(type, code, param, message !== '');
