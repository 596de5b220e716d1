import { type ControllerConfig, readControllerConfig } from '#controller/config/config.ts';

export function aConfig(change: Partial<ControllerConfig> = {}): ControllerConfig {
  return {
    ...readControllerConfig({
      POD_NAME: 'controller-0',
      POD_NAMESPACE: 'zipjobs-system',
      ZIPPER_IMAGE: 'zipjobs-zipper:test',
    }),
    ...change,
  };
}
