import type { OutputFormat } from './output.ts';

/** Options of every command. */
export interface GlobalArguments {
  readonly output: OutputFormat;
  readonly namespace: string | undefined;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
}
