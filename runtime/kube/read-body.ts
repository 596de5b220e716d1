import type { Readable } from 'node:stream';
import { KubeError } from './kube-error.ts';
import type { KubeRequest } from './kube-request.ts';

/** Reads the body of a response. @throws KubeError TooLarge, without reading the rest */
export const readBody = async (
  body: Readable,
  attempt: string,
  { maxBytes = Infinity, onBytes }: Pick<KubeRequest, 'maxBytes' | 'onBytes'>,
): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes)
      throw new KubeError(`${attempt}: the response is larger than ${maxBytes} bytes`, { code: 'TooLarge' });
    chunks.push(chunk);
  }
  onBytes?.(bytes);
  return Buffer.concat(chunks).toString('utf8');
};
