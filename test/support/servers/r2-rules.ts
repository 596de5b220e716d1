/**
 * The rules of Cloudflare R2 that other S3 servers do not have, for a proxy in front of one. Sources: R2's pages "S3 API compatibility",
 * "Upload objects" and "Error codes".
 */
import type { FaultAction } from '#tools/local-cluster/fault-proxy.ts';
import type { ProxiedRequest } from '#tools/local-cluster/proxied-request.ts';

export interface R2Rules {
  /** Whether it refuses to be asked for CRC-32, as R2 did until 2025. */
  refusesChecksums: boolean;
  /** The response of R2 to a request that it refuses. */
  readonly judge: (request: ProxiedRequest) => FaultAction | undefined;
  /** Codes and messages of the refusals so far. */
  readonly refusals: readonly string[];
  /** Sizes of the parts of each completed upload, in order. */
  readonly completed: readonly (readonly number[])[];
  /** The headers with which parts were verified. */
  readonly checksums: readonly string[];
  /** Forgets what was seen, and does not refuse checksums. */
  reset(): void;
}

interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

const LEAST_PART_BYTES = 5 * 1024 * 1024;

const NOT_IMPLEMENTED =
  /^x-amz-(acl|grant-.*|tagging.*|server-side-encryption(?!-customer).*|object-lock-.*|website-.*|checksum-type|request-payer|expected-bucket-owner|mfa)$/;
/** Headers with which a store can verify a part. */
const PART_CHECKSUMS = ['content-md5', 'x-amz-checksum-crc32'];
const CHECKSUM = 'x-amz-checksum-algorithm';
const STORAGE_CLASSES = ['STANDARD', 'STANDARD_IA'];
const SUBRESOURCES = ['acl', 'tagging', 'legal-hold', 'retention', 'torrent', 'policy', 'versioning'];

function notImplemented(what: string): Refusal {
  return {
    status: 501,
    code: 'NotImplemented',
    message: `${what} not implemented`,
  };
}

function refusedHeader(headers: ProxiedRequest['headers']): Refusal | undefined {
  const refused = Object.entries(headers).find(
    ([name, value]) =>
      NOT_IMPLEMENTED.test(name) ||
      (name === 'x-amz-storage-class' && !STORAGE_CLASSES.includes(String(value))),
  );
  return refused && notImplemented(`Header '${refused[0]}' with value '${String(refused[1])}'`);
}

/** The refusal of Complete for these parts. */
function refusedParts(sizes: readonly number[]): Refusal | undefined {
  const [first = 0] = sizes;
  const others = sizes.slice(0, -1);
  const last = sizes.at(-1) ?? 0;
  if (others.some((bytes) => bytes < LEAST_PART_BYTES))
    return {
      status: 400,
      code: 'EntityTooSmall',
      message: 'Your proposed upload is smaller than the minimum allowed object size.',
    };
  if (others.some((bytes) => bytes !== first) || last > first)
    return {
      status: 400,
      code: 'InvalidPart',
      message: 'All non-trailing parts must have the same length.',
    };
  return undefined;
}

function toAction({ status, code, message }: Refusal): FaultAction {
  return {
    kind: 'response',
    status,
    body: `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`,
  };
}

export function createR2Rules(): R2Rules {
  const uploads = new Map<string, Map<number, number>>();
  const refusals: string[] = [];
  const completed: (readonly number[])[] = [];
  const checksums = new Set<string>();

  function refusalOfUpload({ method, body, headers }: ProxiedRequest, query: URLSearchParams) {
    const parts = uploads.get(query.get('uploadId') ?? '') ?? new Map<number, number>();
    if (method === 'PUT') {
      if (headers['content-length'] === undefined)
        return {
          status: 411,
          code: 'MissingContentLength',
          message: 'The Content-Length header is missing.',
        };
      uploads.set(query.get('uploadId') ?? '', parts.set(Number(query.get('partNumber')), body.length));
      for (const name of PART_CHECKSUMS) if (name in headers) checksums.add(name);
    }
    if (method !== 'POST') return undefined;
    const numbers = [...body.toString().matchAll(/<PartNumber>(\d+)</g)].map((match) => Number(match[1]));
    const sizes = numbers.map((number) => parts.get(number) ?? 0);
    const refusal = refusedParts(sizes);
    if (refusal === undefined) completed.push(sizes);
    return refusal;
  }
  function refusalOf(request: ProxiedRequest): Refusal | undefined {
    const { searchParams: query } = new URL(request.path, 'http://store');
    const subresource = SUBRESOURCES.find((name) => query.has(name));
    if (subresource !== undefined) return notImplemented(`Subresource '${subresource}'`);
    return (
      refusedHeader(request.headers) ?? (query.has('uploadId') ? refusalOfUpload(request, query) : undefined)
    );
  }
  const rules: R2Rules = {
    refusesChecksums: false,
    refusals,
    completed,
    get checksums() {
      return [...checksums];
    },
    reset: () => {
      rules.refusesChecksums = false;
      refusals.length = 0;
      completed.length = 0;
      checksums.clear();
    },
    judge: (request) => {
      const isRefused = rules.refusesChecksums && CHECKSUM in request.headers;
      const refusal = isRefused
        ? notImplemented(`Header '${CHECKSUM}' with value 'CRC32'`)
        : refusalOf(request);
      if (refusal === undefined) return undefined;
      refusals.push(`${refusal.code}: ${refusal.message}`);
      return toAction(refusal);
    },
  };
  return rules;
}
