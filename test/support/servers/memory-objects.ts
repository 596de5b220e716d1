import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

export interface StoredObject {
  readonly body: Buffer;
  readonly metadata: Readonly<Record<string, string>>;
  readonly etag: string;
}

export interface Upload {
  readonly key: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly parts: Map<number, StoredPart>;
  /** Defaults to the current time. */
  initiated: Date;
  initiator: string;
}

interface StoredPart {
  readonly body: Buffer;
  readonly etag: string;
  /** Base64, when the part was sent with one. */
  readonly crc32: string | undefined;
}

interface PartSent {
  readonly number: number | undefined;
  readonly body: Buffer;
  /** Content-MD5. */
  readonly md5: string | string[] | undefined;
  /** x-amz-checksum-crc32; an empty one is not compared. */
  readonly crc32?: string | string[] | undefined;
}

function crcOf(body: Buffer): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(body));
  return bytes;
}

function md5(body: Buffer): Buffer {
  return createHash('md5').update(body).digest();
}

export class S3Fault extends Error {
  readonly status: number;
  readonly code: string;
  constructor(status: number, code: string) {
    super(code);
    this.status = status;
    this.code = code;
  }
}

export interface Response {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

export function xmlError(code: string): string {
  return `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code} by the hostile store</Message></Error>`;
}

export interface BucketState {
  readonly objects: Map<string, StoredObject>;
  readonly uploads: Map<string, Upload>;
}

export interface ListedPage {
  readonly prefix: string;
  /** The page starts after this upload ID. */
  readonly after: string;
  readonly mostUploads: number;
}

interface HowToComplete {
  readonly ifNoneMatch: boolean;
  readonly comparesParts: boolean;
}

interface PageOfParts {
  /** The page starts after this part. */
  readonly after: number;
  readonly mostParts: number;
}

/** An upload that a Complete has taken: it is hidden, and its object does not show yet. */
export interface TakenUpload {
  readonly response: Response;
  readonly show: () => void;
}

/** The part that an element of a Complete names by number and, if they are compared, ETag and the CRC-32 that it was sent with. */
function partListed(upload: Upload, element: string, comparesParts: boolean): StoredPart {
  const part = upload.parts.get(Number(/<PartNumber>(\d+)</.exec(element)?.[1]));
  const etag = /<ETag>(?:&quot;|")?([^<&"]*)/.exec(element)?.[1];
  if (!part) throw new S3Fault(400, 'InvalidPart');
  if (!comparesParts) return part;
  if (part.etag.replaceAll('"', '') !== etag) throw new S3Fault(400, 'InvalidPart');
  const crc = /<ChecksumCRC32>([^<]*)</.exec(element)?.[1];
  if (crc !== part.crc32) throw new S3Fault(400, crc === undefined ? 'InvalidRequest' : 'InvalidPart');
  return part;
}

/** The behaviour of an S3 bucket with multipart uploads, in memory. */
export class MemoryObjects implements BucketState {
  readonly objects: Map<string, StoredObject>;
  readonly uploads: Map<string, Upload>;
  #ids = 0;

  constructor(state: BucketState = { objects: new Map(), uploads: new Map() }) {
    this.objects = state.objects;
    this.uploads = state.uploads;
  }

