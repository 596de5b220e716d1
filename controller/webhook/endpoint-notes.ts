import { projectKey } from '#crds/api-group.ts';
import type { EndpointAnswer } from './endpoint.ts';

/** As many answers of one project as wait to be written down; more would only say the same. */
const KEPT = 100;

/** Answers of endpoints on their way from the ZipJobs that were told to the status of their project. */
export interface EndpointNotes {
  add(namespace: string, answer: EndpointAnswer): void;
  of(namespace: string): readonly EndpointAnswer[];
  /** Forgets what has been written down. */
  written(namespace: string, answers: readonly EndpointAnswer[]): void;
}

/** `onNote` is told the key of the project whose status may change. */
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
