/** A number for readers, with its digits in groups of three. */
export const grouped = (figure: number): string => figure.toLocaleString('en-US');
