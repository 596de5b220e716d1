import type { Dispatcher } from 'undici';
import { KubeError } from './kube-error.ts';
import type { KubeRequest } from './kube-request.ts';

/** Reads the body of a response. @throws KubeError TooLarge, without reading the rest */
export async function readBody(
  body: Dispatcher.ResponseData['body'],
  attempt: string,
  { maxBytes, onBytes }: Pick<KubeRequest, 'maxBytes' | 'onBytes'>,
): Promise<string> {
  // Without a limit, this takes much less time than an iterator over the chunks.
  if (maxBytes === undefined && onBytes === undefined) return body.text();
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (maxBytes !== undefined && bytes > maxBytes)
      throw new KubeError(`${attempt}: the response is larger than ${maxBytes} bytes`, { code: 'TooLarge' });
    chunks.push(chunk);
  }
  onBytes?.(bytes);
  return Buffer.concat(chunks).toString('utf8');
}
