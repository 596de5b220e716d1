import { join } from 'node:path';
import type { GoProgram } from '#tools/local-cluster/go-program.ts';

export const FLOOR_PROGRAM: GoProgram = {
  name: 'floor',
  what: 'program that only downloads and uploads',
  folder: join(import.meta.dirname, 'floor'),
  costs: { cpuSeconds: 12, serialSeconds: 4, linkSeconds: 0.5, otherPackageSeconds: 0.1, packages: {} },
  coldPackages: [],
};
