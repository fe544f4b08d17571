import type { Nearest } from '../../catalogue/content/catalogue.js';
import { whole } from '../../platform/kernel/counts.js';

/** `350 m from the network, in the band to 500 m`. */
export function nearestInWords({ distanceMetres, band }: Nearest): string {
  const [metres, to] = [distanceMetres, band].map((value) => whole(value));
  return `${metres} m from the network, in the band to ${to} m`;
}
