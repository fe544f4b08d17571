/** What the service does when time has passed. */
import { endCharges } from './charges.js';
import { remindClients } from './conversation.js';
import type { Model } from './model.js';
import { endOffers } from './offers.js';
import { serveWatches } from './watches.js';

export function passTime(model: Model): void {
  serveWatches(model);
  remindClients(model);
  for (const number of model.requests.keys()) {
    endCharges(model, number);
    endOffers(model, number);
  }
}
