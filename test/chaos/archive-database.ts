/** The history database of a chaos cluster: it can be away, and says what it has. */
import type { HistoryInstallation } from '#test/support/worlds/history-installation.ts';

/** `crash`: connections are refused. `freeze`: they stay open without responses. */
export type Absence = 'crash' | 'freeze';

export interface ArchivedRow {
  /** ID of the job in the API. */
  readonly id: string;
  readonly phase: string;
  readonly reason: string;
}

export interface ArchiveDatabase {
  leave(how: Absence): Promise<void>;
  return(how: Absence): Promise<void>;
  /** The stored jobs of a namespace. */
  rows(namespace: string): Promise<readonly ArchivedRow[]>;
  /** The number of jobs of a namespace in the statistics. */
  counted(namespace: string): Promise<number>;
}

export function createArchiveDatabase({
  server,
  openAs,
}: Pick<HistoryInstallation, 'server' | 'openAs'>): ArchiveDatabase {
  return {
    leave: async (how) => {
      if (how === 'freeze') server.freeze();
      else await server.kill();
    },
    return: async (how) => {
      if (how === 'freeze') server.thaw();
      else await server.start();
    },
    rows: async (namespace) => {
      await using reader = await openAs('reader');
      const text = 'SELECT id, phase, reason FROM zipjobs.jobs WHERE namespace = $1';
      return (await reader.query<ArchivedRow>(text, [namespace])).rows;
    },
    counted: async (namespace) => {
      await using reader = await openAs('reader');
      const text = `SELECT coalesce(sum(jobs), 0)::integer AS jobs FROM zipjobs.usage_hours
      WHERE project_uid IN (SELECT project_uid FROM zipjobs.projects WHERE namespace = $1)`;
      return (await reader.query<{ jobs: number }>(text, [namespace])).rows[0]?.jobs ?? 0;
    },
  };
}
