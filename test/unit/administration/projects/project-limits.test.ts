import { expect } from 'chai';
import { limitText } from '#administration/projects/project-limits.ts';
import { toProject } from '#administration/projects/project-view.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { projectClasses } from '#test/support/builders/project-classes.ts';
import { aProject } from '#test/support/servers/api-server.ts';

const { limits: ceilings } = projectClasses({ default: { requestsPerMinute: 0 } }).of('team-a');

function view(limits: ZipProject['spec']['limits'], isReported = true) {
  return {
    ...toProject({
      ...aProject('team-a', limits && { limits }),
      ...(isReported && { status: { class: { name: 'large', limits: ceilings } } }),
    }),
  };
}

describe('the limits of a project', () => {
  it('are those of its class, or lower ones that it sets (N8)', () => {
    expect(view({ activeJobs: 20, storedJobs: 99_999, requestsPerMinute: 9 })).to.deep.include({
      class: { name: 'large', limits: ceilings },
      limits: {
        activeJobs: 20,
        filesPerJob: null,
        archiveBytes: null,
        requestsPerMinute: 9,
        createsPerSecond: null,
        filesPerSecond: null,
        storedJobs: 99_999,
        storedBytes: null,
      },
      limitsInForce: { ...ceilings, activeJobs: 20, requestsPerMinute: 9 },
    });
  });

  for (const [limits, name, text] of [
    [{}, 'activeJobs', '50'],
    [{ activeJobs: 20 }, 'activeJobs', '20 (of the class: 50)'],
    [{ activeJobs: 500 }, 'activeJobs', '50 (of the class; the project sets 500)'],
    [{ activeJobs: 50 }, 'activeJobs', '50'],
    [{}, 'requestsPerMinute', 'no limit'],
    [{ requestsPerMinute: 7 }, 'requestsPerMinute', '7 (of the class: no limit)'],
  ] as const)
    it(`show ${name} as ${text}`, () => {
      expect(limitText(view(limits), name)).to.equal(text);
    });

  it('show only what the project sets until the controller reports the class', () => {
    expect(limitText(view({ activeJobs: 20 }, false), 'activeJobs')).to.equal('20');
    expect(limitText(view({}, false), 'activeJobs')).to.equal(null);
    expect(view({}, false)).to.include({ class: null });
  });
});
