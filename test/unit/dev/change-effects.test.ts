import { expect } from 'chai';
import { type Effect, effectsOf } from '#test/dev/change-effects.ts';

const CASES: readonly (readonly [path: string, effects: readonly Effect[]])[] = [
  ['api/app.ts', ['api']],
  ['dashboard/overview/overview.eta', ['dashboard']],
  ['dashboard/assets/style/base.css', ['dashboard']],
  ['controller/policies/queue.ts', ['controller']],
  ['administration/tokens.ts', ['dashboard']],
  ['runtime/log/log.ts', ['api', 'controller', 'dashboard']],
  ['crds/zip-job.ts', ['api', 'controller', 'dashboard']],
  ['crds/zipjobs.yaml', ['definitions']],
  ['charts/zipjobs/values.yaml', ['chart']],
  ['charts/zipjobs/templates/_pod.tpl', ['chart']],
  ['zipper-image/archive/archive.ts', ['zipper']],
];

const WITHOUT_EFFECT: readonly (readonly [path: string, why: string])[] = [
  ['charts/zipjobs/templates/crds/zipjobs.yaml', 'a copy of crds/zipjobs.yaml'],
  ['charts/zipjobs/README.md', 'a document'],
  ['controller/decide.test.ts', 'a test'],
  ['test/dev/main.ts', 'a file outside the watched folders'],
  ['Dockerfile', 'an image recipe'],
  ['cli/main.ts', 'the command line, which runs once and exits'],
  ['api/programs/warm-up/main.ts', 'a step of the image build'],
  ['controller/programs/uninstall/main.ts', 'the uninstall Job'],
  ['api/programs/release-check/main.ts', 'the pod of helm test'],
  ['controller/.decide.ts.swp', 'a swap file of vim'],
  ['controller/4913', 'the file that vim creates to test a folder'],
  ['controller/zip-job/decide.ts~', 'a backup file of an editor'],
  ['controller/sedB2diks', 'a temporary file of sed'],
  ['controller/decide.ts___jb_tmp___', 'a temporary file of JetBrains editors'],
];

describe('effectsOf', () => {
  for (const [path, effects] of CASES)
    it(`of ${path} is ${effects.join(' and ')}`, () => {
      expect(effectsOf(path)).to.deep.equal(effects);
    });

  for (const [path, why] of WITHOUT_EFFECT)
    it(`ignores ${path}: ${why}`, () => {
      expect(effectsOf(path)).to.deep.equal([]);
    });
});
