import { expect } from 'chai';
import { decideProject } from '#controller/zip-project/decide.ts';
import type { ProjectDecision, ProjectObservation } from '#controller/zip-project/observation.ts';
import { FINALIZER } from '#crds/api-group.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { aConfig } from '#test/support/builders/config.ts';
import { ago, aZipBucket, aZipJob, aZipProject, NOW } from '#test/support/builders/objects.ts';
import { projectClasses } from '#test/support/builders/project-classes.ts';

const webhook = { state: 'Enabled', endpoint: 'e' } as const;

function deletedProject(change: Partial<ZipProject> = {}): ZipProject {
  const project = aZipProject();
  const metadata = { ...project.metadata, finalizers: [FINALIZER], deletionTimestamp: ago(60) };
  return { ...project, metadata, status: { webhook }, ...change };
}

function judge(
  project: ZipProject,
  remainder: Partial<ProjectObservation['remainder']> = {},
  projectClass: ProjectObservation['projectClass'] = projectClasses().of('team-a'),
): ProjectDecision {
  return decideProject(
    {
      project,
      projectClass,
      children: [],
      responses: [],
      tests: new Map(),
      hasHistory: true,
      purge: undefined,
      remainder: { unfinished: [], buckets: [], isNamespaceTerminating: false, ...remainder },
    },
    NOW,
    aConfig({ projectDeletionSeconds: 300 }),
  );
}

describe('decideProject for a project that is being deleted', () => {
  it('cancels the jobs, reports what it waits for and until when, and keeps the webhook state', () => {
    const decision = judge(deletedProject(), { unfinished: [aZipJob({ metadata: { name: 'j' } })] });
    expect(decision.actions).to.deep.equal([{ kind: 'cancelJob', name: 'j' }]);
    expect(decision.requeueAfterMs).to.equal(240_000);
    expect(decision.status).to.have.nested.property('conditions[0].reason', 'ProjectDeleting');
    expect(decision.status?.webhook).to.equal(webhook);
  });

  it('writes the class of the namespace and its limits (N8)', () => {
    const large = projectClasses({ large: { activeJobs: 200 } }, { 'team-a': 'large' }).of('team-a');
    expect(judge(deletedProject(), { buckets: [aZipBucket()] }, large).status?.class).to.deep.equal({
      name: 'large',
      limits: large.limits,
    });
  });

  it('does not write the same condition twice', () => {
    const { status } = judge(deletedProject(), { buckets: [aZipBucket()] });
    const again = judge(deletedProject(status && { status }), { buckets: [aZipBucket()] });
    expect(again).to.deep.equal({ actions: [], requeueAfterMs: 240_000 });
  });

  it('removes the finalizer once when nothing remains', () => {
    expect(judge(deletedProject())).to.deep.equal({ actions: [{ kind: 'releaseFinalizer' }] });
    const { finalizers: _finalizers, ...metadata } = deletedProject().metadata;
    expect(judge(deletedProject({ metadata }))).to.deep.equal({ actions: [] });
  });

  it('returns the reason of a forced finalizer removal', () => {
    expect(judge(deletedProject(), { isNamespaceTerminating: true })).to.deep.equal({
      actions: [{ kind: 'releaseFinalizer', forced: 'NamespaceTerminating' }],
    });
  });
});
