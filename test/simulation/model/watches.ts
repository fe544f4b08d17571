/** Watches: places at which a client waits for a product. */
import { checkAt } from './catalogue.js';
import {
  audited,
  type Expected,
  instant,
  instantOrNull,
  type Model,
  refused,
  type WatchModel,
} from './model.js';
import { DAY } from './time.js';

export interface WatchSent {
  readonly reference: string | null;
  readonly minBandwidth: number | null;
  readonly maxPrice: number | null;
}

const watchAt = (model: Model, client: number, postcode: string) =>
  model.watches.find((one) => one.client === client && one.postcode === postcode && !one.isDeleted);

function isMet(model: Model, watch: Pick<WatchModel, 'client' | 'postcode' | 'sent'>): boolean {
  const { priceList } = model.clients[watch.client]!;
  const { minBandwidth, maxPrice } = watch.sent;
  return checkAt(model.catalogue, priceList, watch.postcode, model.now).offers.some(
    (offer) =>
      offer.bandwidthProvisioned >= (minBandwidth ?? 0) && offer.price <= (maxPrice ?? Infinity),
  );
}

export function putWatch(
  model: Model,
  client: number,
  postcode: string,
  sent: WatchSent,
): Expected {
  const { now } = model;
  const known = watchAt(model, client, postcode);
  const servedAt = isMet(model, { client, postcode, sent }) ? now : null;
  const isReplaced = known && (known.servedAt === null || servedAt !== null);
  const { name } = model.clients[client]!;
  if (isReplaced && JSON.stringify(known.sent) !== JSON.stringify(sent)) {
    audited(model, 'client watch-changed', name);
  }
  if (isReplaced) Object.assign(known, { sent, servedAt: known.servedAt ?? servedAt, putAt: now });
  if (isReplaced) return { status: 200, body: watchView(known) };
  if (known) known.isDeleted = true;
  audited(model, 'client watch-made', name);
  const watch = { id: '', client, postcode, sent, createdAt: now, putAt: now, servedAt };
  const added: WatchModel = { ...watch, isDeleted: false };
  model.watches.push(added);
  const view = watchView(added);
  delete view.watchId;
  return { status: 201, body: view, learn: (body) => (added.id = String(body.watchId)) };
}

export function deleteWatch(model: Model, client: number, postcode: string): Expected {
  const known = watchAt(model, client, postcode);
  if (!known) return refused(404, 'not-found');
  known.isDeleted = true;
  audited(model, 'client watch-removed', model.clients[client]!.name);
  return { status: 200, body: watchView(known) };
}

/** Each open watch whose conditions are met is served once, and its client hears of it. */
export function serveWatches(model: Model): void {
  for (const [number, watch] of model.watches.entries()) {
    if (watch.isDeleted || watch.servedAt !== null || !isMet(model, watch)) continue;
    watch.servedAt = model.now;
    model.served.push(number);
  }
}

export function watchView({ id, postcode, sent, createdAt, putAt, servedAt }: WatchModel) {
  const view: Record<string, unknown> = {
    watchId: id,
    postcode,
    uprn: null,
    ...sent,
    includeBuild: false,
    state: servedAt === null ? 'open' : 'served',
    createdAt: instant(createdAt),
    endsAt: servedAt === null ? instant(putAt + 365 * DAY) : null,
    servedAt: instantOrNull(servedAt),
  };
  return view;
}
