import type { HttpFault, RejectionBody } from '#runtime/http/limited-server.ts';

const TEXTS: Readonly<Record<HttpFault, readonly [status: number, text: string]>> = {
  'timed-out': [408, 'The request timed out before it was complete. Send it again.'],
  'headers-too-large': [431, 'The request headers are too large. Delete the cookies of this site.'],
  malformed: [400, 'The request is not valid HTTP.'],
};

/** Input that is not valid HTTP gets one line of text: there is no session yet to make a page for. */
export function rejectInput(fault: HttpFault): RejectionBody {
  const [status, text] = TEXTS[fault];
  return { status, contentType: 'text/plain; charset=utf-8', body: `${text}\n` };
}
