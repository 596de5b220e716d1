/** Every field that a podTemplate of the chart takes for the pods of a server. */
export const POD_METADATA = {
  labels: { mesh: 'on' },
  annotations: { 'example.com/team': 'storage' },
};

export const POD_SPEC: Readonly<Record<string, unknown>> = {
  affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] } },
  dnsConfig: { options: [{ name: 'ndots', value: '1' }] },
  dnsPolicy: 'Default',
  hostAliases: [{ ip: '192.0.2.1', hostnames: ['redis'] }],
  initContainers: [{ name: 'wait', image: 'wait:1' }],
  nodeSelector: { 'kubernetes.io/os': 'linux', disk: 'fast' },
  priorityClassName: 'high',
  runtimeClassName: 'gvisor',
  terminationGracePeriodSeconds: 44,
  tolerations: [{ key: 'spot', operator: 'Exists' }],
  topologySpreadConstraints: [{ maxSkew: 2, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }],
};

export const POD_ENV = [
  { name: 'TZ', value: 'UTC' },
  { name: 'TEAM', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
];

export const POD_ENV_FROM = [{ configMapRef: { name: 'more' } }];

/** A podTemplate with all of them. */
export function fullPodTemplate(component: string) {
  const own = {
    name: component,
    env: POD_ENV,
    envFrom: POD_ENV_FROM,
    resources: { limits: { cpu: 2, 'ephemeral-storage': null } },
    securityContext: { runAsUser: 7 },
    volumeMounts: [{ name: 'more', mountPath: '/more' }],
  };
  return {
    metadata: POD_METADATA,
    spec: {
      ...POD_SPEC,
      containers: [{ name: 'sidecar', image: 'sidecar:1' }, own],
      securityContext: { fsGroup: null, supplementalGroups: [7] },
      volumes: [{ name: 'more', emptyDir: {} }],
    },
  };
}
