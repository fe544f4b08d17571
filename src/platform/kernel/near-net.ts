/** Who sees prices by distance. */
export const nearNetSettings = ['staff', 'all', 'off'] as const;
export type NearNet = (typeof nearNetSettings)[number];

/** The setting of an API client; `default` is that of the operator. */
export const clientNearNets = ['default', ...nearNetSettings] as const;
export type ClientNearNet = (typeof clientNearNets)[number];

/** Who sees prices by distance at a client. */
export function nearNetOf(own: ClientNearNet, general: NearNet): NearNet {
  return own === 'default' ? general : own;
}

/** Whether a client itself sees them. In the sandbox, whose version is 0, every client does. */
export function clientSeesNear(
  { nearNet }: { readonly nearNet: ClientNearNet },
  { version }: { readonly version: number },
  general: NearNet,
): boolean {
  return version === 0 || nearNetOf(nearNet, general) === 'all';
}
