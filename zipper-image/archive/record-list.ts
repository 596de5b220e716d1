/** Many small records in a few large blocks, so that the directory of 70,000 entries is only a few objects. */
export interface RecordList {
  readonly size: number;
  readonly count: number;
  append(record: Buffer): void;
  /** The appended bytes, in order. */
  blocks(): readonly Buffer[];
}

const BLOCK_BYTES = 64 * 1024;

export function createRecordList(): RecordList {
  const full: Buffer[] = [];
  let block = Buffer.alloc(0);
  let used = 0;
  let size = 0;
  let count = 0;
  return {
    get size() {
      return size;
    },
    get count() {
      return count;
    },
    append: (record) => {
      if (used + record.length > block.length) {
        if (used > 0) full.push(block.subarray(0, used));
        block = Buffer.allocUnsafeSlow(Math.max(BLOCK_BYTES, record.length));
        used = 0;
      }
      record.copy(block, used);
      used += record.length;
      size += record.length;
      count += 1;
    },
    blocks: () => (used > 0 ? [...full, block.subarray(0, used)] : full),
  };
}
