/**
 * Node's `http`. An import of `node:http` reads all its exports, also those that load Node's own copy of undici: 40 ms
 * of CPU for each start.
 */
export const http = process.getBuiltinModule('node:http');
