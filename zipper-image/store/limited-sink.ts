import type { ArchiveSink } from '../byte-sink.ts';

/** Asks before each of the next bytes. `assertFits` throws if there can be no more. */
export function limitedSink(sink: ArchiveSink, assertFits: (more: number) => void): ArchiveSink {
  return {
    write: (chunk) => {
      assertFits(chunk.length);
      return sink.write(chunk);
    },
    reserve: async (most) => {
      assertFits(most);
      return sink.reserve(most);
    },
    get nextPart() {
      return sink.nextPart;
    },
    leastPartBytes: sink.leastPartBytes,
    keptAhead: () => sink.keptAhead(),
    freshAhead: () => sink.freshAhead(),
    skip: (bytes) => {
      assertFits(bytes);
      sink.skip(bytes);
    },
    rewrite: async (chunk) => {
      assertFits(chunk.length);
      return sink.rewrite(chunk);
    },
    fail: (error) => sink.fail(error),
  };
}
