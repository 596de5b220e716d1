import { limitText } from '#administration/projects/project-limits.ts';
import { toProject } from '#administration/projects/project-view.ts';
import type { ZipProject } from '#crds/zip-project.ts';
import { isSize } from '#runtime/project-limits/lower-limit.ts';
import { FORMAT } from '../ui/format.ts';

const UNKNOWN = 'Not reported yet';

/** The class and the limits of a project, as facts. */
export function limitFacts(
  zipProject: ZipProject,
  storedJobs: number,
): readonly { readonly name: string; readonly value: string }[] {
  const project = toProject(zipProject);
  function text(name: Parameters<typeof limitText>[1]): string {
    return limitText(project, name, isSize(name) ? FORMAT.bytes : FORMAT.number) ?? UNKNOWN;
  }
  const mostJobs = limitText(project, 'storedJobs', FORMAT.number);
  const mostBytes = limitText(project, 'storedBytes', FORMAT.bytes);
  return [
    { name: 'Class', value: project.class?.name ?? UNKNOWN },
    { name: 'Active jobs', value: text('activeJobs') },
    { name: 'Files per job', value: text('filesPerJob') },
    { name: 'Bytes of an archive', value: text('archiveBytes') },
    { name: 'Requests per minute', value: text('requestsPerMinute') },
    { name: 'Creates per second', value: text('createsPerSecond') },
    { name: 'Files per second', value: text('filesPerSecond') },
    {
      name: 'Stored jobs',
      value: `${FORMAT.number(storedJobs)}${mostJobs === null ? '' : ` of ${mostJobs}`}`,
    },
    { name: 'Stored bytes', value: mostBytes === null ? UNKNOWN : `At most ${mostBytes}` },
  ];
}
