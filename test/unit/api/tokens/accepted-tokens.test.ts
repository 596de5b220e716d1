import { expect } from 'chai';
import { createAcceptedTokens } from '#api/tokens/accepted-tokens.ts';
import { reportRefusedTokens } from '#api/tokens/report-refused-tokens.ts';
import { findCondition } from '#crds/conditions.ts';
import type { ZipToken } from '#crds/zip-token.ts';
import { createLogger } from '#runtime/log/log.ts';
import { createFakeObjects } from '#test/support/builders/fake-objects.ts';
import { createManualClock } from '#test/support/builders/manual-clock.ts';

const MASK = 'zj_a...wxyz';
const everywhere: (namespace: string) => boolean = () => true;

/** A token that was created in this second. */
function aToken(namespace: string, second: number, masked = MASK): ZipToken {
  return {
    apiVersion: 'zipjobs.dev/v1alpha1',
    kind: 'ZipToken',
    metadata: {
      namespace,
      name: `t${second}`,
      uid: `${namespace}-${second}`,
      creationTimestamp: new Date(second * 1_000).toISOString(),
    },
    spec: { sha256: '0'.repeat(64), masked, permissions: ['read'] },
  };
}

function startWorld() {
  const accepted = createAcceptedTokens();
  const tokens = createFakeObjects<ZipToken>({ onChange: (change) => accepted.note(change) });
  return {
    accepted,
    tokens,
    put: (...all: readonly ZipToken[]) => {
      for (const token of all) tokens.put(token);
    },
    candidates: (isOpen = everywhere) => accepted.candidates(MASK, isOpen),
  };
}

function many(namespace: string, from: number, count: number): readonly ZipToken[] {
  return Array.from({ length: count }, (_, index) => aToken(namespace, from + index));
}

describe('the tokens that a request is compared with', () => {
  it('are at most four of a project, the oldest ones (N30)', () => {
    const world = startWorld();
    world.put(...[...many('a', 100, 2_000)].reverse());
    expect(world.candidates()).to.deep.equal(['a/t100', 'a/t101', 'a/t102', 'a/t103']);
  });

  it('are at most 16 in all, those of each project before the second ones of others (N30)', () => {
    const world = startWorld();
    for (let n = 0; n < 10; n += 1) world.put(...many(`evil-${n}`, 100 + n * 10, 10));
    world.put(aToken('victim', 999));
    const found = world.candidates();
    expect(found).to.have.length(16);
    expect(found).to.include('victim/t999').and.include('evil-9/t190').and.include('evil-0/t101');
    expect(found.filter((key) => key.startsWith('evil-0/'))).to.have.length.below(5);
  });

  it('do not displace older tokens of other projects, however many there are (N30)', () => {
    const world = startWorld();
    world.put(aToken('victim', 1));
    for (let n = 0; n < 100; n += 1) world.put(...many(`evil-${n}`, 100, 5));
    expect(world.candidates()).to.have.length(16).and.to.include('victim/t1');
  });

  it('are those of projects only (N30)', () => {
    const world = startWorld();
    for (let n = 0; n < 20; n += 1) world.put(aToken(`none-${n}`, n));
    world.put(aToken('project', 999));
    expect(world.candidates((namespace) => namespace === 'project')).to.deep.equal(['project/t999']);
  });

  it('are among the oldest 500 of a project (N30)', () => {
    const world = startWorld();
    for (let n = 0; n < 499; n += 1) world.put(aToken('a', n, 'zj_b...abcd'));
    world.put(aToken('a', 600), aToken('a', 700));
    expect(world.candidates()).to.deep.equal(['a/t600']);
    world.tokens.remove('a', 't0');
    expect(world.candidates()).to.deep.equal(['a/t600', 'a/t700']);
  });

  it('follow deletions, and tokens that are created again (N30)', () => {
    const world = startWorld();
    world.put(...many('a', 1, 5));
    world.tokens.remove('a', 't2');
    expect(world.candidates()).to.deep.equal(['a/t1', 'a/t3', 'a/t4', 'a/t5']);
    world.put({ ...aToken('a', 1), metadata: { ...aToken('a', 9).metadata, name: 't1' } });
    expect(world.candidates()).to.deep.equal(['a/t3', 'a/t4', 'a/t5', 'a/t1']);
    for (const name of ['t1', 't3', 't4', 't5']) world.tokens.remove('a', name);
    expect(world.candidates()).to.deep.equal([]);
    expect(world.accepted.refused(everywhere).size).to.equal(0);
  });

  it('are found without reading tokens with another mask (N30)', () => {
    const world = startWorld();
    const { version } = world.accepted;
    world.put(aToken('a', 1));
    expect(world.accepted.version).to.equal(version + 1);
    world.put({ ...aToken('a', 1), status: { lastUsedAt: '2026-01-01T00:00:00Z' } });
    expect(world.accepted.version).to.equal(version + 1);
  });
});

describe('a token that does not count', () => {
  function reasonOf(world: ReturnType<typeof startWorld>, namespace: string, name: string) {
    const token = world.tokens
      .all()
      .find((one) => one.metadata.namespace === namespace && one.metadata.name === name);
    const condition = findCondition(token?.status?.conditions, 'Accepted');
    return condition && `${condition.status} ${condition.reason}`;
  }
  function start(isOpen = everywhere) {
    const world = startWorld();
    const clock = createManualClock();
    const reporting = reportRefusedTokens({
      accepted: world.accepted,
      tokens: world.tokens.reflector,
      tokenClient: world.tokens.client,
      isOpen,
      clock,
      log: createLogger('test', { level: 'silent' }),
    });
    return { world, clock, reporting };
  }

  it('has a condition that says why, until it counts again (N30)', async () => {
    const { world, clock, reporting } = start();
    using _reporting = reporting;
    world.put(...many('a', 1, 5));
    for (let n = 1_000; n < 1_501; n += 1) world.put(aToken('b', n, `zj_b...${n}`));
    await clock.advance(60_000);
    expect(reasonOf(world, 'a', 't5')).to.equal('False TooManyWithMask');
    expect(reasonOf(world, 'a', 't4')).to.equal(undefined);
    expect(reasonOf(world, 'b', 't1500')).to.equal('False TooManyTokens');
    expect(reasonOf(world, 'b', 't1499')).to.equal(undefined);
    world.tokens.remove('a', 't1');
    await clock.advance(60_000);
    expect(reasonOf(world, 'a', 't5')).to.equal('True TokenAccepted');
  });

  it('is reported at a limited rate, and again only after a change (N30)', async () => {
    const { world, clock, reporting } = start();
    using _reporting = reporting;
    world.put(...many('a', 1, 104));
    await clock.advance(10_000);
    expect(world.tokens.calls).to.have.length(10);
    await clock.advance(600_000);
    expect(world.tokens.calls).to.have.length(100);
  });

  it('is not reported in a namespace without a project (N30)', async () => {
    const { world, clock, reporting } = start(() => false);
    using _reporting = reporting;
    world.put(...many('a', 1, 600));
    await clock.advance(120_000);
    expect(world.tokens.calls).to.deep.equal([]);
  });
});
