import { Injectable } from '@nestjs/common';
import type { Catalogue } from '../catalogue/content/catalogue.js';
import {
  clientItself,
  type ShownCatalogue,
  ShownService,
} from '../catalogue/shown/shown.service.js';
import { ApiClient, isDirectClient } from '../clients/api-client.entity.js';
import { LIVE, type Side, sides } from '../platform/database/sides.js';
import { Transactions } from '../platform/database/transactions.js';
import { OutboxService } from '../platform/notifications/outbox.service.js';
import { callerServed } from './watch-emails.js';
import { isMet } from './watch-condition.js';
import { openWatches } from './stored-watches.js';
import { type FoundPlace, MOST_PLACES, ServedService } from './served.service.js';
import type { WatchRows } from './watch-rows.js';
import { type WatchRun, WatchTargetService } from './watch-target.service.js';

/** What a catalogue would serve. */
export interface ServedCounts {
  readonly watches: number;
  readonly clients: number;
}

/**
 * Compares open watches with a catalogue. It does not compare versions: every watch that is open and has its
 * condition met is served, so that an evaluation can be repeated, or run twice at once.
 */
@Injectable()
export class WatchEvaluationService {
  constructor(
    private readonly transactions: Transactions,
    private readonly target: WatchTargetService,
    private readonly served: ServedService,
    private readonly outbox: OutboxService,
    private readonly shown: ShownService,
  ) {}

  /** Serves the watches whose condition the last change met, unless that was done. */
  async evaluate(stopping?: AbortSignal): Promise<void> {
    let run = await this.target.begin();
    if (!run) return;
    let done = false;
    try {
      for (const side of sides) {
        run = await this.serve(run, side, stopping);
        if (stopping?.aborted) return;
      }
      done = true;
    } finally {
      await this.target.end(run, done);
    }
  }

  /** How many open watches a catalogue would serve if it were live now. */
  async preview(catalogue: Catalogue): Promise<ServedCounts> {
    let watches = 0;
    const clients = new Set<string>();
    for await (const found of this.found(catalogue, LIVE)) {
      for (const { clientId, places } of found) {
        watches += places.length;
        if (places.length > 0) clients.add(clientId);
      }
    }
    return { watches, clients: clients.size };
  }

  /** Messages are as full as they can be, and in the order of the places. */
  private async serve(run: WatchRun, side: Side, stopping?: AbortSignal): Promise<WatchRun> {
    let renewed = run;
    let clientId = '';
    let waiting: FoundPlace[] = [];
    const send = async (least: number) => {
      while (waiting.length >= least) {
        const places = waiting.slice(0, MOST_PLACES);
        waiting = waiting.slice(MOST_PLACES);
        await this.served.serve(clientId, places, side);
        renewed = await this.target.renew(renewed);
      }
    };
    for await (const page of this.found(run.catalogue, side)) {
      renewed = await this.target.renew(renewed);
      for (const found of page) {
        if (found.clientId !== clientId) await send(1);
        clientId = found.clientId;
        waiting.push(...found.places);
        await send(MOST_PLACES);
      }
      if (stopping?.aborted) return renewed;
    }
    await send(1);
    return renewed;
  }

  private async *found(catalogue: Catalogue, side: Side) {
    const clients = await this.transactions.read((tx) => tx.find(ApiClient));
    const byId = new Map(clients.map((client) => [client.id, client]));
    // Callers wait until an email can reach them: nothing else would say that their place is served.
    const reachesCallers = this.outbox.sends(callerServed.code);
    for await (const page of openWatches(this.transactions, side)) {
      yield page.map((rows) => {
        const client = byId.get(rows.clientId);
        // Clients are never deleted; one that is new serves its watches by itself.
        const waits = isDirectClient({ id: rows.clientId }) && !reachesCallers;
        if (!client || waits) return { clientId: rows.clientId, places: [] };
        const shown = this.shown.shownIn(catalogue, clientItself(client));
        return { clientId: rows.clientId, places: foundIn(rows, shown) };
      });
    }
  }
}

/** The places of the watches whose condition is met, in order: the database joins rows in any. */
export function foundIn(rows: WatchRows, shown: ShownCatalogue): FoundPlace[] {
  const found: FoundPlace[] = [];
  for (let i = 0; i < rows.count; i += 1) {
    const place = { packed: rows.packed(i), uprn: rows.uprn(i) };
    const condition = {
      minBandwidthMbps: rows.minBandwidthMbps(i),
      maxPriceMilli: rows.maxPriceMilli(i),
      includeBuild: rows.includeBuild(i),
    };
    if (isMet(shown, shown.current, place, condition)) found.push(place);
  }
  return found.sort((a, b) => a.packed - b.packed || a.uprn - b.uprn);
}
