import { subscribe } from 'node:diagnostics_channel';
import { errorCode } from '#runtime/errors.ts';
import { errors } from '#runtime/http/undici.ts';
import { SourceFaultError } from './source-error.ts';

const LENGTH_MISMATCH = 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH';

/** What undici says with the code of a lost connection. */
const SOCKET_REASONS: Readonly<Record<string, string>> = {
  'bad response': 'Unexpected 100 Continue',
  'bad upgrade': 'Unexpected 101 Switching Protocols',
};

/** One of the fixed texts of the parser, which contain nothing of the response. */
const PARSER_REASON = /\(([^()]+)\)$/;
/** The connection closed before the body ended. */
const INCOMPLETE = 'Invalid EOF state';

function parserReason({ message }: Error): string | undefined {
  const reason = PARSER_REASON.exec(message)?.[1] ?? 'Unknown';
  return reason === INCOMPLETE ? undefined : reason;
}

function reasonOf(error: Error, hasHead: boolean): string | undefined {
  if (error instanceof errors.HTTPParserError) return parserReason(error);
  // Replaces the reason of the parser if the head contains a Content-Length. After the head, the body is incomplete.
  if (errorCode(error) === LENGTH_MISMATCH && !hasHead) return 'Invalid header in or after Content-Length';
  return error instanceof errors.SocketError ? SOCKET_REASONS[error.message] : undefined;
}

export interface ReceivedResponse {
  /** Another request was sent on the connection before. */
  readonly isReused: boolean;
  readonly hasHead: boolean;
  /** Bytes of the body. */
  readonly received: number;
}

/**
 * Why an error of undici means that the response is not HTTP; undefined for any other error. A server that sends such a response will
 * send it again. Only what is left of a previous response, and a body that was damaged on the way, can go away.
 */
export function invalidHttp(error: Error, response: ReceivedResponse): SourceFaultError | undefined {
  const { isReused, hasHead, received } = response;
  const reason = reasonOf(error, hasHead);
  if (reason === undefined) return undefined;
  return new SourceFaultError({
    code: 'SourceInvalid',
    text: `the response is not valid HTTP: ${reason}`,
    retryable: hasHead ? received > 0 : isReused,
    ...(hasHead && { voidsReceived: true }),
    cause: error,
  });
}

/**
 * undici counts blanks behind the digits of Content-Length as digits, and reports a mismatch at the end of the body, which its parser
 * found correctly.
 */
export function isMiscountedEnd(error: Error, declared: unknown, received: number): boolean {
  return (
    errorCode(error) === LENGTH_MISMATCH && typeof declared === 'string' && Number(declared) === received
  );
}

interface Sender {
  isReused: boolean;
}

const usedSockets = new WeakSet();
let sender: Sender | undefined;

/** Call it when undici starts a request: sets `isReused` of the sender if its connection has carried a request before. */
export function watchConnection(next: Sender): void {
  sender = next;
}

// Only this channel has the socket of a request. undici publishes in the same call in which it starts the request.
subscribe('undici:client:sendHeaders', (message) => {
  const { socket } = message as { readonly socket: object };
  if (sender) sender.isReused = usedSockets.has(socket);
  sender = undefined;
  usedSockets.add(socket);
});
