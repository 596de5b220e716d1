import { isRecord } from '#runtime/kube/client/decode.ts';
import { redactUrl } from '#runtime/log/redact.ts';
import { MASK, maskValue } from './mask-text.ts';

type Fields = Readonly<Record<string, unknown>>;

function recordAt(value: unknown, name: string): Fields {
  const member = isRecord(value) ? value[name] : undefined;
  return isRecord(member) ? member : {};
}

function removed(value: unknown): string {
  return `[removed: ${typeof value === 'string' ? value.length : JSON.stringify(value ?? '').length} characters]`;
}

/** Receivers such as chat systems authenticate callers by the path, so only the host is kept. */
function maskEndpoint(endpoint: Fields): Fields {
  if (endpoint['url'] === undefined) return endpoint;
  const url = URL.parse(typeof endpoint['url'] === 'string' ? endpoint['url'] : '');
  return { ...endpoint, url: url ? `${url.protocol}//${url.host}/${MASK}` : MASK };
}

function maskWebhook(webhook: Fields): Fields {
  const { endpoints } = webhook;
  return {
    ...maskEndpoint(webhook),
    ...(Array.isArray(endpoints) && {
      endpoints: endpoints.map((one) => (isRecord(one) ? maskEndpoint(one) : MASK)),
    }),
  };
}

function maskFile(file: unknown): unknown {
  if (!isRecord(file)) return MASK;
  const { url, headers, ...rest } = file;
  return {
    ...rest,
    url: typeof url === 'string' ? redactUrl(url) : MASK,
    ...(isRecord(headers) && {
      headers: Object.fromEntries(Object.keys(headers).map((name) => [name, MASK])),
    }),
  };
}

/** Support does not need a caller's metadata, and the hash of a token would allow guessing it. */
function maskSpec(kind: unknown, spec: Fields): Fields {
  return {
    ...spec,
    ...(Array.isArray(spec['files']) && { files: spec['files'].map(maskFile) }),
    ...(isRecord(spec['webhook']) && { webhook: maskWebhook(spec['webhook']) }),
    ...(kind === 'ZipJob' && spec['metadata'] !== undefined && { metadata: removed(spec['metadata']) }),
    ...(kind === 'ZipToken' && { sha256: MASK }),
  };
}

function isRemoved(annotation: string): boolean {
  return annotation.endsWith('last-applied-configuration');
}

function maskMetadata(metadata: Fields): Fields {
  const { managedFields: _managedFields, annotations, ...rest } = metadata;
  if (!isRecord(annotations)) return rest;
  const kept = Object.entries(annotations).filter(([name]) => !isRemoved(name));
  return kept.length === 0 ? rest : { ...rest, annotations: Object.fromEntries(kept) };
}

/** An object of the API server without anything that must not leave the cluster. */
export function maskObject(object: unknown): unknown {
  if (!isRecord(object)) return maskValue(object);
  const { kind, spec, binaryData } = object;
  return maskValue({
    ...object,
    metadata: maskMetadata(recordAt(object, 'metadata')),
    ...(isRecord(spec) && { spec: maskSpec(kind, spec) }),
    ...(binaryData !== undefined && { binaryData: removed(binaryData) }),
  });
}
