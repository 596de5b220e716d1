import { expect } from 'chai';
import { createUserClient } from '#administration/changes/user-client.ts';
import { type AdministrationError, hasCode } from '#administration/errors/administration-error.ts';
import { changeSettings, toSettings } from '#administration/projects/project-settings.ts';
import { PROJECT_NAME } from '#crds/api-group.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { KubeError } from '#runtime/kube/client/kube-error.ts';
import type { KubeRequest } from '#runtime/kube/client/kube-request.ts';
import { RESOURCES } from '#runtime/kube/resources.ts';
import { aProject } from '#test/support/servers/api-server.ts';

const NAMESPACE = 'team-a';

/** A client of an API server with one project. `reply` may change the project or fail before a patch is sent. */
function clientOf(
  project: () => ZipProject,
  reply: (request: KubeRequest) => void = () => undefined,
): { client: ReturnType<typeof createUserClient<ZipProject>>; patches: unknown[] } {
  const patches: unknown[] = [];
  const client = createUserClient(
    {
      server: 'https://kubernetes.test',
      request: (request) => {
        if (request.method === 'PATCH') {
          patches.push(request.body);
          reply(request);
        }
        return Promise.resolve(project());
      },
      stream: () => Promise.reject(new Error('no stream')),
      [Symbol.asyncDispose]: () => Promise.resolve(),
    },
    RESOURCES.zipProjects,
  );
  return { client, patches };
}

function withVersion(spec: ZipProject['spec'], resourceVersion = '7'): ZipProject {
  const project = aProject(NAMESPACE, spec);
  return { ...project, metadata: { ...project.metadata, resourceVersion } };
}

async function failure(promise: Promise<unknown>): Promise<AdministrationError> {
  try {
    await promise;
  } catch (error) {
    return error as AdministrationError;
  }
  return expect.fail('did not fail');
}

describe('changeSettings', () => {
  const limits = { activeJobs: 5, filesPerJob: 9 };

  it('replaces one part, and names the version of the object that it read', async () => {
    const project = withVersion({ displayName: 'A', limits });
    const { client, patches } = clientOf(() => project);
    const version = toSettings(project).versions.limits;
    await changeSettings(client, NAMESPACE, { part: 'limits', value: { activeJobs: 3 }, version });
    expect(patches).to.deep.equal([
      { metadata: { resourceVersion: '7' }, spec: { limits: { activeJobs: 3, filesPerJob: null } } },
    ]);
  });

  it('removes nested values that are gone, and a part without a value', async () => {
    const jobDefaults = {
      compression: 'auto',
      objectOptions: { tags: { a: '1', b: '2' }, cacheControl: 'x' },
    };
    const project = withVersion({ jobDefaults });
    const { client, patches } = clientOf(() => project);
    const version = toSettings(project).versions.jobDefaults;
    await changeSettings(client, NAMESPACE, {
      part: 'jobDefaults',
      value: { objectOptions: { tags: { b: '3' } } },
      version,
    });
    await changeSettings(client, NAMESPACE, { part: 'jobDefaults', value: undefined, version });
    expect(patches).to.deep.equal([
      {
        metadata: { resourceVersion: '7' },
        spec: {
          jobDefaults: {
            compression: null,
            objectOptions: { tags: { a: null, b: '3' }, cacheControl: null },
          },
        },
      },
      { metadata: { resourceVersion: '7' }, spec: { jobDefaults: null } },
    ]);
  });

  it('refuses to replace a part that someone else changed, and sends nothing', async () => {
    const { client, patches } = clientOf(() => withVersion({ limits: { activeJobs: 6 } }));
    const { versions } = toSettings(withVersion({ limits }));
    const error = await failure(
      changeSettings(client, NAMESPACE, {
        part: 'limits',
        value: { activeJobs: 3 },
        version: versions.limits,
      }),
    );
    expect(hasCode(error, 'Conflict')).to.equal(true);
    expect(error.message).to.contain('Someone else changed these settings');
    expect(patches).to.deep.equal([]);
  });

  it('is not disturbed by changes of the status or of other parts', async () => {
    let version = 7;
    const { client, patches } = clientOf(
      () => withVersion({ displayName: `changed ${version}`, limits }, String(version)),
      () => {
        version += 1;
        if (version <= 9)
          throw new KubeError('changed', { attempt: 'PATCH /x', code: 'Conflict', httpStatus: 409 });
      },
    );
    const { versions } = toSettings(withVersion({ limits }));
    await changeSettings(client, NAMESPACE, {
      part: 'limits',
      value: { activeJobs: 3 },
      version: versions.limits,
    });
    expect(patches.map((patch) => (patch as ZipProject).metadata.resourceVersion)).to.deep.equal([
      '7',
      '8',
      '9',
    ]);
  });

  it('gives up after five conflicts', async () => {
    const project = withVersion({ limits });
    const { client, patches } = clientOf(
      () => project,
      () => {
        throw new KubeError('changed', { attempt: 'PATCH /x', code: 'Conflict', httpStatus: 409 });
      },
    );
    const version = toSettings(project).versions.limits;
    const change = { part: 'limits', value: undefined, version } as const;
    expect(hasCode(await failure(changeSettings(client, NAMESPACE, change)), 'Conflict')).to.equal(true);
    expect(patches).to.have.lengthOf(5);
  });

  it('names the field that the API server rejects', async () => {
    const project = withVersion({});
    const { client } = clientOf(
      () => project,
      () => {
        throw new KubeError(`ZipProject.zipjobs.dev "${PROJECT_NAME}" is invalid`, {
          attempt: 'PATCH /x',
          code: 'Invalid',
          httpStatus: 422,
          causes: [
            {
              field: 'spec.jobDefaults.maxAttempts',
              message: 'should be less than or equal to 10',
            },
          ],
        });
      },
    );
    const version = toSettings(project).versions.jobDefaults;
    const change = { part: 'jobDefaults', value: { maxAttempts: 99 }, version } as const;
    expect(await failure(changeSettings(client, NAMESPACE, change))).to.include({
      code: 'InvalidInput',
      field: 'jobDefaults.maxAttempts',
      message: 'should be less than or equal to 10',
    });
  });

  it('rejects a limit below 1 before it is sent', async () => {
    const project = withVersion({});
    const { client, patches } = clientOf(() => project);
    const version = toSettings(project).versions.limits;
    const change = { part: 'limits', value: { activeJobs: 0 }, version } as const;
    expect(await failure(changeSettings(client, NAMESPACE, change))).to.include({ field: 'activeJobs' });
    expect(patches).to.deep.equal([]);
  });
});
