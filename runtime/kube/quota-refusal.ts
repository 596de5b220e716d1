/** A resource of which a ResourceQuota has too little left. The quantities are as the API server writes them, such as `500m`. */
interface QuotaExcess {
  /** As in `spec.hard`, such as `count/jobs.batch`. */
  readonly resource: string;
  readonly requested: string;
  readonly used: string;
  readonly hard: string;
}

/** Why a ResourceQuota refused an object. */
export interface QuotaRefusal {
  readonly name: string;
  readonly exceeded: readonly QuotaExcess[];
}

/** As the admission plugin ResourceQuota writes it. A refusal has no other form, neither in a response nor in an Event. */
const EXCEEDED = /exceeded quota: ([^,\s]+), requested: (\S+), used: (\S+), limited: (\S+)/;

function quantitiesIn(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split(',').flatMap((pair) => {
      const [resource, quantity] = pair.split('=');
      return resource && quantity ? [[resource, quantity] as const] : [];
    }),
  );
}

/** The refusal in a message of the API server; undefined if no quota was exceeded. */
export function findQuotaRefusal(message: string): QuotaRefusal | undefined {
  const [, name, requested = '', used = '', limited = ''] = EXCEEDED.exec(message) ?? [];
  if (name === undefined) return undefined;
  const inUse = quantitiesIn(used);
  const hard = quantitiesIn(limited);
  const exceeded = [...quantitiesIn(requested)].map(([resource, quantity]) => ({
    resource,
    requested: quantity,
    used: inUse.get(resource) ?? '0',
    hard: hard.get(resource) ?? '0',
  }));
  return { name, exceeded };
}

/** The quota, and its numbers: `ResourceQuota "objects" has no room: count/pods: 1 requested, 3 used, 3 allowed`. */
export function quotaText({ name, exceeded }: QuotaRefusal): string {
  const resources = exceeded.map(
    ({ resource, requested, used, hard }) =>
      `${resource}: ${requested} requested, ${used} used, ${hard} allowed`,
  );
  return `ResourceQuota "${name}" has no room: ${resources.join('; ')}`;
}
