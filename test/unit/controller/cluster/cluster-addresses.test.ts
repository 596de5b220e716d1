import { expect } from 'chai';
import { readClusterAddresses, withClusterAddresses } from '#controller/cluster/cluster-addresses.ts';
import { createEgressPolicy } from '#runtime/egress/egress-policy.ts';
import { toEgressOptions } from '#runtime/egress/settings.ts';
import { createLogger } from '#runtime/log/log.ts';
import { aConfig } from '#test/support/builders/config.ts';
import { readPodConfig } from '#zipper-image/config.ts';
import {
  type Exchange,
  type ScriptedApiServer,
  startScriptedApiServer,
} from '../../runtime/kube/scripted-api-server.ts';

const log = createLogger('test', { level: 'silent' });
const SERVICE_CIDRS = '/apis/networking.k8s.io/v1/servicecidrs';
const SLICE = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes';

/** A response of a Kubernetes API server with an error. */
function status(code: number, reason: string) {
  return { kind: 'Status', status: 'Failure', code, reason };
}

function listCidrs(exchange: Exchange, ...cidrs: readonly (readonly string[])[]): void {
  exchange.json(200, {
    kind: 'ServiceCIDRList',
    metadata: {},
    items: cidrs.map((one, index) => ({ metadata: { name: `n${index}` }, spec: { cidrs: one } })),
  });
}

describe('readClusterAddresses', () => {
  let server: ScriptedApiServer;
  let stop: AbortController;
  beforeEach(async () => {
    server = await startScriptedApiServer();
    stop = new AbortController();
  });
  afterEach(() => server[Symbol.asyncDispose]());

  function read() {
    return readClusterAddresses({ kube: server.kube, log, signal: stop.signal });
  }
  function own(): string {
    return new URL(server.kube.server).host;
  }
  async function next(path: string): Promise<Exchange> {
    const exchange = await server.next();
    expect(exchange.url.pathname).to.equal(path);
    return exchange;
  }

  it('reads the service ranges and every address of the API server (N11)', async () => {
    const reading = read();
    listCidrs(await next(SERVICE_CIDRS), ['34.118.224.0/20'], ['10.96.0.0/16', 'fd00::/108']);
    (await next(SLICE)).json(200, {
      kind: 'EndpointSlice',
      metadata: { namespace: 'default', name: 'kubernetes' },
      endpoints: [{ addresses: ['35.1.2.3'] }, { addresses: ['35.1.2.4', 'fd00::4'] }],
      ports: [{ name: 'https', port: 6443, protocol: 'TCP' }],
    });
    expect(await reading).to.deep.equal({
      serviceCidrs: ['34.118.224.0/20', '10.96.0.0/16', 'fd00::/108'],
      apiServer: [own(), '35.1.2.3:6443', '35.1.2.4:6443', '[fd00::4]:6443'],
    });
  });

  for (const [what, ports] of [
    ['no ports', undefined],
    ['an empty list of ports', []],
    ['a port without a number', [{ name: 'https' }]],
  ] as const)
    it(`names no port of an address if the endpoints have ${what} (X56)`, async () => {
      const reading = read();
      listCidrs(await next(SERVICE_CIDRS));
      const endpoints = [{ addresses: ['35.1.2.3'] }];
      (await next(SLICE)).json(200, { kind: 'EndpointSlice', endpoints, ports });
      expect((await reading).apiServer).to.deep.equal([own(), '35.1.2.3']);
    });

  it('reports that the service ranges are not known before Kubernetes 1.33 (N11)', async () => {
    const reading = read();
    (await next(SERVICE_CIDRS)).json(404, status(404, 'NotFound'));
    (await next(SLICE)).json(404, status(404, 'NotFound'));
    expect(await reading).to.deep.equal({ serviceCidrs: undefined, apiServer: [own()] });
  });

  it('reports that the service ranges are not known if the permission is still missing after four requests (N11)', async () => {
    const reading = read();
    for (let tries = 1; tries <= 4; tries += 1)
      (await next(SERVICE_CIDRS)).json(403, status(403, 'Forbidden'));
    (await next(SLICE)).json(403, status(403, 'Forbidden'));
    expect(await reading).to.deep.equal({ serviceCidrs: undefined, apiServer: [own()] });
  });

  it('asks again while the API server fails, because zippers must not start without the addresses (N11)', async () => {
    const reading = read();
    (await next(SERVICE_CIDRS)).json(503, status(503, 'ServiceUnavailable'));
    (await next(SERVICE_CIDRS)).reset();
    listCidrs(await next(SERVICE_CIDRS), ['34.118.224.0/20']);
    (await next(SLICE)).json(404, status(404, 'NotFound'));
    expect((await reading).serviceCidrs).to.deep.equal(['34.118.224.0/20']);
  });

  it('ends when the process is stopped', async () => {
    const reading = read().catch((error: unknown) => error);
    await next(SERVICE_CIDRS);
    stop.abort(new Error('stopping'));
    expect(await reading).to.equal(stop.signal.reason);
  });
});

describe('withClusterAddresses', () => {
  const found = { serviceCidrs: ['34.118.224.0/20'], apiServer: ['35.1.2.3:6443', '[2600:1900:2::1]:6443'] };

  it('closes the addresses for webhooks and for sources and stores of zippers (N11)', () => {
    const config = withClusterAddresses(aConfig({ zipperEnv: { LOG_LEVEL: 'info' } }), found);
    const zipper = readPodConfig({ ...config.zipperEnv, POD_UID: 'uid' });
    expect(config.zipperEnv).to.include({ LOG_LEVEL: 'info' });
    for (const settings of [config, zipper]) {
      const policy = createEgressPolicy({ ...toEgressOptions(settings, ''), ownAddresses: [] });
      expect(policy.judgeAddress('34.118.224.9')).to.deep.equal({ refused: 'cluster' });
      for (const ip of ['35.1.2.3', '2600:1900:2::1'])
        expect(policy.judgeAddress(ip), ip).to.deep.equal({ refused: 'api-server' });
    }
  });

  it('adds no variable without a value', () => {
    const config = withClusterAddresses(aConfig(), { serviceCidrs: undefined, apiServer: [] });
    expect(config.zipperEnv).to.deep.equal(aConfig().zipperEnv);
  });
});
