import { connect } from 'node:net';

/** Sends bytes on a socket of its own and gives all that comes back until the other side closes, or until `limitMs`. */
export const rawHttp = (
  port: number,
  parts: readonly (string | Uint8Array)[],
  limitMs = 3_000,
): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const chunks: Buffer[] = [];
    const timer = setTimeout(() => {
      socket.destroy();
    }, limitMs);
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
    });
    // A reset after the answer is the other side's way to close.
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(Buffer.concat(chunks).toString());
    });
    for (const part of parts) socket.write(part);
  });
