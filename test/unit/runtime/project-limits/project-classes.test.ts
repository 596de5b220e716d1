import { expect } from 'chai';
import { readClassLimits } from '#runtime/project-limits/class-settings.ts';
import { projectClasses } from '#test/support/builders/project-classes.ts';
import { aProject } from '#test/support/servers/api-server.ts';

const CLASSES = {
  default: { activeJobs: 20 },
  large: { activeJobs: 200, storedJobs: 50_000 },
};
const LABELS = { 'team-l': 'large', 'team-x': 'no-such-class', 'team-p': 'constructor' };

describe('createProjectClasses', () => {
  const classes = projectClasses(CLASSES, LABELS);

  it('takes the class from the label of the namespace (N8)', () => {
    expect(classes.of('team-l')).to.deep.include({ name: 'large' });
    expect(classes.of('team-l').limits).to.include({ activeJobs: 200, storedJobs: 50_000 });
  });

  it('uses the class default without a label, and for an unknown class (N8)', () => {
    const { limits } = classes.of('team-a');
    expect(limits).to.include({ activeJobs: 20, requestsPerMinute: 12_000, storedJobs: 40_000 });
    expect(classes.of('team-a')).to.deep.equal({ name: 'default', limits });
    expect(classes.of('team-x')).to.deep.equal({ name: 'default', limits, unknown: 'no-such-class' });
    expect(classes.of('team-p')).to.deep.equal({ name: 'default', limits, unknown: 'constructor' });
  });

  it('stores the jobs of an hour at 10 jobs a second by default, of up to 13 KiB each (G8)', () => {
    const hour = 10 * 3_600;
    const { storedJobs, storedBytes } = classes.of('team-a').limits;
    expect(storedJobs).to.be.at.least(hour);
    expect(storedBytes).to.be.at.least(hour * 13 * 1_024);
  });

  it('lets a project lower each limit, and raise none (N8)', () => {
    const { limits } = classes.of('team-l');
    for (const [name, ceiling] of Object.entries(limits)) {
      function set(value: number) {
        return classes.limitsOf('team-l', aProject('team-l', { limits: { [name]: value } }));
      }
      expect(set(ceiling - 1)).to.deep.equal({ ...limits, [name]: ceiling - 1 });
      expect(set(ceiling + 1)).to.deep.equal(limits);
    }
    expect(classes.limitsOf('team-l', undefined)).to.deep.equal(limits);
  });

  it('lets a project set a request limit where its class has none', () => {
    const unlimited = projectClasses({ default: { requestsPerMinute: 0 } });
    const project = aProject('team-a', { limits: { requestsPerMinute: 7 } });
    expect(unlimited.limitsOf('team-a', project).requestsPerMinute).to.equal(7);
    expect(unlimited.limitsOf('team-a', aProject('team-a')).requestsPerMinute).to.equal(0);
    const rates = projectClasses({ default: { createsPerSecond: 0, filesPerSecond: 0 } });
    const lowered = aProject('team-a', { limits: { createsPerSecond: 3, filesPerSecond: 50 } });
    expect(rates.limitsOf('team-a', lowered)).to.include({ createsPerSecond: 3, filesPerSecond: 50 });
  });
});

describe('closedBy', () => {
  const classes = projectClasses(
    { default: { closedOptions: ['sha256'] }, large: {}, open: { closedOptions: [] } },
    { 'team-l': 'large', 'team-o': 'open', 'team-x': 'no-such-class' },
  );

  it('says that the class of the project closes an option; a class without a list closes what the default does (C3)', () => {
    for (const team of ['team-a', 'team-l', 'team-x'])
      expect(classes.closedBy(aProject(team), 'sha256'), team).to.equal('operator');
    expect(classes.closedBy(aProject('team-o'), 'sha256')).to.equal(undefined);
    expect(classes.closedBy(aProject('team-a'), 'compression')).to.equal(undefined);
  });

  it('says that the project closes an option, and lets no project open one (C3)', () => {
    const callerOptions = { closed: ['compression'] } as const;
    expect(classes.closedBy(aProject('team-o', { callerOptions }), 'compression')).to.equal('project');
    expect(classes.closedBy(aProject('team-a', { callerOptions: { closed: [] } }), 'sha256')).to.equal(
      'operator',
    );
  });
});

describe('readClassLimits', () => {
  it('gives a class the limits of the class default where it sets none', () => {
    const { byName } = readClassLimits(JSON.stringify(CLASSES));
    expect(byName.get('large')).to.deep.equal({
      requestsPerMinute: 12_000,
      createsPerSecond: 10,
      filesPerSecond: 2_000,
      activeJobs: 200,
      filesPerJob: 10_000,
      archiveBytes: 161_061_273_600,
      storedJobs: 50_000,
      storedBytes: 536_870_912,
    });
  });

  for (const [text, message] of [
    ['{', 'not valid JSON'],
    ['[]', 'must be a JSON object'],
    ['{"a b":{}}', '"a b" is not a valid class name'],
    ['{"a":5}', 'class a must be an object'],
    ['{"a":{"speed":5}}', 'unknown limit speed'],
    ['{"a":{"toString":5}}', 'unknown limit toString'],
    ['{"a":{"storedJobs":0}}', 'storedJobs of class a must be an integer of at least 1'],
    ['{"a":{"archiveBytes":5497558138881}}', 'archiveBytes of class a is above 5497558138880'],
    ['{"a":{"activeJobs":"5"}}', 'activeJobs of class a must be an integer'],
    ['{"a":{"closedOptions":"sha256"}}', 'closedOptions of class a must be a list'],
    ['{"a":{"closedOptions":["speed"]}}', 'closes an unknown option "speed"'],
    ['{"a":{"storedBytes":1.5}}', 'storedBytes of class a must be an integer'],
    [JSON.stringify(Object.fromEntries(Array.from({ length: 65 }, (_, n) => [`c${n}`, {}]))), 'at most 64'],
  ] as const)
    it(`refuses ${text.slice(0, 40)}`, () => {
      expect(() => readClassLimits(text)).to.throw('PROJECT_CLASSES_JSON');
      expect(() => readClassLimits(text)).to.throw(message);
    });
});
