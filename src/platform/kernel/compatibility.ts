/** Versions of the API that the answers to an API client can follow, the newest first. */
export const compatibilities = ['0.3', '0.2'] as const;

/**
 * `0.2` is for generated clients of version 0.2.0: they read the capacity as `bandwidthCapactity`, and
 * bandwidths as 32-bit integers.
 */
export type Compatibility = (typeof compatibilities)[number];
