/** The cause of a failure that is about one file, as a sentence that names the file. */
import { STATUS_CODES } from 'node:http';
import { failureHelp } from './failure-help.ts';

export interface FailedFile {
  readonly code: string;
  /** Index in the file list, from 0. */
  readonly fileIndex: number;
  /** Status of the response of its source. */
  readonly httpStatus: number | null;
}

/** Where a file comes from, without its URL. Only for users who may read the file list. */
export interface FileSource {
  readonly filename: string;
  /** Host of the URL, with its port; empty if it has none. */
  readonly host: string;
}

interface Words {
  /** The host, or `the server`. */
  readonly host: string;
  /** `photo-8.jpg (file 8 of 12)`. */
  readonly file: string;
  /** `responded with 404`, or an empty text without a status. */
  readonly response: string;
}

const UNSAFE = /[^\x20-\x7e]/;

/** A name must not change the order of the words around it. */
function isolated(name: string): string {
  return UNSAFE.test(name) ? `\u2068${name}\u2069` : name;
}

/** `file 8 of 12`: readers of a list count from 1. */
function fileNumberText(fileIndex: number, files: number): string {
  return `file ${fileIndex + 1} of ${files}`;
}

/** `404 Not Found`. */
function httpStatusText(status: number): string {
  const words = STATUS_CODES[status];
  return words === undefined ? String(status) : `${status} ${words}`;
}

const CAUSES: Readonly<Record<string, (words: Words) => string>> = {
  SourceUnreachable: ({ host, file }) => `zipjobs could not connect to ${host} for ${file}.`,
  SourceNotFound: ({ host, file, response }) =>
    response === ''
      ? `${host} does not have ${file}, or refused to send it.`
      : `${host} ${response} for ${file}.`,
  SourceUnavailable: ({ host, file, response }) =>
    response === ''
      ? `${host} kept responding with errors for ${file}.`
      : `${host} kept failing for ${file}: it last ${response}.`,
  SourceTruncated: ({ host, file }) =>
    `${host} closed the connection before it had sent the whole of ${file}.`,
  SourceChanged: ({ file }) => `${file} changed at its source while it was downloaded.`,
  SourceAccessDenied: ({ file }) => `The credentials of the source bucket do not permit reading ${file}.`,
  SourceBucketNotFound: ({ file }) => `The bucket of ${file} does not exist at its provider.`,
  SourceCredentialsInvalid: ({ file }) =>
    `The provider does not accept the credentials of the source bucket, which ${file} needs.`,
  SourceBucketMisconfigured: ({ file }) =>
    `The settings of the source bucket do not match the bucket that has ${file}.`,
  SourceExpired: ({ host, file, response }) =>
    response === ''
      ? `The signed URL of ${file} has expired, or the credentials that signed it.`
      : `${host} ${response} for ${file}: its signed URL has expired, or the credentials that signed it.`,
  SourceStalled: ({ host, file }) => `${host} sent no data of ${file}, or sent it too slowly.`,
  SourceTooLarge: ({ file }) => `${file} is larger than the maximum file size.`,
  SourceMismatch: ({ file }) =>
    `${file} differs from the size, checksum or media type that the request states for it.`,
  SourceInvalid: ({ host, file }) => `${host} did not respond with the content of ${file}.`,
  SourceProxyForbidden: ({ host, file }) =>
    `The proxy for sources does not allow connections to ${host}, which ${file} needs.`,
  SourceTlsError: ({ host, file }) => `The TLS certificate of ${host}, which ${file} needs, is not valid.`,
};

function responseText(httpStatus: number | null, isNamed: boolean): string {
  if (httpStatus === null) return '';
  return `responded with ${isNamed ? httpStatus : httpStatusText(httpStatus)}`;
}

function capitalized(sentence: string): string {
  return /^(?:the server|bucket |file \d)/.test(sentence)
    ? `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}`
    : sentence;
}

/**
 * `photos.example.com responded with 404 for photo-8.jpg (file 8 of 12).` Without a source, `The server responded with 404 Not Found for file 8
 * of 12.` Undefined for a failure that is not about a file.
 */
export function failureCause(
  { code, fileIndex, httpStatus }: FailedFile,
  { files, source }: { readonly files: number; readonly source?: FileSource | undefined },
): string | undefined {
  const number = fileNumberText(fileIndex, files);
  const { filename = '', host = '' } = source ?? {};
  return CAUSES[code] === undefined
    ? undefined
    : capitalized(
        CAUSES[code]({
          host: host === '' ? 'the server' : isolated(host),
          file: filename === '' ? number : `${isolated(filename)} (${number})`,
          response: responseText(httpStatus, host !== ''),
        }),
      );
}

const SHORT: Readonly<Record<string, string>> = {
  SourceUnreachable: 'No connection',
  SourceNotFound: 'Not found',
  SourceUnavailable: 'Unavailable',
  SourceTruncated: 'Connection closed early',
  SourceChanged: 'Changed during the download',
  SourceAccessDenied: 'No permission to read',
  SourceBucketNotFound: 'Bucket not found',
  SourceCredentialsInvalid: 'Credentials not accepted',
  SourceBucketMisconfigured: 'Wrong settings of the bucket',
  SourceExpired: 'Signed URL expired',
  SourceStalled: 'Too slow',
  SourceTooLarge: 'Too large',
  SourceMismatch: 'Not as the request states',
  SourceInvalid: 'Not a file',
  SourceProxyForbidden: 'Refused by the proxy',
  SourceTlsError: 'TLS certificate not valid',
};

/** The cause in few words, for a table of files: `404 Not Found`, `Signed URL expired (403 Forbidden)`. */
export function shortCause({ code, httpStatus }: Omit<FailedFile, 'fileIndex'>): string {
  const words = SHORT[code] ?? failureHelp(code)?.words ?? code;
  if (httpStatus === null) return words;
  return code === 'SourceNotFound' ? httpStatusText(httpStatus) : `${words} (${httpStatusText(httpStatus)})`;
}
