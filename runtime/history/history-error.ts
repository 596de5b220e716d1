import pg from 'pg';
import { AppError, errorCode, isAbort, toError } from '../errors.ts';

/** SQLSTATE, or the first characters of a class of them, and what to do. Each may end without a change of our program. */
const REPAIRS: Readonly<Record<string, string>> = {
  '08': 'It is tried again.',
  '25': 'The server ended the transaction. It is tried again.',
  '25006': 'The server is a read-only replica: HISTORY_HOST must be the primary server.',
  '28': 'Check HISTORY_USER, the password in HISTORY_PASSWORD_FILE, and pg_hba.conf of the server.',
  '3D000': 'Create the database, or correct HISTORY_DATABASE.',
  '3F000': 'Run the migrations of this version.',
  '40': 'It is tried again.',
  '42501': 'Run the migrations of this version, which grant the permissions of the writer and the reader.',
  '42703': 'Run the migrations of this version.',
  '42883': 'Run the migrations of this version.',
  '42P01': 'Run the migrations of this version.',
  '53200':
    'The server lacks memory. If its log names max_locks_per_transaction, raise that: a read of the whole history locks 9 tables and indexes of each month.',
  '53': 'The server lacks resources: raise its max_connections, or give it memory or disk space.',
  '55P03': 'Another statement holds a lock for long. It is tried again.',
  '57': 'The server is stopping, or the statement took longer than its time limit. It is tried again.',
  '58': 'The server has an internal problem: see its log.',
  XX: 'The server has an internal problem: see its log.',
};

const TLS_REPAIR =
  'Check HISTORY_CA_FILE and the names in the certificate of the server, or set HISTORY_TLS=disable if the network is trusted.';
const NETWORK_REPAIR = 'Check HISTORY_HOST, HISTORY_PORT and the network policies.';
const TLS_PROBLEM = /CERT|SSL|TLS|SIGNATURE|ISSUER/i;

function repairOf(error: Error): string | undefined {
  if (error instanceof pg.DatabaseError) {
    const state = error.code ?? '';
    return REPAIRS[state] ?? REPAIRS[state.slice(0, 2)];
  }
  return TLS_PROBLEM.test(errorCode(error) ?? error.message) ? TLS_REPAIR : NETWORK_REPAIR;
}

/** PostgreSQL reports a row without a partition like a failed check, but without a name of a constraint. */
function isPartitionMissing(error: Error): boolean {
  return error instanceof pg.DatabaseError && error.code === '23514' && error.constraint === undefined;
}

/** SQLSTATE of `zipjobs.make_partitions` for a day that is too far from the clock of the server. */
function isClockDifferent(error: Error): boolean {
  return error instanceof pg.DatabaseError && error.code === 'ZJ001';
}

/** Of several addresses that refuse a connection, Node reports an error without a message. */
function messageOf(error: Error): string {
  const [first] = error instanceof AggregateError ? (error.errors as readonly unknown[]) : [];
  return first === undefined ? error.message : toError(first).message;
}

/**
 * The error for a failed statement or connection. `HistoryUnavailable`: nothing is known about the data; a retry can succeed.
 * `HistoryPartitionMissing`: a row is of a month that has no partition yet. `HistoryClockDiffers`: a row is of a day for which the clock
 * of the server allows no partition. `HistoryRefused`: the statement or a value is wrong. The error never contains values of rows.
 */
export function toHistoryError(thrown: unknown, place: string): Error {
  if (thrown instanceof AppError || isAbort(thrown)) return toError(thrown);
  const error = toError(thrown);
  if (isPartitionMissing(error))
    return new AppError(
      `History database ${place} has no partition for the month of a row. Make it, then repeat.`,
      {
        code: 'HistoryPartitionMissing',
        retryable: true,
        cause: error,
      },
    );
  if (isClockDifferent(error))
    return new AppError(
      `History database ${place} makes no partition: ${messageOf(error)}. Correct this clock, or that of the API server, which jobs have. It is tried again.`,
      { code: 'HistoryClockDiffers', retryable: true, cause: error },
    );
  const repair = repairOf(error);
  if (repair === undefined)
    return new AppError(`History database ${place} refused a statement: ${messageOf(error)}.`, {
      code: 'HistoryRefused',
      retryable: false,
      cause: error,
    });
  return new AppError(`History database ${place} is unavailable: ${messageOf(error)}. ${repair}`, {
    code: 'HistoryUnavailable',
    retryable: true,
    cause: error,
  });
}
