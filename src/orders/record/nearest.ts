import type { Catalogue, Nearest } from '../../catalogue/content/catalogue.js';
import type { PlaceKey } from '../../platform/kernel/uprn.js';
import { placeOf } from '../../platform/problems/postcode.errors.js';
import { whole } from '../../platform/kernel/counts.js';

/** The place of an order; where it was priced by distance, it still is. @param at milliseconds */
export function placeOfOrder(
  order: Parameters<typeof placeOf>[0] & { readonly nearest: Nearest | null },
  catalogue: Catalogue,
  at: number,
): PlaceKey {
  const place = placeOf({ postcode: order.postcode, uprn: order.uprn });
  return order.nearest === null ? place : catalogue.withNear(place, at);
}

/** `350 m from the network, in the band to 500 m`. */
export function nearestInWords({ distanceMetres, band }: Nearest): string {
  const [metres, to] = [distanceMetres, band].map((value) => whole(value));
  return `${metres} m from the network, in the band to ${to} m`;
}
