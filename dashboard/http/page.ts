import type { Readable } from 'node:stream';
import { AppError } from '#runtime/errors.ts';
import type { Question } from '../user/access.ts';
import type { User } from '../user/user.ts';
import type { RequestLimit } from './request-limit.ts';

/** The request of a page. */
export interface PageRequest {
  readonly user: User;
  /** Namespace of the project in the path; `''` for pages outside of one. */
  readonly namespace: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Fields of a posted form; empty for a GET. */
  readonly form: URLSearchParams;
  readonly now: Date;
  /** Aborts when the time for calls to the API server is over. The clients of the user end with it by themselves. */
  readonly signal: AbortSignal;
  /** Runs a task whose time does not count towards that limit, because it waits for something else. */
  readonly outsideLimit: RequestLimit['outside'];
  /** Aborts when the connection of the client closes, and after the response. */
  readonly left: AbortSignal;
}

/** A message that the next page shows once. */
export interface Flash {
  readonly kind: 'done' | 'failed';
  readonly text: string;
}

/** A page above the shown one. */
export interface Crumb {
  readonly label: string;
  readonly href: string;
}

export interface ShownPage {
  readonly kind: 'page';
  /** Template below dashboard, such as `/overview/overview`; gets `data` as `it.view`. */
  readonly view: string;
  /** Most specific part first, such as `Failed · 48448.zip`. The frame appends the project. */
  readonly title: string;
  /** Breadcrumbs between the project and this page. */
  readonly trail?: readonly Crumb[];
  /** Item of the menu that the page belongs to. */
  readonly section?: Section;
  readonly data: object;
  /** Default 200; 422 for a form with errors. */
  readonly status?: number;
}

/** A part of a page, without the frame, for live updates. */
export interface ShownFragment {
  readonly kind: 'fragment';
  readonly view: string;
  readonly data: object;
}

/** A redirect after a change, so that a reload does not repeat the change. */
export interface GoTo {
  readonly kind: 'go';
  readonly to: string;
  readonly flash?: Flash;
}

/** A file for the browser to save, sent while it is read. If reading fails, the connection is closed before its end. */
export interface SentFile {
  readonly kind: 'file';
  /** Letters, digits, dots and hyphens. */
  readonly name: string;
  readonly contentType: string;
  readonly body: Readable;
}

export type PageResponse = ShownPage | ShownFragment | GoTo | SentFile;

export type Section =
  | 'projects'
  | 'overview'
  | 'jobs'
  | 'history'
  | 'buckets'
  | 'tokens'
  | 'refused-requests'
  | 'webhook'
  | 'settings'
  | 'first-steps';

/** One path of the dashboard. A page is a file of the folder of its menu item that makes its routes. */
export interface Route {
  readonly method: 'GET' | 'POST';
  /** `:project` is a namespace: the user must be allowed to see its project. */
  readonly path: string;
  /** Permissions that the user needs in the project, checked on every request. */
  readonly needs?: readonly Question[];
  readonly handle: (request: PageRequest) => Promise<PageResponse>;
}

/** An error with its own page. */
export class PageError extends AppError {
  readonly status: number;
  readonly title: string;

  constructor(status: number, title: string, message: string) {
    super(message, { code: `Page${status}`, retryable: status >= 500 });
    this.status = status;
    this.title = title;
  }
}

/** For a request that exceeds a limit of concurrent requests. */
export class BusyError extends PageError {
  readonly retryAfterSeconds: number;

  constructor(title: string, message: string, retryAfterSeconds: number) {
    super(503, title, message);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export function notAllowed(reason: string): PageError {
  return new PageError(403, 'Not allowed', reason);
}

export function notFound(message = 'This page does not exist.'): PageError {
  return new PageError(404, 'Not found', message);
}
