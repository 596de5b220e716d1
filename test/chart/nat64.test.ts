import { expect } from 'chai';
import { contains, parseAddress, parseCidr } from '#runtime/egress/cidr.ts';
import { createEgressPolicy } from '#runtime/egress/egress-policy.ts';
import { find, render } from './render.ts';

interface Block {
  readonly cidr: string;
  readonly except?: readonly string[];
}

const isIn = (cidr: string, ip: string): boolean => {
  const [range, address] = [parseCidr(cidr), parseAddress(ip)];
  if (range === undefined || address === undefined) throw new Error(`${cidr} or ${ip} is invalid`);
  return contains(range, address);
};

/** The blocks to which the NetworkPolicy of the controller lets webhooks connect. */
const blocksOf = async (egress: object): Promise<readonly Block[]> => {
  const objects = await render({
    'networkPolicies.enabled': true,
    'networkPolicies.apiServerCidrs': ['10.96.0.1/32'],
    egress,
  });
  const { egress: rules } = find(objects, 'NetworkPolicy', 'zipjobs-controller')['spec'] as {
    readonly egress: readonly { readonly to?: readonly { readonly ipBlock: Block }[] }[];
  };
  return rules.slice(2).flatMap(({ to = [] }) => to.map(({ ipBlock }) => ipBlock));
};

const IPV4 =
  '1.1.1.1 8.8.8.8 10.0.0.1 10.20.0.1 52.1.2.3 127.0.0.1 168.63.129.16 169.254.169.254 192.168.1.1'.split(
    ' ',
  );
const PREFIXES = [
  '64:ff9b::',
  '64:ff9b:0:0:0:0:0:0',
  '64:ff9b::0.0.0.0',
  '2a00:1:2:3:4:5::',
  '2a00:1::5:0:0',
];

describe('the NetworkPolicy of the controller behind NAT64', function () {
  this.timeout(30 * 60_000);

  for (const prefix of PREFIXES)
    for (const [what, options] of [
      ['by default', {}],
      [
        'with ranges that the operator opened and denied',
        { allowCidrs: ['10.20.0.0/16'], denyCidrs: ['52.0.0.0/8'] },
      ],
      ['with IPv4 denied completely', { denyCidrs: ['0.0.0.0/0'] }],
      ['with IPv6 denied completely', { denyCidrs: ['::/0'] }],
    ] as const)
      it(`opens the addresses that the process allows, ${what}: ${prefix}/96 (BC1)`, async () => {
        const egress = { allowCidrs: [], denyCidrs: [], ...options, nat64Prefix: `${prefix}/96` };
        const policy = createEgressPolicy({ ...egress, ownAddresses: [] });
        const blocks = await blocksOf(egress);
        for (const { cidr, except = [] } of blocks)
          for (const one of except) expect(isIn(cidr, one.split('/')[0] ?? ''), one).to.equal(true);
        const start = prefix
          .replace(/(0\.0\.0\.0|:0:0)$/, '')
          .replace(/([^:])$/, '$1:')
          .replace(/(:5)::$/, '$1:');
        for (const ip of IPV4.flatMap((one) => [one, `${start}${one}`])) {
          const isOpen = blocks.some(
            ({ cidr, except = [] }) => isIn(cidr, ip) && !except.some((one) => isIn(one, ip)),
          );
          expect(isOpen, ip).to.equal(policy.judgeAddress(ip) === 'allowed');
        }
      });
});
