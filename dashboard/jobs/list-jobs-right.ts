import type { Question } from '../user/access.ts';

/** Everything that shows, exports or selects several jobs of a project. */
export const LIST_JOBS: readonly Question[] = [{ verb: 'list', resource: 'zipjobs' }];
