import { expect } from 'chai';
import { AdministrationError } from '#administration/administration-error.ts';
import { createUninstall } from '#cli/uninstall/uninstall.ts';
import { FINALIZER } from '#crds/api-group.ts';
import { systemClock } from '#runtime/clock.ts';
import { KubeError } from '#runtime/kube/kube-error.ts';
import type { Deployment, Lease, ServiceAccount } from '#runtime/kube/resources.ts';
import type { AnyClient } from '#runtime/uninstall/release-finalizers.ts';
import { createFakeObjects } from '#test/support/builders/fake-objects.ts';
import { aZipJob } from '#test/support/builders/objects.ts';

const SYSTEM = 'zipjobs-system';

const aDeployment = (replicas: number): Deployment => ({
  metadata: { namespace: SYSTEM, name: 'zipjobs-controller' },
  spec: {
    replicas,
    selector: {},
    template: {
      spec: {
        serviceAccountName: 'controllers',
        containers: [{ name: 'controller', env: [{ name: 'LEASE_NAME', value: 'own-lease' }] }],
      },
    },
  },
});

const setUp = (isInstalled: boolean) => {
  const written: string[] = [];
  let replicas = 2;
  const leases = createFakeObjects<Lease>();
  if (isInstalled)
    leases.put({ metadata: { namespace: SYSTEM, name: 'own-lease' }, spec: { holderIdentity: 'leader' } });
  const jobs = [aZipJob({ metadata: { name: 'a', finalizers: [FINALIZER] } })];
  const finalized: AnyClient = {
    list: () => Promise.resolve(jobs),
    mergePatch: () => Promise.resolve(jobs.pop() ?? aZipJob()),
  };
  const options = {
    deployments: {
      list: () => Promise.resolve(isInstalled ? [aDeployment(replicas)] : []),
      mergePatch: ({ name }: { readonly name: string }, patch: unknown) => {
        written.push(`${name} ${JSON.stringify(patch)}`);
        replicas = 0;
        return Promise.resolve(aDeployment(0));
      },
    },
    leases: { ...leases.client, replace: (lease: Lease) => Promise.resolve(leases.put(lease)) },
    serviceAccounts: createFakeObjects<ServiceAccount>().client,
    finalized: [finalized],
    clock: systemClock,
    quietMs: 1,
  };
  return {
    options,
    leases,
    written,
    scale: (count: number) => {
      replicas = count;
    },
  };
};

const request = { namespace: undefined, timeoutMs: 10_000, signal: new AbortController().signal };

describe('zipjobs uninstall', () => {
  it('stops the controllers, takes over their Lease and removes the finalizers (X12)', async () => {
    const { options, leases, written } = setUp(true);
    expect(await createUninstall(options)(request)).to.deep.equal({
      controllers: [{ namespace: SYSTEM, name: 'zipjobs-controller' }],
      released: 1,
    });
    expect(written).to.deep.equal(['zipjobs-controller {"spec":{"replicas":0}}']);
    expect(leases.all()[0]?.spec?.holderIdentity).to.equal('zipjobs-uninstall');
  });

  it('removes the finalizers that a deleted release left (X12)', async () => {
    const { options, written } = setUp(false);
    expect(await createUninstall(options)(request)).to.deep.equal({ controllers: [], released: 1 });
    expect(written).to.deep.equal([]);
  });

  it('reports that something scaled the controllers up again (X12)', async () => {
    const { options, leases, scale } = setUp(true);
    const uninstall = createUninstall({
      ...options,
      leases: {
        ...options.leases,
        replace: (lease: Lease) => {
          scale(2);
          return Promise.resolve(leases.put(lease));
        },
      },
    });
    const error: unknown = await uninstall(request).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(AdministrationError).and.to.have.property('code', 'Refused');
    expect(error).to.have.property('message').that.contains('scaled up again');
  });

  it('writes nothing if another namespace has a Deployment with the labels of the controller (X12)', async () => {
    const { options, written } = setUp(true);
    const { metadata, ...rest } = aDeployment(1);
    const found = [aDeployment(2), { ...rest, metadata: { ...metadata, namespace: 'acme' } }];
    const deployments = { ...options.deployments, list: () => Promise.resolve(found) };
    const uninstall = createUninstall({ ...options, deployments });
    const error: unknown = await uninstall(request).catch((thrown: unknown) => thrown);
    expect(error).to.have.property('message').that.contains('--system-namespace');
    expect(written).to.deep.equal([]);
  });

  it('gives up at the time limit with the last error (X12)', async () => {
    const { options } = setUp(true);
    const refused: AnyClient = {
      list: () => Promise.reject(new KubeError('zipjobs cannot be listed', { code: 'Forbidden' })),
      mergePatch: () => Promise.reject(new Error('not called')),
    };
    const uninstall = createUninstall({ ...options, finalized: [refused] });
    const error: unknown = await uninstall({ ...request, timeoutMs: 50 }).catch((thrown: unknown) => thrown);
    expect(error).to.have.property('code', 'TimedOut');
    expect(error).to.have.property('message').that.contains('zipjobs cannot be listed');
  });
});
