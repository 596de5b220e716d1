import { expect } from 'chai';
import { createProjectUids } from '#controller/history/project-uids.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { aZipProject } from '#test/support/builders/objects.ts';

const projectIn = (namespace: string, uid: string): ZipProject => {
  const project = aZipProject();
  return { ...project, metadata: { ...project.metadata, namespace, uid } };
};
const key = 'team-a/project';

describe('createProjectUids', () => {
  it('remembers the uid of a deleted project, until its namespace has another project', () => {
    const uids = createProjectUids();
    const first = projectIn('team-a', 'first');
    uids.see({ kind: 'set', key, object: first, before: undefined });
    uids.see({ kind: 'deleted', key, before: first });
    expect(uids.of('team-a')).to.equal('first');
    uids.see({ kind: 'set', key, object: projectIn('team-a', 'second'), before: undefined });
    expect(uids.of('team-a')).to.equal('second');
    expect(uids.of('team-b')).to.equal(undefined);
  });

  it('remembers a limited number of deleted projects', () => {
    const uids = createProjectUids();
    for (let n = 0; n <= 10_000; n += 1)
      uids.see({ kind: 'deleted', key: `team-${n}/project`, before: projectIn(`team-${n}`, `uid-${n}`) });
    expect([uids.of('team-0'), uids.of('team-1')]).to.deep.equal([undefined, 'uid-1']);
  });
});
