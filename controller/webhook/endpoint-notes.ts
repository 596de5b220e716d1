import { projectKey } from '#crds/api-group.ts';
import type { EndpointAnswer } from './endpoint.ts';

/** Maximum delivery results of one project that wait for a status write; more add no information. */
const KEPT = 100;

/** Delivery results of ZipJobs that are not in the status of their project yet. */
export interface EndpointNotes {
  add(namespace: string, answer: EndpointAnswer): void;
  of(namespace: string): readonly EndpointAnswer[];
  /** Drops results that are in the status. */
  written(namespace: string, answers: readonly EndpointAnswer[]): void;
}

/** Calls `onNote` with the key of the project whose status may change. */
export const createEndpointNotes = (onNote: (key: string) => void): EndpointNotes => {
  const notes = new Map<string, readonly EndpointAnswer[]>();
  return {
    add: (namespace, answer) => {
      notes.set(namespace, [...(notes.get(namespace) ?? []), answer].slice(-KEPT));
      onNote(projectKey(namespace));
    },
    of: (namespace) => notes.get(namespace) ?? [],
    written: (namespace, answers) => {
      const left = (notes.get(namespace) ?? []).filter((answer) => !answers.includes(answer));
      if (left.length === 0) notes.delete(namespace);
      else notes.set(namespace, left);
    },
  };
};
