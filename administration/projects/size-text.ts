export { BYTE_UNITS, sizeText } from '#runtime/size-text.ts';
