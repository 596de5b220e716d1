import { expect } from 'chai';
import { JOB_FAILURES } from '#api/openapi/job-failures.ts';
import { expandedFields } from '#api/read/expanded-fields.ts';
import { EXIT_CODES, type ExitName, FAILURE_CODES, isPermanentExit } from '#crds/exit-codes.ts';
import { aZipJob } from '#test/support/builders/objects.ts';

const EXITS: Readonly<Record<string, { readonly exit: ExitName; readonly retriableExit?: ExitName }>> =
  FAILURE_CODES;

/** `error.retriable` of a job that failed for this reason. */
function isRetriable(code: string): unknown {
  const exit = EXITS[code]?.exit;
  const failure = exit && { code, retriable: !isPermanentExit(EXIT_CODES[exit]) };
  const status = { phase: 'Failed', reason: code, ...(failure && { failure }) } as const;
  const { error } = expandedFields(aZipJob({ status }), ['error'], { helpUrl: '/docs' });
  return (error as { retriable?: unknown }).retriable;
}

describe('JOB_FAILURES', () => {
  for (const { code, retryHelps, text } of JOB_FAILURES)
    it(`say "${retryHelps}" for ${code}, as error.retriable does (Q-A7)`, () => {
      expect(isRetriable(code)).to.equal(retryHelps === 'yes');
      // The failures of this code differ.
      expect(text.includes('`error.retriable`')).to.equal(EXITS[code]?.retriableExit !== undefined);
    });
});
