/** What became of a line. */
export const lineStates = [
  'priced',
  'notAvailable',
  'invalid',
  'enquired',
  'offered',
  'ordered',
  'unableToProvide',
] as const;
export type LineState = (typeof lineStates)[number];

/** In lists, on pages and in documents. */
export const stateWords: Readonly<Record<LineState, string>> = {
  priced: 'priced',
  notAvailable: 'not available',
  invalid: 'invalid',
  enquired: 'with staff',
  offered: 'offered',
  ordered: 'ordered',
  unableToProvide: 'unable to provide',
};
