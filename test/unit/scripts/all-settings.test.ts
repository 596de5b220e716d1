import { expect } from 'chai';
import type { Setting } from '#runtime/config/config.ts';
import { countSettings } from '#scripts/all-settings.ts';
import { PROGRAMS } from '#scripts/sync-values.ts';

/** More would be promises that nobody can keep together. */
const MOST_SETTINGS = 150;
const MOST_UNSUPPORTED = 32;
/** A reason is a symptom, or what the operator wants, and what to do about it. */
const REASON = /^(?:raise|lower|set|change|lengthen) .+ (?:when|for) ./;

function named(what: (setting: Setting) => boolean): readonly string[] {
  return Object.entries(PROGRAMS).flatMap(([program, settings]) =>
    Object.values(settings)
      .filter(what)
      .map(({ env }) => `${program}: ${env}`),
  );
}

describe('the settings of all programs', () => {
  it('each have the symptom that is a reason to change it, unless no operator can change it', () => {
    expect(
      named(({ changeWhen, setBy }) => (setBy === undefined) !== REASON.test(changeWhen ?? '')),
    ).to.deep.equal([]);
  });

  it(`are at most ${MOST_SETTINGS}, with the keys of JSON settings`, () => {
    const { settings, unsupported } = countSettings();
    expect(settings).to.include('PROJECT_CLASSES_JSON.storedJobs');
    expect(settings.size).to.be.at.most(MOST_SETTINGS);
    expect(unsupported.size).to.be.at.most(MOST_UNSUPPORTED);
    expect([...unsupported].filter((name) => settings.has(name))).to.deep.equal([]);
  });
});
