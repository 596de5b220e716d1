import { invalidInput } from '#administration/errors/administration-error.ts';
import { filledIn, formIdIn } from '../ui/form.ts';

/**
 * The settings in a form of an endpoint. An empty URL keeps the current one.
 * @throws AdministrationError InvalidInput if the field of the URL is missing: it is left out of a form that was kept
 */
export function postedEndpoint(form: URLSearchParams) {
  if (!form.has('url')) throw invalidInput('url', 'Enter the URL again. It is not kept with the form');
  const { url = '' } = filledIn(form, 'url');
  return { url: url === '' ? undefined : url, events: form.getAll('events'), form: formIdIn(form) };
}
