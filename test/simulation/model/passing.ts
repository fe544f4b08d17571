/** What the service does when time has passed. */
import { endCharges } from './charges.js';
import type { Model } from './model.js';
import { endOffers } from './offers.js';

export function passTime(model: Model): void {
  for (const number of model.requests.keys()) {
    endCharges(model, number);
    endOffers(model, number);
  }
}
