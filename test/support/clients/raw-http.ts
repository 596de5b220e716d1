import { connect } from 'node:net';

/**
 * Sends bytes on a new socket and returns everything received until the other side closes, or until
 * `limitMs`.
 */
export function rawHttp(
  port: number,
  parts: readonly (string | Uint8Array)[],
  limitMs = 3_000,
): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const chunks: Buffer[] = [];
    const timer = setTimeout(() => {
      socket.destroy();
    }, limitMs);
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
    });
    // The other side may close with a reset after the response.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(Buffer.concat(chunks).toString());
    });
    for (const part of parts) socket.write(part);
  });
}
