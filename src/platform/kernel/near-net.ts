/** Who sees prices by distance. */
export const nearNetSettings = ['staff', 'all', 'off'] as const;
export type NearNet = (typeof nearNetSettings)[number];

/** The setting of an API client; `default` is that of the operator. */
export const clientNearNets = ['default', ...nearNetSettings] as const;
export type ClientNearNet = (typeof clientNearNets)[number];
