/** The priority class of recovery pods. */
import { expect } from 'chai';
import { readControllerConfig } from '#controller/config/config.ts';
import { envOf, type KubeObject, render } from './render.ts';

function classOf(objects: readonly KubeObject[]): string {
  const env: Record<string, string> = {};
  for (const { name, value } of envOf(objects, 'controller').values())
    if (value !== undefined) env[name] = value;
  return readControllerConfig({ ...env, POD_NAME: 'p', POD_NAMESPACE: 'n' }).recoveryPriorityClassName;
}

function created(objects: readonly KubeObject[]): readonly KubeObject[] {
  return objects.filter(({ kind }) => kind === 'PriorityClass');
}

describe('recovery pods', function () {
  this.timeout(30 * 60_000);

  it('have a priority class of their own, which evicts no other pod (F25)', async () => {
    const objects = await render({});
    expect(classOf(objects)).to.equal('zipjobs-recovery-1000');
    const [priorityClass, ...others] = created(objects);
    expect(others).to.deep.equal([]);
    expect(priorityClass?.metadata.name).to.equal('zipjobs-recovery-1000');
    expect(priorityClass).to.deep.include({ value: 1000, preemptionPolicy: 'Never' });
  });

  it('use an existing priority class, or that of their ZipJob (F25)', async () => {
    const priorityClass = 'zipper.recovery.priorityClass';
    const existing = await render({ [`${priorityClass}.create`]: false, [`${priorityClass}.name`]: 'high' });
    expect([classOf(existing), created(existing)]).to.deep.equal(['high', []]);
    const none = await render({ [`${priorityClass}.create`]: false });
    expect([classOf(none), created(none)]).to.deep.equal(['', []]);
  });

  it('get another priority class with other values, because an upgrade cannot change a class (F25)', async () => {
    const priorityClass = 'zipper.recovery.priorityClass';
    const higher = await render({ [`${priorityClass}.value`]: 1e9 });
    const evicting = await render({ [`${priorityClass}.preemptionPolicy`]: 'PreemptLowerPriority' });
    const names = [await render({}), higher, evicting].map(classOf);
    expect(new Set(names)).to.have.property('size', names.length);
    for (const [index, objects] of [higher, evicting].entries())
      expect(created(objects).map(({ metadata }) => metadata.name)).to.deep.equal([names[index + 1]]);
  });
});
