import { expect } from 'chai';
import { Registry } from 'prom-client';
import { collectCaches } from '#runtime/kube/kube-metrics.ts';

describe('collectCaches', () => {
  it('reports the objects that each cache leaves out (N36)', async () => {
    const registry = new Registry();
    collectCaches(registry, { ZipBucket: { silenceMs: () => 0, leftOut: () => 7 } });
    expect(await registry.metrics()).to.contain('zip_reflector_left_out_objects{kind="ZipBucket"} 7');
  });
});
