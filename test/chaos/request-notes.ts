/** The notes that a history keeps of the body of a request. */
import type { ProxiedRequest } from '#tools/local-cluster/proxied-request.ts';

type Notes = Readonly<Record<string, string>>;

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inner, name) =>
      typeof inner === 'object' && inner !== null
        ? Object.fromEntries(Object.entries(inner))[name]
        : undefined,
    value,
  );
}

function onlyTexts(values: Readonly<Record<string, unknown>>): Notes {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : [])),
  );
}

/** A CompleteMultipartUpload. */
export function isComplete({ method, path }: Pick<ProxiedRequest, 'method' | 'path'>): boolean {
  return method === 'POST' && path.includes('uploadId=');
}

const RESUME_EVENTS: readonly unknown[] = ['Resumed', 'ResumeRefused'];

/** Only of events about uploads that outlive their pods. */
function noteEvent(object: unknown): Notes {
  const reason = at(object, 'reason');
  if (!RESUME_EVENTS.includes(reason)) return {};
  return onlyTexts({ event: reason, text: at(object, 'message') ?? at(object, 'note') });
}

/** Why the condition `Recovered` is as it is. */
function recoveredReason(object: unknown): unknown {
  const conditions = at(object, 'status', 'conditions');
  if (!Array.isArray(conditions)) return undefined;
  return at(
    conditions.find((one) => at(one, 'type') === 'Recovered'),
    'reason',
  );
}

export function noteKubernetes({ method, path, body }: ProxiedRequest): Notes {
  if (method === 'GET') return {};
  const object = parse(body);
  if (method === 'POST' && /\/jobs(\?|$)/.test(path))
    return onlyTexts({ job: at(object, 'metadata', 'name') });
  if (/\/events(\/|\?|$)/.test(path)) return noteEvent(object);
  if (!path.includes('/zipjobs/')) return {};
  return onlyTexts({
    phase: at(object, 'status', 'phase'),
    reason: at(object, 'status', 'reason'),
    upload: at(object, 'status', 'upload', 'state'),
    uploadId: at(object, 'status', 'upload', 'uploadId'),
    inherits: at(object, 'status', 'inherits', 'uploadId'),
    recovered: recoveredReason(object),
    podUid: at(object, 'status', 'job', 'podUid'),
    webhook: at(object, 'status', 'webhook', 'state'),
    result: at(object, 'status', 'result', 'etag'),
    failure: at(object, 'status', 'failure', 'code'),
  });
}

export function noteWebhook({ headers, body }: ProxiedRequest): Notes {
  const event = parse(body);
  return onlyTexts({
    webhookId: headers['webhook-id'],
    zipId: at(event, 'zip_id'),
    status: at(event, 'status'),
    type: at(event, 'type'),
  });
}
