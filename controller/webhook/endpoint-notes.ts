import { projectKey } from '#crds/api-group.ts';
import type { EndpointResponse } from './endpoint.ts';

/** Maximum delivery results of one project that wait for a status write; more add no information. */
const KEPT = 100;

/** Delivery results of ZipJobs that are not in the status of their project yet. */
export interface EndpointNotes {
  add(namespace: string, response: EndpointResponse): void;
  of(namespace: string): readonly EndpointResponse[];
  /** Drops the results of a project that does not exist. */
  forget(namespace: string): void;
  /** Drops results that are in the status. */
  written(namespace: string, responses: readonly EndpointResponse[]): void;
}

/** Calls `onNote` with the key of the project whose status may change. */
export function createEndpointNotes(onNote: (key: string) => void): EndpointNotes {
  const notes = new Map<string, readonly EndpointResponse[]>();
  return {
    add: (namespace, response) => {
      notes.set(namespace, [...(notes.get(namespace) ?? []), response].slice(-KEPT));
      onNote(projectKey(namespace));
    },
    of: (namespace) => notes.get(namespace) ?? [],
    forget: (namespace) => {
      notes.delete(namespace);
    },
    written: (namespace, responses) => {
      const left = (notes.get(namespace) ?? []).filter((response) => !responses.includes(response));
      if (left.length === 0) notes.delete(namespace);
      else notes.set(namespace, left);
    },
  };
}
