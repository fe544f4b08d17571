import { once } from 'node:events';
import { parentPort } from 'node:worker_threads';
import { londonDay } from '../../platform/kernel/working-hours.js';
import { Refused } from '../../platform/problems/refused.js';
import { type CalendarDay, calendarOf } from '../content/browse/calendar.js';
import { fileInfo } from '../content/catalogue-files.js';
import { changedByBoth } from '../content/change-lists.js';
import type { FileFaults } from '../../platform/tables/csv-table.js';
import type { CatalogueContent } from '../content/catalogue.js';
import { compileContent, decodeContent, type StoredContent } from '../content/content-codec.js';
import { effectiveOf } from '../content/cost-books.js';
import { MOST_ZONES, TooManyZones } from '../content/coverage-index.js';
import { onDay } from '../content/dates.js';
import { type CatalogueDiff, diffCatalogues } from '../content/diff.js';
import { type BrokenRail, brokenRails, undoesChanges } from '../content/review/guard-rails.js';
import {
  AdjustmentRefusal,
  adjustPrices,
  type PriceAdjustment,
} from '../content/edits/adjust-prices.js';
import { type SupplierMargins, supplierMargins } from '../content/review/margins.js';
import type { PointOffset } from '../../near-net/moved-points.js';
import { reachBySector, networkOf } from '../network/build-network.js';
import { decodePositions, encodePositions } from '../../near-net/positions.js';
import { POSITIONS_NEEDED } from '../content/files/polygon-reader.js';
import { lintCatalogue, type LintRule, type LintWarning, newWarnings } from '../content/lint.js';
import {
  decodeRegister,
  encodeRegister,
  readRegister,
  type RegisterBefore,
  registerLoss,
} from '../register/postcode-register.js';
import { type MapChanges, mapChanges } from './map-changes.js';
import { type ResultPart, takeApart } from './parts.js';
import { type OnProgress, readCatalogue } from './read-files.js';
import { whole } from '../../platform/kernel/counts.js';

export interface ReviewSettings {
  /** See `encodeRegister`; null if none is loaded. */
  readonly register: Uint8Array | null;
  /** See `encodePositions`; null if no register with positions is loaded. */
  readonly positions: Uint8Array | null;
  /** How much longer a route is than the straight line. */
  readonly routeFactor: number;
  /** See `networkOf`. */
  readonly pointOffset: PointOffset | null;
  readonly lintOff: readonly LintRule[];
  /** Milliseconds. */
  readonly now: number;
}

export interface Review {
  /** Null if there is nothing to compare with. */
  readonly diff: CatalogueDiff | null;
  readonly rails: readonly BrokenRail[];
  readonly warnings: readonly LintWarning[];
  /** The days to come on which dates change something. */
  readonly calendar: readonly CalendarDay[];
}

export interface Preview extends Review {
  /** The warnings that the version before does not have. */
  readonly newWarnings: readonly LintWarning[];
  /** For those who may see margins. */
  readonly margins: readonly SupplierMargins[];
  /** Null if no polygon of coverage.geojson changes. */
  readonly map: MapChanges | null;
}

/** What a new content is compared with. */
interface Comparison extends ReviewSettings {
  /** Null if no version is live. */
  readonly before: StoredContent | null;
}

interface NetworkInput {
  readonly content: StoredContent;
  /** See `encodePositions`. */
  readonly positions: Uint8Array;
  readonly routeFactor: number;
  /** See `networkOf`. */
  readonly pointOffset: PointOffset | null;
}

/** Of a catalogue with bands, while no place has a position. */
const withoutPositions: FileFaults = {
  shown: [
    {
      file: fileInfo('buildBands').fileName,
      line: 1,
      column: '',
      value: '',
      reason: 'The postcode register has no positions, so no place is near the network.',
      suggestion: POSITIONS_NEEDED,
    },
  ],
  total: 1,
};

const contents = new Map<string, Promise<CatalogueContent>>();

/** Decodes a content once: what is changed is mostly what it is compared with, too. */
function contentOf(stored: StoredContent): Promise<CatalogueContent> {
  const known = contents.get(stored.hash) ?? decodeContent(stored);
  contents.set(stored.hash, known);
  return known;
}

