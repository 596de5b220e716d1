import type { ListedFile } from '#crds/zip-job.ts';
import { createEgressPolicy, type EgressPolicyOptions } from '#runtime/egress/egress-policy.ts';
import { createGuardedAgent, type GuardedAgentOptions } from '#runtime/egress/guarded-agent.ts';
import { createLogger } from '#runtime/log/log.ts';
import { ZIPPER_DEFAULTS } from '#zipper-image/config.ts';
import { createSourceReader } from '#zipper-image/sources/prefetch.ts';
import type { SourceSettings } from '#zipper-image/sources/settings.ts';
import { SourceError } from '#zipper-image/sources/source-error.ts';
import type { SourceEntry, SourceReaderDeps } from '#zipper-image/sources/types.ts';
import type { SourceStores } from '#zipper-image/store/source-stores.ts';

export type Reader = ReturnType<typeof createSourceReader>;

export interface HarnessOptions {
  readonly settings?: Partial<SourceSettings>;
  readonly policy?: Partial<EgressPolicyOptions>;
  readonly agent?: Partial<GuardedAgentOptions>;
  readonly signal?: AbortSignal;
  readonly reportFailures?: boolean;
  readonly sequential?: boolean;
  readonly continued?: SourceReaderDeps['continued'];
  /** Headers of every file. */
  readonly headers?: Readonly<Record<string, string>>;
  /** More of each file, by its index. */
  readonly files?: readonly Partial<ListedFile>[];
  readonly onUnreachable?: (cause: unknown) => void;
  /** Turns files in buckets into requests. */
  readonly locate?: SourceStores['locate'];
  /** Lines of the operator's log. */
  readonly onLog?: (line: string) => void;
}

/** Delays of milliseconds, so that tests of limits are quick. */
const QUICK: Partial<SourceSettings> = { sourceRetryBaseMs: 1, sourceRetryMaxMs: 5 };

/** A reader of the URLs with its own agent that allows loopback; both are disposed of afterwards. */
export async function withReader<T>(
  urls: readonly string[],
  use: (reader: Reader) => Promise<T>,
  options: HarnessOptions = {},
): Promise<T> {
  const policy = createEgressPolicy({ allowCidrs: ['127.0.0.1/32'], denyCidrs: [], ...options.policy });
  const settings = { ...ZIPPER_DEFAULTS, ...QUICK, ...options.settings };
  const agent = createGuardedAgent(policy, {
    connections: settings.sourcePerHostConnections,
    connectTimeoutMs: settings.sourceConnectTimeoutMs,
    ...options.agent,
  });
  const destination = { write: (line: string) => options.onLog?.(line) };
  const files = urls.map((url, index) => ({
    url,
    filename: `file-${index}`,
    ...(options.headers && { headers: options.headers }),
    ...options.files?.[index],
  }));
  const reader = createSourceReader({
    files: options.locate?.(files) ?? files,
    agent,
    policy,
    settings,
    log: createLogger('test', { level: 'info', destination }),
    signal: options.signal ?? new AbortController().signal,
    reportFailures: options.reportFailures ?? false,
    sequential: options.sequential ?? false,
    ...(options.continued && { continued: options.continued }),
    ...(options.onUnreachable && { onUnreachable: options.onUnreachable }),
  });
  try {
    return await use(reader);
  } finally {
    await reader[Symbol.asyncDispose]();
    await agent.destroy();
  }
}

export async function bodyOf(entry: SourceEntry): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of entry.body) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

/** Every entry with its complete body. */
export async function readAll(reader: Reader): Promise<(SourceEntry & { readonly bytes: Buffer })[]> {
  const entries: (SourceEntry & { readonly bytes: Buffer })[] = [];
  for await (const entry of reader.entries()) entries.push({ ...entry, bytes: await bodyOf(entry) });
  return entries;
}

/** The SourceError that the read rejects with. */
export async function failureOf(reading: Promise<unknown>): Promise<SourceError> {
  const error = await reading.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof SourceError)) throw new Error('a SourceError was expected', { cause: error });
  return error;
}

/** The failure of one URL, without retries unless the settings say otherwise. */
export function failureAt(url: string, options: HarnessOptions = {}): Promise<SourceError> {
  return failureOf(
    withReader([url], readAll, { ...options, settings: { sourceRetryLimitMs: 0, ...options.settings } }),
  );
}
