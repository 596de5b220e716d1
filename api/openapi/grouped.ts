/** A number for readers, with its digits in groups of three. */
export function grouped(figure: number): string {
  return figure.toLocaleString('en-US');
}
