/** How many copies of the client and of a quote `growth-measure.ts` adds. */
export interface GrowthFill {
  readonly clients: number;
  readonly quotes: number;
}

/** What `growth.ts` asks of `growth-measure.ts`. */
export interface GrowthPlan {
  readonly token: string;
  readonly postcodes: { readonly few: string; readonly many: string };
  /** Sold at the place with few products. */
  readonly product: string;
  /** Folders with changes to publish. */
  readonly changes: readonly string[];
}

/** `own` is a check of a place with all products, `quotes` the list of a client. */
export const measured = [
  ...(['check', 'own', 'order', 'list', 'search', 'quotes'] as const),
  ...(['start', 'memory', 'publication'] as const),
];

/** Microseconds of processor time of a call, milliseconds of `start` and `publication`, MB of `memory`. */
export type GrowthCosts = Readonly<Record<(typeof measured)[number], number>>;
