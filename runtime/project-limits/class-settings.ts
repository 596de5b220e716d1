import { CALLER_OPTIONS, type CallerOption } from '#crds/caller-options.ts';
import type { ProjectLimits } from '#crds/zip-project.ts';
import type { Settings } from '../config/config.ts';
import { ConfigError } from '../errors.ts';
import { isRecord } from '../kube/client/decode.ts';
import { JOB_LIMITS, MOST_ARCHIVE_BYTES } from '../zip-request/job-limits.ts';

export interface ClassLimits {
  /** Of the class `default`. */
  readonly standard: ProjectLimits;
  readonly byName: ReadonlyMap<string, ProjectLimits>;
  /** The options that callers may not set, by class. Every class has an entry. */
  readonly closedOptions: ReadonlyMap<string, readonly CallerOption[]>;
}

/** The class of a namespace without the label, or whose label names no class. */
export const DEFAULT_CLASS = 'default';

/** Limits that the class `default` does not set. The chart has the same values. */
export const BUILT_IN_LIMITS: ProjectLimits = {
  requestsPerMinute: 12_000,
  createsPerSecond: 10,
  filesPerSecond: 2_000,
  activeJobs: 50,
  filesPerJob: 10_000,
  archiveBytes: JOB_LIMITS.archiveBytes,
  storedJobs: 40_000,
  storedBytes: 512 * 1_024 * 1_024,
};

/** Least value of each limit. A rate of 0 means no limit, and 0 active jobs starts none. */
const MINIMA: Readonly<Record<keyof ProjectLimits, number>> = {
  requestsPerMinute: 0,
  createsPerSecond: 0,
  filesPerSecond: 0,
  activeJobs: 0,
  filesPerJob: 1,
  archiveBytes: 1,
  storedJobs: 1,
  storedBytes: 1,
};

/** Greatest value of a limit that stores have too. */
const MAXIMA: Readonly<Partial<Record<keyof ProjectLimits, number>>> = { archiveBytes: MOST_ARCHIVE_BYTES };

export const PROJECT_CLASS_SETTINGS = {
  projectClassesJson: {
    env: 'PROJECT_CLASSES_JSON',
    type: 'string',
    default: '{}',
    description: 'limits and closed options of the projects of each class, by the name of the class, as JSON',
    keys: [...Object.keys(MINIMA), 'closedOptions'],
    changeWhen: 'change it when projects reach their limits (429), or one project takes too much from others',
  },
} as const satisfies Settings;

const { env: ENV } = PROJECT_CLASS_SETTINGS.projectClassesJson;
const MAX_CLASSES = 64;
/** A name is the value of a label. */
const CLASS_NAME = /^[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?$/;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ConfigError(`${ENV} is not valid JSON`, error);
  }
}

function isLimit(name: string): name is keyof ProjectLimits {
  return Object.hasOwn(MINIMA, name);
}

function isOption(name: unknown): name is CallerOption {
  return CALLER_OPTIONS.some((option) => option === name);
}

function closedOptionsOf(name: string, value: unknown): readonly CallerOption[] {
  if (!Array.isArray(value)) throw new ConfigError(`${ENV}: closedOptions of class ${name} must be a list`);
  return value.map((option: unknown) => {
    if (isOption(option)) return option;
    throw new ConfigError(
      `${ENV}: class ${name} closes an unknown option ${JSON.stringify(option)}; options are ${CALLER_OPTIONS.join(', ')}`,
    );
  });
}

interface ClassFacts {
  readonly limits: Partial<ProjectLimits>;
  readonly closedOptions?: readonly CallerOption[];
}

function factsOf(name: string, value: unknown): ClassFacts {
  if (!CLASS_NAME.test(name))
    throw new ConfigError(`${ENV}: ${JSON.stringify(name)} is not a valid class name`);
  if (!isRecord(value)) throw new ConfigError(`${ENV}: class ${name} must be an object of limits`);
  const { closedOptions, ...limits } = value;
  for (const [limit, figure] of Object.entries(limits)) {
    if (!isLimit(limit)) throw new ConfigError(`${ENV}: class ${name} has an unknown limit ${limit}`);
    if (!Number.isSafeInteger(figure) || Number(figure) < MINIMA[limit])
      throw new ConfigError(
        `${ENV}: ${limit} of class ${name} must be an integer of at least ${MINIMA[limit]}`,
      );
    const most = MAXIMA[limit] ?? Infinity;
    if (Number(figure) > most)
      throw new ConfigError(`${ENV}: ${limit} of class ${name} is above ${most}, which no store takes`);
  }
  return {
    limits,
    ...(closedOptions !== undefined && { closedOptions: closedOptionsOf(name, closedOptions) }),
  };
}

/**
 * A limit or the list of closed options that a class omits is the one of the class `default`.
 * @throws ConfigError
 */
export function readClassLimits(text: string): ClassLimits {
  const classes = parse(text);
  if (!isRecord(classes)) throw new ConfigError(`${ENV} must be a JSON object`);
  const names = Object.keys(classes);
  if (names.length > MAX_CLASSES) throw new ConfigError(`${ENV} must have at most ${MAX_CLASSES} classes`);
  const { limits, closedOptions = [] } = factsOf(DEFAULT_CLASS, classes[DEFAULT_CLASS] ?? {});
  const standard = { ...BUILT_IN_LIMITS, ...limits };
  const byName = new Map<string, ProjectLimits>();
  const closed = new Map<string, readonly CallerOption[]>([[DEFAULT_CLASS, closedOptions]]);
  for (const name of names) {
    const own = factsOf(name, classes[name]);
    byName.set(name, { ...standard, ...own.limits });
    closed.set(name, own.closedOptions ?? closedOptions);
  }
  return { standard, byName, closedOptions: closed };
}
