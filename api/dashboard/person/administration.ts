import { systemClock } from '#runtime/clock.ts';
import { RESOURCES } from '#runtime/kube/resources.ts';
import { createPersonClient } from '../../administration/person-client.ts';
import { createProjects, type Projects } from '../../administration/projects.ts';
import type { Person } from './person.ts';

/** What can be done with projects, as the person. */
export const projectsOf = ({ kube }: Pick<Person, 'kube'>): Projects =>
  createProjects({
    projects: createPersonClient(kube, RESOURCES.zipProjects),
    namespaces: createPersonClient(kube, RESOURCES.namespaces),
    clock: systemClock,
  });
