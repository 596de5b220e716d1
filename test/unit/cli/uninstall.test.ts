import { expect } from 'chai';
import { AdministrationError } from '#administration/errors/administration-error.ts';
import { createUninstall } from '#cli/uninstall/uninstall.ts';
import { FINALIZER } from '#crds/api-group.ts';
import { KubeError, type KubeErrorCode } from '#runtime/kube/client/kube-error.ts';
import type { Deployment, Lease, ServiceAccount } from '#runtime/kube/resources.ts';
import { systemClock } from '#runtime/time/clock.ts';
import type { AnyClient } from '#runtime/uninstall/release-finalizers.ts';
import { createFakeObjects } from '#test/support/builders/fake-objects.ts';
import { aZipJob } from '#test/support/builders/objects.ts';

const SYSTEM = 'zipjobs-system';

function aDeployment(replicas: number): Deployment {
  return {
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
  };
}

function setUp(isInstalled: boolean) {
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
}

const request = { namespace: undefined, limitMs: 10_000, signal: new AbortController().signal };

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

  function failing(error: () => Promise<never>, after = 0) {
    const { options } = setUp(true);
    let lists = 0;
    function list() {
      lists += 1;
      return lists > after ? error() : Promise.resolve([aZipJob({ metadata: { name: 'a' } })]);
    }
    const client: AnyClient = { list, mergePatch: () => Promise.reject(new Error('not called')) };
    return { uninstall: createUninstall({ ...options, finalized: [client] }), lists: () => lists };
  }
  function rejected(code: KubeErrorCode) {
    return () => Promise.reject(new KubeError('zipjobs cannot be listed', { code }));
  }
  function endOf(ending: Promise<unknown>): Promise<unknown> {
    return ending.catch((thrown: unknown) => thrown);
  }

  it('gives up at the time limit with the last error, and reports each failure meanwhile (X12, UI3)', async () => {
    const { uninstall, lists } = failing(rejected('ServerError'));
    const failures: string[] = [];
    function onFailure({ message }: Error) {
      return failures.push(message);
    }
    const error = await endOf(uninstall({ ...request, limitMs: 700, onFailure }));
    expect(error).to.have.property('code', 'TimedOut');
    expect(error)
      .to.have.property('message')
      .that.contains('The last request failed: zipjobs cannot be listed');
    expect(failures).to.have.length(lists());
  });

  it('does not name a failure after which a check succeeded (UI3)', async () => {
    const { options } = setUp(true);
    let lists = 0;
    const client: AnyClient = {
      // Something adds the finalizer again and again.
      list: () => {
        lists += 1;
        return lists === 1
          ? rejected('ServerError')()
          : Promise.resolve([aZipJob({ metadata: { finalizers: [FINALIZER] } })]);
      },
      mergePatch: () => Promise.resolve(aZipJob()),
    };
    const uninstall = createUninstall({ ...options, finalized: [client] });
    const error = await endOf(uninstall({ ...request, limitMs: 900 }));
    expect(error).to.have.property('code', 'TimedOut');
    expect(error).to.have.property('message').that.does.not.contain('cannot be listed');
    expect(lists).to.be.above(1);
  });

  it('ends at once without a permission (UI3)', async () => {
    const { uninstall, lists } = failing(rejected('Forbidden'));
    expect(await endOf(uninstall(request))).to.have.property('code', 'Forbidden');
    expect(lists()).to.equal(1);
  });

  it('continues if its last read of the Deployments fails (UI3)', async () => {
    const { options } = setUp(true);
    let lists = 0;
    const deployments = {
      ...options.deployments,
      list: () => {
        lists += 1;
        return lists === 2 ? rejected('Timeout')() : options.deployments.list();
      },
    };
    const done = await createUninstall({ ...options, deployments })(request);
    expect([done.released, lists]).to.deep.equal([1, 3]);
  });
});
