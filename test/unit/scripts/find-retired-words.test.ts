import { expect } from 'chai';
import { findRetiredWords } from '#scripts/find-retired-words.ts';

function wordsIn(path: string, text: string): readonly string[] {
  return findRetiredWords(path, text).map(({ line, word }) => `${line} ${word}`);
}

describe('findRetiredWords', () => {
  it('finds a word in an identifier', () => {
    const source = 'const a = 1;\nexport const takeCharge = (settledJobs: number) => settledJobs;';
    expect(wordsIn('api/a.ts', source)).to.deep.equal(['2 take charge', '2 settled', '2 settled']);
  });

  it('finds a word in a property, a private member and a type', () => {
    const source = 'interface RivalJob { lastWord: string }\nclass A { #patience = 1; }';
    expect(wordsIn('api/a.ts', source)).to.deep.equal(['1 rival', '1 last word', '2 patience']);
  });

  it('finds a word in a string and reports its replacement', () => {
    expect(findRetiredWords('cli/a.ts', "\n\nprint('The last attempt was settled.');")).to.deep.equal([
      {
        path: 'cli/a.ts',
        line: 3,
        word: 'settled',
        instead: "'recover' for an attempt, 'acknowledge' or 'finish' for a delivery or a counter",
      },
    ]);
  });

  it('finds a word in a template, on its own line', () => {
    expect(wordsIn('cli/a.ts', 'print(`${name}\nstands in\nthe queue`);')).to.deep.equal(['2 stands in']);
  });

  it('finds a word in markup, YAML and Markdown, also across a line break', () => {
    expect(wordsIn('dashboard/a.eta', '<p>Shown this once</p>')).to.deep.equal(['1 this once']);
    expect(wordsIn('charts/zipjobs/a.yaml', 'a: 1\n# Ask whoever\n')).to.deep.equal(['2 whoever']);
    expect(wordsIn('docs/a.md', 'A job waits in\nturn.')).to.deep.equal(['1 in turn']);
    expect(wordsIn('charts/zipjobs/a.yaml', '# The job goes\n  # on later.')).to.deep.equal(['1 goes on']);
    expect(wordsIn('docs/a.md', '| identity | may | may not |')).to.deep.equal([
      '1 | may |',
      '1 | may not |',
    ]);
  });

  it('finds a word in a path', () => {
    expect(wordsIn('controller/last-word.ts', '')).to.deep.equal(['1 last word']);
  });

  it('ignores comments of TypeScript and Go', () => {
    expect(wordsIn('api/a.ts', '// The patience of a person.\nconst a = 1;')).to.deep.equal([]);
    expect(wordsIn('tools/a.go', '// The patience of a person.\nanswer := 1')).to.deep.equal(['2 answer']);
  });

  it('checks identifiers and names of tests, but no other strings of a test', () => {
    const source = [
      "describe('a rival', () => {",
      "  it.skip(`is told ${'anew'}`, () => send('whoever'));",
      '  const seized = 1;',
      '});',
    ].join('\n');
    expect(wordsIn('test/a.test.ts', source)).to.deep.equal(['1 rival', '2 told', '2 anew', '3 seized']);
  });

  const allowed = {
    'a library name': 'await Promise.allSettled(all); new PassThrough(); pipe(aPassThrough);',
    'a verb': "print('Pass one with --kubeconfig. All checks pass. Each passes the policy.');",
    'a look-up': "print('Look up the name. One look-up failed. It looks like a token.');",
    'a line': "print('The last line. Error in line 3. Use the command line.');",
    'to tell apart': "print('Callers cannot tell why. Tell old and new tokens apart.');",
    DNS: "print('The DNS answers name private addresses.');",
    'data in one pass': "print('The archive is written in one pass.');",
    'text that begins': "print('A name that begins with a dot.'); begin();",
    'a permission in a sentence': "print('The API may create Secrets.');",
    memory: 'budget.charge(slot, 1);',
  };
  for (const [what, source] of Object.entries(allowed))
    it(`allows ${what}`, () => {
      expect(wordsIn('api/a.ts', source)).to.deep.equal([]);
    });
});
