import type { HistoryDatabase, Statement } from '#runtime/history/database.ts';

interface Plan {
  readonly 'Planning Time': number;
  readonly 'Execution Time': number;
}

/** What the statements of one call cost on the server. */
export interface ServerTimes {
  readonly ms: number;
  readonly statements: number;
}

export interface MeasuredDatabase {
  readonly database: Pick<HistoryDatabase, 'query'>;
  /** Times since the last call of this function. */
  take(): ServerTimes;
  /** The last statement with its plan, as EXPLAIN (ANALYZE, BUFFERS) prints it. */
  lastPlan(): Promise<string>;
}

/**
 * Runs every statement twice: for its rows, and with EXPLAIN (ANALYZE) for the time that the server needs to plan and run it. The
 * first run leaves its pages in memory for the second.
 */
export function measureServer(database: Pick<HistoryDatabase, 'query'>): MeasuredDatabase {
  let times: ServerTimes = { ms: 0, statements: 0 };
  let last: Statement | undefined;
  async function explain({ text, values = [] }: Statement, options: string): Promise<unknown[]> {
    const rows = await database.query<Record<string, unknown>>({
      text: `EXPLAIN (${options}) ${text}`,
      values,
    });
    return rows.map((row) => row['QUERY PLAN']);
  }
  return {
    database: {
      query: async <Row>(statement: Statement) => {
        const rows = await database.query<Row>(statement);
        const [plans] = await explain(statement, 'ANALYZE, TIMING OFF, FORMAT JSON');
        const [plan] = plans as readonly Plan[];
        const ms = (plan?.['Planning Time'] ?? 0) + (plan?.['Execution Time'] ?? 0);
        times = { ms: times.ms + ms, statements: times.statements + 1 };
        last = statement;
        return rows;
      },
    },
    take: () => {
      const taken = times;
      times = { ms: 0, statements: 0 };
      return taken;
    },
    lastPlan: async () =>
      last === undefined
        ? ''
        : `${last.text.trim()}\n\n${(await explain(last, 'ANALYZE, BUFFERS')).join('\n')}\n`,
  };
}