/** Each runs in a worker thread, because it would block the event loop for too long. */
const jobs = {
  /** Parses, validates, compiles and reviews the files of a folder or a zip. */
  async compile(
    input: Comparison & {
      readonly path: string;
      /** Has the files that are missing; null if none may be missing. */
      readonly base: StoredContent | null;
    },
    onProgress: OnProgress,
  ) {
    const base = input.base && (await contentOf(input.base));
    const positions = () => input.positions && decodePositions(input.positions);
    const { content, ...read } = await readCatalogue(input.path, { base, positions, onProgress });
    if (content && content.buildBands.length > 0 && input.positions === null) {
      return { ...read, faults: withoutPositions, compiled: null };
    }
    return { ...read, compiled: content && (await compiled(content, input)) };
  },

  /** @throws {Refused} if the prices of the base cannot be adjusted like this */
  async adjust(
    input: Comparison & {
      readonly base: StoredContent;
      readonly adjustment: PriceAdjustment;
    },
  ) {
    const content = adjustPrices(await contentOf(input.base), input.adjustment);
    if (content instanceof AdjustmentRefusal) throw new Refused(content.detail);
    return compiled(content, input);
  },

  /** @param ancestor what `after` was prepared against, if that is not `before` any more */
  async review({
    before,
    after,
    ancestor,
    ...settings
  }: Comparison & {
    readonly after: StoredContent;
    readonly ancestor: StoredContent | null;
  }): Promise<Preview> {
    const [from, to] = [before && (await contentOf(before)), await contentOf(after)];
    const today = londonDay(new Date(settings.now));
    const found = review(from, to, settings);
    const positions = settings.positions && decodePositions(settings.positions);
    const reviewed = {
      ...found,
      map: from && found.diff && mapChanges(from, to, found.diff, positions),
      margins: supplierMargins(to),
      newWarnings: from
        ? newWarnings(
            onDay(from, today),
            onDay(to, today),
            decoded(settings),
            settings.lintOff,
            today,
          )
        : [],
    };
    if (!from || !ancestor) return reviewed;
    const live = decoded(settings)?.live ?? null;
    const published = diffCatalogues(await contentOf(ancestor), from, live);
    const undone = undoesChanges(changedByBoth(published, reviewed.diff!));
    return { ...reviewed, rails: [...reviewed.rails, ...undone] };
  },

  /** @param before what the file replaces; null if there is none */
  async readRegister(
    { path, before }: { readonly path: string; readonly before: RegisterBefore | null },
    onProgress: OnProgress,
  ) {
    const { rows, positions, ...result } = await readRegister(path, onProgress);
    return {
      ...result,
      loss: before && rows && registerLoss(before, rows, positions),
      stored: rows && encodeRegister(rows),
      storedPositions: positions && encodePositions(positions),
      placed: positions?.keys.length ?? 0,
      live: rows?.live.length ?? 0,
      terminated: rows?.terminated.length ?? 0,
    };
  },

  /** The part of the register that checks use. */
  decodeRegister({ stored }: { readonly stored: Uint8Array }) {
    const { terminated, endMonths } = decodeRegister(stored);
    return { terminated, endMonths };
  },

  /** What places can be built from, for the main thread. */
  async network(input: NetworkInput) {
    const content = await decodeContent(input.content);
    const { routeFactor, pointOffset } = input;
    return networkOf(content, decodePositions(input.positions), routeFactor, pointOffset);
  },

  /** For the map: the postcodes with a price by distance on a day in London, by sector. */
  async reach(input: NetworkInput & { readonly day: string }) {
    const content = await decodeContent(input.content);
    const { routeFactor, pointOffset, day } = input;
    return reachBySector(content, decodePositions(input.positions), routeFactor, pointOffset, day);
  },
};

export type Jobs = typeof jobs;
export type JobName = keyof Jobs;
export type JobInput<J extends JobName> = Parameters<Jobs[J]>[0];

/** @throws {Refused} if zones meet in too many ways */
async function compiled(content: CatalogueContent, { before, ...settings }: Comparison) {
  const from = before && (await contentOf(before));
  try {
    return { ...(await compileContent(content)), ...review(from, content, settings) };
  } catch (error) {
    if (!(error instanceof TooManyZones)) throw error;
    const most = whole(MOST_ZONES);
    throw new Refused(
      `The zones of coverage.csv and of the suppliers meet in more than ${most} ways. Merge zones that have the same prices, or leave out coverage.csv of a supplier whose zones are yours.`,
    );
  }
}

function review(
  before: CatalogueContent | null,
  after: CatalogueContent,
  settings: ReviewSettings,
): Review {
  const known = decoded(settings);
  const today = londonDay(new Date(settings.now));
  const positions = settings.positions && decodePositions(settings.positions);
  const reached = (content: CatalogueContent) =>
    positions
      ? reachBySector(effectiveOf(content), positions, settings.routeFactor, settings.pointOffset)
          .values()
          .reduce((sum, count) => sum + count, 0)
      : 0;
  const diff =
    before &&
    diffCatalogues(before, after, known?.live ?? null, {
      before: reached(before),
      after: reached(after),
    });
  return {
    diff,
    rails: brokenRails(before, after, diff, settings.now),
    warnings: lintCatalogue(onDay(after, today), known, settings.lintOff, today),
    calendar: calendarOf(after, today),
  };
}

function decoded({ register }: ReviewSettings) {
  return register && decodeRegister(register);
}

export type JobReply =
  | { readonly progress: readonly [done: number, total: number] }
  /** Without the rows of long lists, which follow. */
  | { readonly rest: unknown }
  | { readonly part: ResultPart }
  | { readonly done: true }
  | { readonly refused: string };

const say = (reply: JobReply) => parentPort?.postMessage(reply);

async function work({ job, input }: { job: JobName; input: JobInput<JobName> }): Promise<void> {
  const known = jobs as Record<JobName, (input: unknown, onProgress: OnProgress) => unknown>;
  try {
    const result = await known[job](input, (done, total) => say({ progress: [done, total] }));
    const { rest, parts } = takeApart(result);
    say({ rest });
    for (const part of parts) {
      say({ part });
      // Parts that wait together are received in one turn of the event loop.
      await once(parentPort!, 'message');
    }
    say({ done: true });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    say({ refused: error.message });
  }
}

for (;;) {
  const [request] = (await once(parentPort!, 'message')) as Parameters<typeof work>;
  await work(request);
  // What the job has decoded is not kept while the thread waits.
  contents.clear();
}
