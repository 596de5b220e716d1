import type { BucketRef } from '#administration/buckets/bucket-input.ts';
import { AdministrationError } from '#administration/errors/administration-error.ts';
import type { GoTo, PageRequest } from '../http/page.ts';
import { bucketHref } from './bucket-paths.ts';

/** Starts a test of a bucket whose change was saved, and redirects to the page that shows its result. */
export async function goToTest(request: PageRequest, ref: BucketRef, saved: string): Promise<GoTo> {
  const { namespace, user } = request;
  const to = bucketHref(namespace, ref);
  try {
    await user.administration.buckets(namespace).beginTest(ref);
    return { kind: 'go', to, flash: { kind: 'done', text: `${saved} The test has started.` } };
  } catch (error) {
    if (!(error instanceof AdministrationError)) throw error;
    const text = `${saved} The test could not be started: ${error.message}`;
    return { kind: 'go', to, flash: { kind: 'failed', text } };
  }
}
