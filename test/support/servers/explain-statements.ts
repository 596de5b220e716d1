import type { HistoryDatabase } from '#runtime/history/database.ts';

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Actual Loops': number;
  readonly Plans?: readonly PlanNode[];
}

/** What the server reads for one statement. */
export interface ExplainedStatement {
  readonly text: string;
  /** Partitions that were read, with a name like `jobs_202611`, each once, in their order. */
  readonly partitions: readonly string[];
  /** How they are read, such as `Index Scan`. */
  readonly scans: ReadonlySet<string>;
  /** The columns with a hash of their indexes, or else the names, such as `pkey`. */
  readonly indexes: ReadonlySet<string>;
}

export interface ExplainedDatabase {
  readonly database: Pick<HistoryDatabase, 'query'>;
  readonly plans: readonly ExplainedStatement[];
}

const PARTITION = /_\d{6}$/;

function indexOf(node: PlanNode): string {
  const hashed = /\|\| (\w+)/.exec(node['Index Cond'] ?? '')?.[1];
  return hashed ?? (node['Index Name'] ?? '').replace(/^.*_\d{6}_/, '');
}

function nodesOf(node: PlanNode): readonly PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

/**
 * Explains each statement before it runs. Without sequential scans, because the tables of a test are so small that they would be
 * faster than any index.
 */
export function explainStatements(
  database: Pick<HistoryDatabase, 'query' | 'transaction'>,
): ExplainedDatabase {
  const plans: ExplainedStatement[] = [];
  return {
    plans,
    database: {
      query: async <Row>({ text, values = [] }: Parameters<HistoryDatabase['query']>[0]) => {
        const [row] = await database.transaction(async (client) => {
          await client.query({ text: 'SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off' });
          return await client.query<{ readonly 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>({
            text: `EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${text}`,
            values,
          });
        });
        const nodes = (row?.['QUERY PLAN'] ?? []).flatMap(({ Plan }) => nodesOf(Plan));
        const read = nodes.filter(
          (node) => PARTITION.test(node['Relation Name'] ?? '') && node['Actual Loops'] > 0,
        );
        plans.push({
          text,
          partitions: [...new Set(read.map((node) => node['Relation Name'] ?? ''))].toSorted(),
          scans: new Set(read.map((node) => node['Node Type'])),
          indexes: new Set(read.map(indexOf)),
        });
        return await database.query<Row>({ text, values });
      },
    },
  };
}
