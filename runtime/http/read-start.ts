/** The start of a body as text: the pieces that fit into `maxBytes`. The rest is not read. */
export async function readStart(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > maxBytes) break;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}
