import { expect } from 'chai';
import { listCases } from '#scripts/case-list.ts';

// Assembled here, so that the generator does not read these examples as test names.
function testNamed(...ids: readonly string[]): string {
  return `it('refuses it (${ids.join(', ')})', () => {});`;
}

const EMPTY = { tests: [], records: [] };

describe('listCases', () => {
  it('lists each case with its tests and records', () => {
    const { lines, problems } = listCases({
      cases: '# Cases\n\n## D: downloads\n\n- **D1** A short body is refused.\n',
      tests: [
        { path: 'test/unit/a.test.ts', text: `${testNamed('D1')}\n${testNamed('D1')}` },
        { path: 'test/long/b.test.ts', text: testNamed('D1') },
      ],
      records: [{ path: 'docs/adr/0010-x.md', text: 'Shorter than planned (D1).' }],
    });
    expect(problems).to.deep.equal([]);
    expect(lines).to.deep.equal([
      '',
      '## D: downloads',
      '',
      'D1  A short body is refused.',
      '    test/unit/a.test.ts',
      '    test/long/b.test.ts',
      '    docs/adr/0010-x.md',
    ]);
  });

  it('reads several cases at the end of a name, and none elsewhere', () => {
    const { problems } = listCases({
      ...EMPTY,
      cases: '- **D1** One.\n- **D2** Two.\n- **H1** Three.\n',
      tests: [
        {
          path: 'test/a.test.ts',
          text: `it("works ${'(D1, D2)'} ${'(H1)'}", () => {}); check(X7); it('is ${'(X8)'} midway', f);`,
        },
      ],
    });
    expect(problems).to.deep.equal([]);
  });

  it('distinguishes Q-C1 from C1', () => {
    const { problems } = listCases({
      ...EMPTY,
      cases: '- **C1** One.\n- **Q-C1** Two.\n',
      tests: [{ path: 'test/a.test.ts', text: testNamed('C1', 'Q-C1', 'Q-C2') }],
    });
    expect(problems).to.deep.equal(['test/a.test.ts names Q-C2, which docs/cases.md does not describe']);
  });

  it('reports a test that names an unknown case', () => {
    const { problems } = listCases({
      ...EMPTY,
      cases: '',
      tests: [{ path: 'test/a.test.ts', text: testNamed('D9') }],
    });
    expect(problems).to.deep.equal(['test/a.test.ts names D9, which docs/cases.md does not describe']);
  });

  it('reports a case without a test, and a duplicate case', () => {
    const { problems } = listCases({
      ...EMPTY,
      cases: '- **D1** One.\n- **D2** Two.\n- **D2** Again.\n',
      tests: [{ path: 'test/a.test.ts', text: testNamed('D2') }],
    });
    expect(problems).to.deep.equal([
      'D1 is in docs/cases.md, but no test and no record in docs/adr names it',
      'D2 is in docs/cases.md twice',
    ]);
  });
});
