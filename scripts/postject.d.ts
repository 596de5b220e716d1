/** postject declares no types. */
declare module 'postject' {
  /** Writes the data into the executable file as a resource of this name. */
  export function inject(
    ...args: [
      executable: string,
      name: string,
      data: Buffer,
      options: { readonly sentinelFuse: string; readonly machoSegmentName?: string },
    ]
  ): Promise<void>;
}
