import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { type Response, xmlError } from './memory-objects.ts';

/** How one request to the hostile store goes wrong. */
export type Fault =
  | {
      readonly kind: 'response';
      readonly status: number;
      readonly code: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** 200, so many white-space characters one by one, then an error in the body. */
  | { readonly kind: 'okError'; readonly code: string; readonly spaces?: number }
  /** 200 and white space that never ends, until the promise resolves. */
  | { readonly kind: 'okSpaces'; readonly until: Promise<void> }
  /** The connection ends without an answer, before or after the request did its work. */
  | { readonly kind: 'drop'; readonly when: 'before' | 'after' }
  /** A bit of the part is flipped, and nobody says so. */
  | { readonly kind: 'corrupt' }
  /** No answer comes until the promise resolves. */
  | { readonly kind: 'hold'; readonly until: Promise<void> }
  /** Not a byte of the body is read until the promise resolves. */
  | { readonly kind: 'deaf'; readonly until: Promise<void> }
  /** The body is read at this rate. */
  | { readonly kind: 'slow'; readonly bytesPerSecond: number }
  /** An abort that is answered well, but a part on its way kept the upload alive. */
  | { readonly kind: 'raced' };

const SPACE_MS = 5;

/** The body, however slowly the fault lets it in. */
export const readBody = async (request: IncomingMessage, fault: Fault | undefined): Promise<Buffer> => {
  if (fault?.kind === 'deaf') await fault.until;
  const chunks: Buffer[] = [];
  for await (const chunk of request) {
    const bytes = chunk as Buffer;
    chunks.push(bytes);
    if (fault?.kind === 'slow') await delay((bytes.length / fault.bytesPerSecond) * 1000);
  }
  return Buffer.concat(chunks);
};

const spaces = async (response: ServerResponse, count: number): Promise<void> => {
  for (let sent = 0; sent < count && !response.destroyed; sent += 1) {
    response.write(' ');
    await delay(SPACE_MS);
  }
};

type OkFault = Extract<Fault, { kind: 'okError' | 'okSpaces' }>;

/** 200 at once, and what comes after it. */
const respondSlowly = async (fault: OkFault, response: ServerResponse): Promise<void> => {
  response.writeHead(200, { 'content-type': 'application/xml' });
  if (fault.kind === 'okError') {
    await spaces(response, fault.spaces ?? 0);
    response.end(xmlError(fault.code));
    return;
  }
  await Promise.race([spaces(response, Number.POSITIVE_INFINITY), fault.until, once(response, 'close')]);
  response.destroy();
};

const isOk = (fault: Fault | undefined): fault is OkFault =>
  fault?.kind === 'okError' || fault?.kind === 'okSpaces';

/** Answers instead of the store, without doing anything; false when the request is to be carried out. */
export const respondInstead = async (
  fault: Fault | undefined,
  response: ServerResponse,
): Promise<boolean> => {
  if (fault?.kind === 'hold') await fault.until;
  if (fault?.kind === 'response') {
    sendResponse(response, {
      status: fault.status,
      headers: { ...fault.headers },
      body: xmlError(fault.code),
    });
    return true;
  }
  if (isOk(fault)) {
    await respondSlowly(fault, response);
    return true;
  }
  if (fault?.kind !== 'drop' || fault.when === 'after') return false;
  response.socket?.destroy();
  return true;
};

export const sendResponse = (response: ServerResponse, reply: Response): void => {
  if (response.destroyed) return;
  response.writeHead(reply.status, { 'content-type': 'application/xml', ...reply.headers });
  response.end(reply.body);
};
