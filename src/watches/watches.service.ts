import {
  type Actor,
  actorOf,
  type AuditEvent,
  AuditService,
} from '../platform/audit/audit.service.js';
import { watchEvent } from './watch-rows.js';
import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import type { ClientCaller } from '../platform/access/caller.js';
import type { Catalogue } from '../catalogue/content/catalogue.js';
import {
  clientItself,
  NO_CLIENT,
  type ShownCatalogue,
  type ShownPlace,
  ShownService,
} from '../catalogue/shown/shown.service.js';
import { RevisionsService } from '../platform/database/revisions.service.js';
import { addRows } from '../platform/database/engine/rows.js';
import { newId } from '../platform/database/new-id.js';
import { type LIVE, onSide, sideOf, tableOn } from '../platform/database/sides.js';
import { Transactions } from '../platform/database/transactions.js';
import type { Tx } from '../platform/database/engine/tx.js';
import { Clock } from '../platform/kernel/clock.js';
import { postcodeFor, uprnOf } from '../platform/problems/postcode.errors.js';
import { Problem, Unavailable } from '../platform/problems/problem.js';
import { SandboxService } from '../catalogue/sandbox/sandbox.service.js';
import { isMet, lastChange, type WatchCondition } from './watch-condition.js';
import { WatchLocksService } from './watch-locks.service.js';
import { isBehind } from './watch-progress.entity.js';
import { NO_UPRN, placeKeyOfWatch, Watch, WatchCaller } from './watch.entity.js';
import type { WatchedPlace } from './watches.dto.js';
import { TooManyWatches } from './watches.errors.js';

/** Open watches of an API client. */
export const MOST_WATCHES = 10_000;
/** Another instance may have loaded a newer catalogue than this one. */
const MOST_ATTEMPTS = 3;

/** An API client for which staff watch a place; never a test. */
export type LiveClient = typeof LIVE & Pick<ClientCaller, 'clientId'>;

export interface PutWatch {
  readonly watch: Watch;
  readonly created: boolean;
  /** Whether products can be ordered now. */
  readonly met: boolean;
}

type StoreMore = (tx: Tx, put: PutWatch) => Promise<void>;

interface PutOptions {
  /** An open watch keeps its condition and stays open: the evaluation then sends the message, as no answer reaches the client. */
  readonly byStaff?: true;
  /** Who asks for it; by default the client. */
  readonly actor?: Actor;
  /** Runs in the transaction of the watch, which keeps other changes of the client's watches out. */
  readonly storeMore?: StoreMore;
}

/** A watch as asked for, and the catalogue that decides whether it waits. */
interface AskedWatch extends Pick<
  Watch,
  'packed' | 'uprn' | 'clientReference' | keyof WatchCondition
> {
  readonly catalogue: Catalogue;
}

/** Adds watches. One whose condition is met already is served at once, without a message. */
@Injectable()
export class WatchesService {
  constructor(
    private readonly transactions: Transactions,
    private readonly revisions: RevisionsService,
    private readonly locks: WatchLocksService,
    private readonly shown: ShownService,
    private readonly sandbox: SandboxService,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {}

  /** @throws {InvalidPostcode | InvalidUprn | UprnNotAtPostcode | TooManyWatches | Unavailable} */
  async put(
    place: WatchedPlace,
    client: ClientCaller | LiveClient,
    options?: PutOptions,
  ): Promise<PutWatch> {
    const [put] = await this.putMany([place], client, options);
    if (put instanceof Problem) throw put;
    return put!;
  }

  /** For each place its watch, or the problem that `put` would throw. @throws {Unavailable} */
  async putMany(
    places: readonly WatchedPlace[],
    client: ClientCaller | LiveClient,
    options: PutOptions = {},
  ): Promise<(PutWatch | Problem)[]> {
    for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt += 1) {
      const shown = this.shown.shownTo({ ...NO_CLIENT, ...sideOf(client) });
      const live = shown.current;
      const asked = await Promise.all(places.map((place) => this.read(place, shown, client)));
      const stored = await this.transactions.run(async (tx) => {
        const results = await this.store(tx, asked, live, client, options);
        for (const put of results ?? [])
          if (!(put instanceof Problem)) await options.storeMore?.(tx, put);
        return results;
      });
      if (stored) return stored;
      await this.revisions.look();
    }
    throw new Unavailable('The catalogue is changing at the moment.', undefined, 1);
  }

  /**
   * For a client on the phone.
   * @returns whether products can be ordered there now, so that there is nothing to wait for
   */
  async putByStaff(
    place: WatchedPlace,
    client: LiveClient,
    actor: Actor,
    storeMore?: StoreMore,
  ): Promise<boolean> {
    return (await this.put(place, client, { byStaff: true, actor, storeMore })).met;
  }

