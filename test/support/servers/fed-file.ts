import type { ServerResponse } from 'node:http';
import { crc32 } from 'node:zlib';
import { generatedBytes } from '../builders/generated-bytes.ts';
import type { OriginRoute } from './origin-request.ts';

/** A source without a length that sends its next bytes when the test says so. */
export interface FedFile {
  readonly route: OriginRoute;
  /** Sends more than the smallest part of an upload, unless the client has not read the previous bytes yet. */
  feed(): void;
  end(): void;
  /** What it sent so far. */
  readonly content: { readonly size: number; readonly crc: number };
}

const CHUNK_BYTES = 5_500_000;

/** It serves one request: an attempt that requests it again gets no response. */
export function createFedFile(): FedFile {
  const chunk = generatedBytes(CHUNK_BYTES, 1);
  let response: ServerResponse | undefined;
  let content = { size: 0, crc: 0 };
  function feed(): void {
    if (!response || response.destroyed || response.writableLength > 0) return;
    response.write(chunk);
    content = { size: content.size + chunk.length, crc: crc32(chunk, content.crc) };
  }
  return {
    route: (_request, first) => {
      if (response) return;
      response = first.writeHead(200);
      feed();
    },
    feed,
    end: () => response?.end(),
    get content() {
      return content;
    },
  };
}
