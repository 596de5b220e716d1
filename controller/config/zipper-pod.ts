import { isStringMap, parseJson } from '#runtime/config/json-values.ts';
import { ConfigError } from '#runtime/errors.ts';
import { isRecord } from '#runtime/kube/client/decode.ts';
import type { Job } from '#runtime/kube/resources.ts';

type PodSpec = NonNullable<NonNullable<Job['spec']>['template']['spec']>;
type Container = PodSpec['containers'][number];
type Texts = Readonly<Record<string, string>>;

/** The fields of a pod that the operator may set. */
const FIELDS = [
  'affinity',
  'nodeSelector',
  'runtimeClassName',
  'securityContext',
  'tolerations',
  'topologySpreadConstraints',
] as const satisfies readonly (keyof PodSpec)[];

/** What the operator sets in every zipper pod. Projects add node labels and tolerations, and nothing else. */
export interface ZipperPodValues {
  readonly labels: Texts;
  readonly annotations: Texts;
  readonly spec: Pick<PodSpec, (typeof FIELDS)[number]>;
  readonly containerSecurityContext: NonNullable<Container['securityContext']>;
}

function isToleration(value: unknown): boolean {
  return (
    isRecord(value) &&
    Object.entries(value).every(([field, one]) =>
      field === 'tolerationSeconds' ? Number.isInteger(one) : typeof one === 'string',
    )
  );
}

/** What an operator can set, by path. */
export const POD_KEYS = [
  'labels',
  'annotations',
  'containerSecurityContext',
  ...FIELDS.map((field) => `spec.${field}`),
];

/** The API server validates the rest. */
function isSpec(value: unknown): value is ZipperPodValues['spec'] {
  if (!isRecord(value)) return false;
  const { nodeSelector = {}, tolerations = [] } = value;
  const allowed: readonly string[] = FIELDS;
  return (
    Object.keys(value).every((field) => allowed.includes(field)) &&
    isStringMap(nodeSelector) &&
    Array.isArray(tolerations) &&
    tolerations.every(isToleration)
  );
}

const PART_CHECKS: Readonly<Record<string, (part: unknown) => boolean>> = {
  labels: isStringMap,
  annotations: isStringMap,
  spec: isSpec,
  containerSecurityContext: isRecord,
};

function isZipperPod(value: unknown): value is Partial<ZipperPodValues> {
  return isRecord(value) && Object.entries(value).every(([name, part]) => PART_CHECKS[name]?.(part) ?? false);
}

/** @throws ConfigError unless the text is a JSON object with these fields. */
export function readZipperPod(env: string, text: string): ZipperPodValues {
  const value = parseJson(env, text);
  if (isZipperPod(value))
    return { labels: {}, annotations: {}, spec: {}, containerSecurityContext: {}, ...value };
  throw new ConfigError(
    `${env} must be a JSON object {labels, annotations, spec, containerSecurityContext}; spec may contain ${FIELDS.join(', ')}`,
  );
}
