/** Versions of the API that the answers to an API client can follow, the newest first. */
export const compatibilities = ['0.3', '0.2'] as const;

/**
 * `0.2` is for generated clients of version 0.2.0: they read the capacity as `bandwidthCapactity`, and
 * bandwidths as 32-bit integers. The first major version after `lastDayOfOlder` leaves it out.
 */
export type Compatibility = (typeof compatibilities)[number];

export const lastDayOfOlder = '2027-12-31';

const ending: readonly string[] = [
  'Deprecation',
  `@${Date.parse('2026-11-28T00:00:00Z') / 1_000}`,
  'Sunset',
  new Date(`${lastDayOfOlder}T23:59:59Z`).toUTCString(),
];
const lasting: readonly string[] = [];

/** Alternating names and values of the headers that announce the end of `0.2` (RFC 9745, RFC 8594). */
export function endHeaders(compatibility: Compatibility): readonly string[] {
  return compatibility === '0.2' ? ending : lasting;
}

/** Who sees prices by distance. */
export const nearNetSettings = ['staff', 'all', 'off'] as const;
export type NearNet = (typeof nearNetSettings)[number];

/** The setting of an API client; `default` is that of the operator. */
export const clientNearNets = ['default', ...nearNetSettings] as const;
export type ClientNearNet = (typeof clientNearNets)[number];

export const onOrOff = ['on', 'off'] as const;
export type OnOrOff = (typeof onOrOff)[number];
