/** Networks and files of `npm run bench -- --case pipe`. */
import { same } from '../bench-case.ts';
import type { LimitedFile, Rates } from './limited-server.ts';

const MIB = 1024 * 1024;
const MB = 1_000_000;

export interface Network {
  readonly name: string;
  readonly source: Rates;
  readonly store: Rates;
}

export interface PipeFiles {
  readonly name: string;
  readonly files: readonly LimitedFile[];
}

const FREE: Rates = { connectionRate: 0, totalRate: 0 };

function each(rate: number): Rates {
  return { connectionRate: rate, totalRate: 0 };
}

function inAll(rate: number): Rates {
  return { connectionRate: 0, totalRate: rate };
}

/** For each way of counting a rate: only the source has it, only the store, and both. */
function networksOf(name: string, rates: Rates): readonly Network[] {
  return [
    { name: `source ${name}`, source: rates, store: FREE },
    { name: `store ${name}`, source: FREE, store: rates },
    { name: `both ${name}`, source: rates, store: rates },
  ];
}

/** 20 MB/s is a long distance or a throttled server, 80 MB/s a connection to S3. */
const PER_CONNECTION = [20, 80].flatMap((rate) => networksOf(`${rate} MB/s`, each(rate * MB)));
/** More connections gain nothing, so they must cost nothing. */
const IN_ALL = networksOf('80 MB/s in all', inAll(80 * MB));
/** Those of 20 MB/s: the source, the store, both. */
const SLOWEST = PER_CONNECTION.slice(0, 3);

const SLOW_RATE = MB;

/** Twenty files of which the one with this index is slow, in each response or in all of them. */
function oneSlow(slow: number, kind: 'responseRate' | 'totalRate'): readonly LimitedFile[] {
  return same(20, 32 * MIB).map((file, index) => (index === slow ? { ...file, [kind]: SLOW_RATE } : file));
}

const SLOW: readonly PipeFiles[] = [0, 9, 19].flatMap((index) => [
  { name: `20 x 32 MiB, file ${index + 1} slow`, files: oneSlow(index, 'responseRate') },
  { name: `20 x 32 MiB, file ${index + 1} slow in all`, files: oneSlow(index, 'totalRate') },
]);
/** What the twenty files are compared with. */
const SLOW_ALONE: readonly PipeFiles[] = (['responseRate', 'totalRate'] as const).map((kind) => ({
  name: `1 x 32 MiB, slow${kind === 'totalRate' ? ' in all' : ''}`,
  files: oneSlow(0, kind).slice(0, 1),
}));

const SIZES: readonly PipeFiles[] = [
  { name: '1 x 512 MiB', files: same(1, 512 * MIB) },
  { name: '4 x 128 MiB', files: same(4, 128 * MIB) },
  { name: '64 x 8 MiB', files: same(64, 8 * MIB) },
  { name: '2,000 x 50 KB', files: same(2000, 50_000) },
];
const QUICK_SIZES: readonly PipeFiles[] = [
  { name: '1 x 128 MiB', files: same(1, 128 * MIB) },
  { name: '8 x 8 MiB', files: same(8, 8 * MIB) },
];

export interface PipeCase extends PipeFiles {
  readonly network: Network;
}

function on(network: Network, all: readonly PipeFiles[]): readonly PipeCase[] {
  return all.map((one) => ({ ...one, name: `${network.name}, ${one.name}`, network }));
}

/** Each network with each set of files; the slow files only on a network whose sources are limited. */
export function pipeCases(isQuick: boolean): readonly PipeCase[] {
  if (isQuick) return SLOWEST.flatMap((network) => on(network, QUICK_SIZES));
  return [
    ...[...PER_CONNECTION, ...IN_ALL].flatMap((network) => on(network, SIZES)),
    ...SLOWEST.slice(0, 1).flatMap((network) => on(network, [...SLOW, ...SLOW_ALONE])),
  ];
}
