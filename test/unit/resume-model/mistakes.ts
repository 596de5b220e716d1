/** Mistakes that the model must notice, one at a time. */
export const MISTAKES = {
  'a superseded pod aborts an upload that another may continue': 'abortsWhenSuperseded',
  'an upload is aborted before `discarded` is recorded': 'abortsUnrecorded',
  'a source need not confirm its validator': 'ignoresValidators',
  'the API server accepts `committing` of any pod': 'unfencedCommitting',
  'the next pod does not inherit what its predecessor had not adopted': 'forgetsInherits',
  'an upload is continued although its Complete may have been sent': 'inheritsCommitting',
  'the store completes an upload with other parts than Complete names': 'completesAnyParts',
  // Each guard alone suffices: the record before the sweep, and that it leaves every upload that was started later.
  'a pod sweeps before its upload is recorded, also what was started later': 'sweepsUnfenced',
  'the API server lets a pod take back `committing` or `discarded`': 'unorderedStates',
} as const;
export type Mistake = (typeof MISTAKES)[keyof typeof MISTAKES];
