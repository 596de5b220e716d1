import { expect } from 'chai';
import { exactDurationText } from '#api/openapi/duration-text.ts';
import { sizeText } from '#api/openapi/size-text.ts';

describe('sizeText', () => {
  for (const [bytes, text] of [
    [300, '300 bytes'],
    [1_024, '1 KiB (1,024 bytes)'],
    [65_536, '64 KiB (65,536 bytes)'],
    [9_876_543, '9.88 MB (9,876,543 bytes)'],
    [10_000_000_000, '10 GB (10,000,000,000 bytes)'],
    [161_061_273_600, '150 GiB (161,061,273,600 bytes)'],
    [5 * 2 ** 40, '5 TiB (5,497,558,138,880 bytes)'],
  ] as const)
    it(`writes ${bytes} as ${text} (Q-A8)`, () => {
      expect(sizeText(bytes)).to.equal(text);
    });
});

describe('exactDurationText', () => {
  for (const [seconds, text] of [
    [45, '45 seconds'],
    [200, '200 seconds'],
    [3_456, '57 minutes (3,456 seconds)'],
    [5_400, '90 minutes'],
    [7_200, '2 hours'],
    [604_800, '7 days'],
  ] as const)
    it(`writes ${seconds} as ${text} (Q-A8)`, () => {
      expect(exactDurationText(seconds)).to.equal(text);
    });
});
