/**
 * CRC-32 of zip and S3, of bytes that continue those with this CRC-32. That of node:zlib is compiled without the instructions for it,
 * and needs six times as much CPU time (docs/performance.md).
 */
export { crc32 } from '@node-rs/crc32';