  /**
   * For a caller who is no client: watches the place for Direct enquiries, and stores the address.
   * @returns see `putByStaff`
   */
  putForCaller(
    place: WatchedPlace,
    client: LiveClient,
    email: string,
    actor: Actor,
  ): Promise<boolean> {
    return this.putByStaff(place, client, actor, async (tx, { watch, met }) => {
      if (met) return;
      const { packed, uprn } = watch;
      const caller = { packed, uprn, email: email.toLowerCase() };
      await tx.delete(WatchCaller, caller);
      await addRows(tx, WatchCaller, [
        { id: newId(), ...caller, putAt: this.clock.now(), servedAt: null },
      ]);
    });
  }

  private async read(
    place: WatchedPlace,
    shown: ShownCatalogue,
    client: ClientCaller | LiveClient,
  ): Promise<AskedWatch | Problem> {
    try {
      const postcode = postcodeFor(place.postcode, client);
      if (client.isTest) await this.sandbox.lookUp(postcode, client);
      // A client may send null for an absent property.
      const uprn = place.uprn == null ? null : uprnOf(place.uprn);
      return askedAt(shown.at({ postcode, uprn }), place);
    } catch (error) {
      if (error instanceof Problem) return error;
      throw error;
    }
  }

  /** Null if others have evaluated a newer catalogue: a watch stored now would never be compared with it. */
  private async store(
    tx: Tx,
    asked: readonly (AskedWatch | Problem)[],
    live: Catalogue,
    caller: ClientCaller | LiveClient,
    { byStaff, actor = actorOf(caller as ClientCaller) }: PutOptions,
  ): Promise<(PutWatch | Problem)[] | null> {
    const client = await this.locks.lockClient(tx, caller.clientId);
    const progress = await this.locks.holdProgress(tx);
    const now = this.clock.now();
    const readyAt = new Date(lastChange(live, now.getTime()));
    if (isBehind({ version: live.version, readyAt }, progress)) return null;
    const entity = tableOn(Watch, caller);
    const places = asked.flatMap((one) => (one instanceof Problem ? [] : [one.packed]));
    const found = await tx.findBy(entity, { clientId: client.id, packed: In(places) });
    const known = new Map(found.map((one) => [placeKeyOfWatch(one), one]));
    // What the client itself would read: staff may put the watch.
    const shown = this.shown.shownIn(live, clientItself(client), now);
    const added = new Map<string, Watch>();
    let open = await tx.countBy(entity, { clientId: client.id, state: 'open' });
    const results: (PutWatch | Problem)[] = [];
    const events: AuditEvent[] = [];
    for (const one of asked) {
      if (one instanceof Problem) {
        results.push(one);
        continue;
      }
      const { catalogue, ...place } = one;
      const met = isMet(shown, catalogue, place, place);
      const before = known.get(placeKeyOfWatch(one));
      if (!met && before?.state !== 'open' && open >= MOST_WATCHES) {
        results.push(new TooManyWatches(MOST_WATCHES));
        continue;
      }
      const keeps = before && (before.state === 'open' || (met && before.state === 'served'));
      const staysOpen = byStaff && before?.state === 'open';
      const state = met && !staysOpen ? 'served' : 'open';
      const changedAt = met && before?.state === 'served' ? before.changedAt : now;
      const watch: Watch = {
        id: newId(),
        clientId: client.id,
        createdAt: now,
        batch: null,
        ...(keeps && before),
        ...(staysOpen ? before : place),
        state,
        changedAt,
      };
      open += Number(state === 'open') - Number(before?.state === 'open');
      known.set(placeKeyOfWatch(one), watch);
      if (!keeps) events.push(watchEvent(watch, 'watch-made', actor));
      else if (isOther(before, watch)) events.push(watchEvent(watch, 'watch-changed', actor));
      results.push({ watch, created: !keeps, met });
      if (keeps && !added.has(placeKeyOfWatch(one)))
        await tx.update(entity, { id: watch.id }, watch);
      else added.set(placeKeyOfWatch(one), watch);
      if (before && !keeps) await tx.delete(entity, { id: before.id });
    }
    await addRows(tx, entity, [...added.values()]);
    await this.audit.recordLive(onSide(tx, caller), ...events);
    return results;
  }
}

/** Whether a repeated request has changed what it waits for. */
function isOther(before: Watch, { minBandwidthMbps, maxPriceMilli, ...after }: Watch): boolean {
  return (
    before.minBandwidthMbps !== minBandwidthMbps ||
    before.maxPriceMilli !== maxPriceMilli ||
    before.includeBuild !== after.includeBuild ||
    before.clientReference !== after.clientReference
  );
}

function askedAt({ catalogue, key, uprn }: ShownPlace, place: WatchedPlace): AskedWatch {
  const { minBandwidth, maxPrice, includeBuild } = place;
  return {
    packed: key.packed,
    uprn: uprn ?? NO_UPRN,
    clientReference: place.reference ?? null,
    minBandwidthMbps: minBandwidth == null ? 0 : Math.round(minBandwidth * 1_000),
    maxPriceMilli: maxPrice == null ? null : Math.round(maxPrice * 1_000),
    includeBuild: includeBuild ?? false,
    catalogue,
  };
}
