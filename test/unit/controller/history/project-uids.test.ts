import { expect } from 'chai';
import { createProjectUids, type ProjectUids } from '#controller/history/project-uids.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { aZipProject } from '#test/support/builders/objects.ts';

function projectIn(namespace: string, uid: string): ZipProject {
  const project = aZipProject();
  return { ...project, metadata: { ...project.metadata, namespace, uid } };
}

const key = 'team-a/project';

describe('createProjectUids', () => {
  function uidsOf(uids: ProjectUids, namespace: string): readonly string[] {
    return uids.of(namespace).map(({ uid }) => uid);
  }

  it('remembers the uid of a deleted project, and returns the newest project of a namespace first', () => {
    const uids = createProjectUids();
    const [first, second] = [projectIn('team-a', 'first'), projectIn('team-a', 'second')];
    uids.see({ kind: 'set', key, object: first, before: undefined });
    uids.see({ kind: 'set', key, object: first, before: first });
    uids.see({ kind: 'deleted', key, before: first });
    expect(uidsOf(uids, 'team-a')).to.deep.equal(['first']);
    uids.see({ kind: 'set', key, object: second, before: undefined });
    expect(uidsOf(uids, 'team-a')).to.deep.equal(['second', 'first']);
    expect(uidsOf(uids, 'team-b')).to.deep.equal([]);
  });

  it('remembers a limited number of deleted projects, and every existing one', () => {
    const uids = createProjectUids();
    function remove(n: number): void {
      uids.see({
        kind: 'deleted',
        key: `team-${n}/project`,
        before: projectIn(`team-${n}`, `uid-${n}`),
      });
    }
    remove(0);
    // The watch missed that this one was deleted.
    const [first, second] = [projectIn('team-a', 'first'), projectIn('team-a', 'second')];
    uids.see({ kind: 'set', key, object: first, before: undefined });
    uids.see({ kind: 'set', key, object: second, before: first });
    for (let n = 1; n <= 9_999; n += 1) remove(n);
    expect([uidsOf(uids, 'team-0'), uidsOf(uids, 'team-a')]).to.deep.equal([[], ['second', 'first']]);
    remove(10_000);
    expect([uidsOf(uids, 'team-1'), uidsOf(uids, 'team-a')]).to.deep.equal([['uid-1'], ['second']]);
  });
});
