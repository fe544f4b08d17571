import { type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppModule } from '../src/app.module.js';
import { operator } from '../src/platform/audit/audit.service.js';
import { CatalogueService } from '../src/catalogue/versions/catalogue.service.js';
import { ImportService } from '../src/catalogue/versions/import.service.js';
import { ClientsService } from '../src/clients/clients.service.js';
import { readConfig } from '../src/platform/config/config.js';
import { addRows } from '../src/platform/database/engine/rows.js';
import { newId } from '../src/platform/database/new-id.js';
import { Transactions } from '../src/platform/database/transactions.js';
import { parsePostcode, Postcode } from '../src/platform/kernel/postcode.js';
import { WatchEvaluationService } from '../src/watches/watch-evaluation.service.js';
import { Watch } from '../src/watches/watch.entity.js';
import { makeCatalogue, NATIONAL } from './catalogue-fixture.js';
import { onEachEngine } from './engines.js';
import { type BenchOptions, type Report, repeatableRandom, round } from './options.js';
import { type Timed, timed } from './timed.js';
import type { ServiceFixture } from './service-fixture.js';

const WATCHES = 1_000_000;
const CLIENTS = 100;
const BATCH = 500;
/** Two in a thousand watches wait for any product, and find one; the others for more than is sold. */
const SERVED = 0.002;
const NOT_SOLD = 999_999;

interface Measured {
  readonly engine: string;
  readonly preview: Timed;
  readonly evaluation: Timed;
  readonly served: number;
}

/** Open watches against a change to the national catalogue: total time, and longest hold of the event loop. */
export async function run(options: BenchOptions): Promise<Report> {
  const count = options.quick ? WATCHES / 20 : WATCHES;
  const measured = await onEachEngine(options, async (engine, fixture) => {
    options.say(`${engine}: ${count} watches`);
    return { engine, ...(await measure(fixture, count, options)) };
  });
  const of = (value: (one: Measured) => number) => Math.max(...measured.map(value));
  return {
    title: `${count.toLocaleString('en-GB')} open watches of ${CLIENTS} clients, a change of ${NATIONAL.toLocaleString('en-GB')} units`,
    rows: measured.map(({ engine, preview, evaluation, served }) => ({
      engine,
      'preview, s': round(preview.seconds, 2),
      'CPU, s': round(preview.cpu, 2),
      'longest hold, ms': round(preview.longest, 1),
      'serve, s': round(evaluation.seconds, 2),
      'its longest hold, ms': round(evaluation.longest, 1),
      served,
    })),
    targets: [
      {
        target: 'compared in at most 2 s',
        measured: `${round(
          of((one) => one.preview.seconds),
          2,
        )} s`,
        met: of((one) => one.preview.seconds) <= 2,
      },
      {
        target: 'event loop held for at most 20 ms',
        measured: `${round(
          of((one) => Math.max(one.preview.longest, one.evaluation.longest)),
          1,
        )} ms`,
        met: of((one) => Math.max(one.preview.longest, one.evaluation.longest)) <= 20,
      },
    ],
    notes: ['Preview: compared, without serving. Serve: with states and messages, durably.'],
  };
}

async function measure(fixture: ServiceFixture, count: number, options: BenchOptions) {
  const national = makeCatalogue(join(fixture.folder, 'national'), NATIONAL, options.postcodes);
  const config = readConfig(fixture.environment);
  const app = await NestFactory.createApplicationContext(AppModule.forRoot(config), {
    logger: false,
  });
  try {
    const evaluation = app.get(WatchEvaluationService);
    await evaluation.evaluate();
    await fillWatches(app, count, unitsIn(national.folder));
    options.say('importing the national catalogue');
    await app.get(ImportService).importFiles(national.folder, {
      ...{ label: 'national', actor: operator, activate: true, accept: 'bench' },
    });
    const { current } = app.get(CatalogueService);
    await evaluation.preview(current);
    const { watches: served } = await evaluation.preview(current);
    const preview = await timed(() => evaluation.preview(current));
    return { served, preview, evaluation: await timed(() => evaluation.evaluate()) };
  } finally {
    await app.close();
  }
}

export function unitsIn(folder: string): readonly string[] {
  const lines = readFileSync(join(folder, 'coverage.csv'), 'utf8').trim().split('\n');
  return lines.slice(1).map((line) => line.slice(0, line.indexOf(',')));
}

export async function fillWatches(
  app: INestApplicationContext,
  count: number,
  units: readonly string[],
): Promise<void> {
  const random = repeatableRandom(11);
  const transactions = app.get(Transactions);
  const contact = { contactName: 'B', contactEmail: 'b@bench.example', contactPhone: '1' };
  const now = new Date();
  for (let client = 0; client < CLIENTS; client += 1) {
    const settings = { name: `Watcher ${client}`, priceList: 'standard', ...contact };
    const added = await app
      .get(ClientsService)
      .add({ ...settings, compatibility: '0.3' }, operator);
    const step = units.length / (count / CLIENTS);
    const rows = Array.from({ length: count / CLIENTS }, (_, i): Watch => {
      const postcode = parsePostcode(units[Math.floor((i + random()) * step)]!);
      const minBandwidthMbps = random() < SERVED ? 0 : NOT_SOLD;
      return {
        ...{ id: newId(), clientId: added.id, packed: (postcode as Postcode).packed, uprn: i + 1 },
        ...{
          clientReference: `PO-${i}`,
          minBandwidthMbps,
          maxPriceMilli: null,
          includeBuild: false,
        },
        ...{ state: 'open', createdAt: now, changedAt: now, batch: null },
      };
    });
    for (let at = 0; at < rows.length; at += BATCH) {
      await transactions.run((tx) => addRows(tx, Watch, rows.slice(at, at + BATCH)));
    }
  }
}
