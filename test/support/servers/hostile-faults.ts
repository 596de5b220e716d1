import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { type Response, xmlError } from './memory-objects.ts';

/** The ways in which one request to the hostile store fails. */
export type Fault =
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly code: string;
      readonly headers?: Readonly<Record<string, string>>;
      /** Default: an S3 error with the code. */
      readonly body?: string;
    }
  /** 200, this number of white-space characters one by one, then an error in the body. */
  | { readonly kind: 'okError'; readonly code: string; readonly spaces?: number }
  /** 200 and endless white space until the promise resolves. */
  | { readonly kind: 'okSpaces'; readonly until: Promise<void> }
  /** The connection closes without a response, before or after the request took effect. */
  | { readonly kind: 'drop'; readonly when: 'before' | 'after' }
  /** One bit of the part is flipped, without an error. */
  | { readonly kind: 'corrupt' }
  /** No response until the promise resolves. */
  | { readonly kind: 'hold'; readonly until: Promise<void> }
  /** The connection closes without a response, and the request takes effect when the promise resolves. */
  | { readonly kind: 'late'; readonly until: Promise<void> }
  /** No byte of the body is read until the promise resolves. */
  | { readonly kind: 'deaf'; readonly until: Promise<void> }
  /** The body is read at this rate. */
  | { readonly kind: 'slow'; readonly bytesPerSecond: number }
  /** An abort that succeeds, although a part in flight kept the upload alive. */
  | { readonly kind: 'raced' };

const SPACE_MS = 5;

/** The body, read at the rate of the fault. */
export async function readBody(request: IncomingMessage, fault: Fault | undefined): Promise<Buffer> {
  if (fault?.kind === 'deaf') await fault.until;
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    const bytes = chunk as Buffer;
    chunks.push(bytes);
    if (fault?.kind === 'slow') await delay((bytes.length / fault.bytesPerSecond) * 1000);
  }
  return Buffer.concat(chunks);
}

async function spaces(response: ServerResponse, count: number): Promise<void> {
  for (let sent = 0; sent < count && !response.destroyed; sent += 1) {
    response.write(' ');
    await delay(SPACE_MS);
  }
}

type OkFault = Extract<Fault, { kind: 'okError' | 'okSpaces' }>;

/** Sends 200 at once, and this body later. */
async function respondSlowly(fault: OkFault, response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/xml' });
  if (fault.kind === 'okError') {
    await spaces(response, fault.spaces ?? 0);
    response.end(xmlError(fault.code));
    return;
  }
  await Promise.race([spaces(response, Number.POSITIVE_INFINITY), fault.until, once(response, 'close')]);
  response.destroy();
}

function isOk(fault: Fault | undefined): fault is OkFault {
  return fault?.kind === 'okError' || fault?.kind === 'okSpaces';
}

function replyOf({ status, headers, code, body = xmlError(code) }: Extract<Fault, { kind: 'response' }>) {
  return {
    status,
    headers: { ...headers },
    body,
  };
}

async function untilDue(fault: Fault | undefined, response: ServerResponse): Promise<void> {
  if (fault?.kind === 'late') response.socket?.destroy();
  if (fault?.kind === 'hold' || fault?.kind === 'late') await fault.until;
}

/** Responds instead of the store, without any effect; false when the request is to be executed. */
export async function respondInstead(fault: Fault | undefined, response: ServerResponse): Promise<boolean> {
  await untilDue(fault, response);
  if (fault?.kind === 'response') {
    sendResponse(response, replyOf(fault));
    return true;
  }
  if (isOk(fault)) {
    await respondSlowly(fault, response);
    return true;
  }
  if (fault?.kind !== 'drop' || fault.when === 'after') return false;
  response.socket?.destroy();
  return true;
}

export function sendResponse(response: ServerResponse, reply: Response): void {
  if (response.destroyed) return;
  response.writeHead(reply.status, { 'content-type': 'application/xml', ...reply.headers });
  response.end(reply.body);
}