  create(key: string, metadata: Record<string, string>): Response {
    this.#ids += 1;
    const id = `upload-${this.#ids}`;
    this.uploads.set(id, { key, metadata, parts: new Map(), initiated: new Date(), initiator: 'us' });
    return {
      status: 200,
      body: `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
    };
  }

  upload(id: string): Upload {
    const upload = this.uploads.get(id);
    if (!upload) throw new S3Fault(404, 'NoSuchUpload');
    return upload;
  }

  part(id: string, sent: PartSent): Response {
    const { number = 0, body } = sent;
    const upload = this.upload(id);
    const sum = md5(body);
    if (sent.md5 !== undefined && sent.md5 !== sum.toString('base64')) throw new S3Fault(400, 'BadDigest');
    const etag = `"${sum.toString('hex')}"`;
    const crc = sent.crc32 === undefined ? undefined : crcOf(body).toString('base64');
    if (sent.crc32 && sent.crc32 !== crc) throw new S3Fault(400, 'BadDigest');
    upload.parts.set(number, { body, etag, crc32: crc });
    return { status: 200, headers: { etag, ...(crc !== undefined && { 'x-amz-checksum-crc32': crc }) } };
  }

  abort(id: string): Response {
    this.upload(id);
    this.uploads.delete(id);
    return { status: 204 };
  }

  complete(id: string, listed: string, how: HowToComplete): Response {
    const { response, show } = this.take(id, listed, how);
    show();
    return response;
  }

  /** The first of two steps of a Complete, after which the upload is gone. */
  take(id: string, listed: string, { ifNoneMatch, comparesParts }: HowToComplete): TakenUpload {
    const upload = this.upload(id);
    const parts = [...listed.matchAll(/<Part>(.*?)<\/Part>/gs)].map(([, one = '']) =>
      partListed(upload, one, comparesParts),
    );
    const first = parts[0]?.body.length ?? 0;
    const isEven = parts.every(
      ({ body }, index) => body.length === first || (index === parts.length - 1 && body.length < first),
    );
    if (!isEven) throw new S3Fault(400, 'InvalidPart');
    if (ifNoneMatch && this.objects.has(upload.key)) throw new S3Fault(412, 'PreconditionFailed');
    const sums = Buffer.concat(parts.map(({ etag }) => Buffer.from(etag.replaceAll('"', ''), 'hex')));
    const etag = `"${md5(sums).toString('hex')}-${parts.length}"`;
    this.uploads.delete(id);
    const object = {
      body: Buffer.concat(parts.map(({ body }) => body)),
      metadata: upload.metadata,
      etag,
    };
    const crcs = parts.map((part) => Buffer.from(part.crc32 ?? '', 'base64'));
    const crc = parts.every((part) => part.crc32 !== undefined)
      ? `<ChecksumCRC32>${crcOf(Buffer.concat(crcs)).toString('base64')}-${parts.length}</ChecksumCRC32>`
      : '';
    const body = `<CompleteMultipartUploadResult><ETag>${etag}</ETag>${crc}</CompleteMultipartUploadResult>`;
    return { response: { status: 200, body }, show: () => this.objects.set(upload.key, object) };
  }

  /**
   * The Complete of an upload that no longer exists, like versitygw: success with the ETag that follows from the request, if any
   * object is at the key.
   */
  completeAgain(key: string, listed: string): Response {
    if (!this.objects.has(key)) throw new S3Fault(404, 'NoSuchUpload');
    const sums = [...listed.matchAll(/<ETag>(?:&quot;|")?([0-9a-f]{32})/g)].map(([, sum = '']) =>
      Buffer.from(sum, 'hex'),
    );
    const etag = `"${md5(Buffer.concat(sums)).toString('hex')}-${sums.length}"`;
    return {
      status: 200,
      body: `<CompleteMultipartUploadResult><ETag>${etag}</ETag></CompleteMultipartUploadResult>`,
    };
  }

  head(key: string): Response {
    const object = this.objects.get(key);
    if (!object) throw new S3Fault(404, 'NotFound');
    const metadata: Record<string, string> = {};
    for (const [name, value] of Object.entries(object.metadata)) metadata[`x-amz-meta-${name}`] = value;
    return {
      status: 200,
      headers: {
        etag: object.etag,
        'content-length': String(object.body.length),
        ...metadata,
      },
    };
  }

  listParts(id: string, { after, mostParts }: PageOfParts): Response {
    const all = [...this.upload(id).parts].sort(([a], [b]) => a - b);
    const rest = all.filter(([number]) => number > after);
    const page = rest.slice(0, mostParts);
    const parts = page.map(
      ([number, { body, etag, crc32: crc }]) =>
        `<Part><PartNumber>${number}</PartNumber><ETag>${etag}</ETag><Size>${body.length}</Size>` +
        `${crc === undefined ? '' : `<ChecksumCRC32>${crc}</ChecksumCRC32>`}</Part>`,
    );
    const next =
      page.length < rest.length
        ? `<IsTruncated>true</IsTruncated><NextPartNumberMarker>${page.at(-1)?.[0] ?? after}</NextPartNumberMarker>`
        : '<IsTruncated>false</IsTruncated>';
    return {
      status: 200,
      body: `<ListPartsResult><UploadId>${id}</UploadId>${next}${parts.join('')}</ListPartsResult>`,
    };
  }

  listUploads({ prefix, after, mostUploads }: ListedPage): Response {
    const all = [...this.uploads].filter(([, { key }]) => key.startsWith(prefix));
    const rest = all.slice(all.findIndex(([id]) => id === after) + 1);
    const page = rest.slice(0, mostUploads);
    const uploads = page.map(
      ([id, { key, initiated, initiator }]) =>
        `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiator><ID>${initiator}</ID></Initiator>` +
        `<Initiated>${initiated.toISOString()}</Initiated></Upload>`,
    );
    const last = page.at(-1);
    const next =
      last && page.length < rest.length
        ? `<IsTruncated>true</IsTruncated><NextKeyMarker>${last[1].key}</NextKeyMarker>` +
          `<NextUploadIdMarker>${last[0]}</NextUploadIdMarker>`
        : '<IsTruncated>false</IsTruncated>';
    return {
      status: 200,
      body: `<ListMultipartUploadsResult>${next}${uploads.join('')}</ListMultipartUploadsResult>`,
    };
  }
}
