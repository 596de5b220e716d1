/** Every field of our pods that the chart takes from the operator, by the name of its value. */
export const POD_FIELDS: Readonly<Record<string, unknown>> = {
  deploymentAnnotations: { 'reloader.stakater.com/auto': 'true' },
  podLabels: { mesh: 'on' },
  podAnnotations: { 'example.com/team': 'storage' },
  priorityClassName: 'high',
  runtimeClassName: 'gvisor',
  nodeSelector: { disk: 'fast' },
  tolerations: [{ key: 'spot', operator: 'Exists' }],
  affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
  topologySpreadConstraints: [{ maxSkew: 2, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }],
  terminationGracePeriodSeconds: 44,
  extraEnv: [
    { name: 'TZ', value: 'UTC' },
    { name: 'TEAM', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
  ],
  extraEnvFrom: [{ configMapRef: { name: 'more' } }],
  extraVolumes: [{ name: 'more', emptyDir: {} }],
  extraVolumeMounts: [{ name: 'more', mountPath: '/more' }],
  extraContainers: [{ name: 'sidecar', image: 'sidecar:1' }],
  extraInitContainers: [{ name: 'wait', image: 'wait:1' }],
};
