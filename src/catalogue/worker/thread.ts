import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { Refused } from '../../problems/refused.js';
import { diffCatalogues } from '../content/diff.js';
import type { CatalogueContent } from '../content/catalogue.js';
import { decodeContent, encodeContent } from '../content/content-codec.js';
import type { JobName, Jobs, Review, ReviewSettings } from './jobs.js';
import { lintCatalogue } from '../content/lint.js';
import { type OnProgress, readCatalogue } from './read-files.js';
import { brokenRails } from '../content/guard-rails.js';
import {
  decodeRegister,
  encodeRegister,
  PostcodeRegisterReader,
} from '../content/postcode-register.js';

/** The thread of worker.ts: does the one job that it was started with, answers, and ends. */

type Doing = {
  [J in JobName]: (
    input: Jobs[J]['input'],
    onProgress: OnProgress,
  ) => Jobs[J]['output'] | Promise<Jobs[J]['output']>;
};

const doing: Doing = {
  async compile({ path, before, ...settings }, onProgress) {
    const { content, faults } = await readCatalogue(path, onProgress);
    if (!content) return { faults, compiled: null };
    const { products, prices, coverage } = content;
    return {
      faults,
      compiled: {
        ...(await encodeContent(content)),
        products: products.length,
        prices: prices.length,
        size: coverage.size,
        ...review(before && (await decodeContent(before)), content, settings),
      },
    };
  },

  async review({ before, after, ...settings }) {
    const from = before && (await decodeContent(before));
    return review(from, await decodeContent(after), settings);
  },

  async readRegister({ path }, onProgress) {
    const { size } = await stat(path).catch(() => {
      throw new Refused(`${path} cannot be read.`);
    });
    const reader = new PostcodeRegisterReader(basename(path));
    // ONSPD is ASCII but for a few names that are not read: another encoding does no harm.
    const decoder = new TextDecoder('utf-8');
    let done = 0;
    for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
      reader.push(decoder.decode(chunk as Buffer, { stream: true }));
      onProgress((done += (chunk as Buffer).length), size);
    }
    const result = reader.end();
    if (result.kind === null) return { ...result, stored: null, live: 0, terminated: 0 };
    const { kind, rows, faults } = result;
    const [live, terminated] = [rows.live.length, rows.terminated.length];
    return { kind, faults, stored: encodeRegister(rows), live, terminated };
  },

  decodeRegister({ stored }) {
    const { terminated, endMonths } = decodeRegister(stored);
    return { terminated, endMonths };
  },
};

function review(
  before: CatalogueContent | null,
  after: CatalogueContent,
  { register, rails, lintOff }: ReviewSettings,
): Review {
  const known = register && decodeRegister(register);
  const diff = before && diffCatalogues(before, after, known?.live ?? null);
  return {
    diff,
    rails: brokenRails(before, after, diff, rails),
    warnings: lintCatalogue(after, known, lintOff),
  };
}

export type Reply =
  | { readonly progress: readonly [done: number, total: number] }
  | { readonly result: unknown }
  | { readonly refused: string };

const say = (reply: Reply) => parentPort?.postMessage(reply);

async function work<J extends JobName>({ job, input }: { job: J; input: Jobs[J]['input'] }) {
  try {
    const result = await doing[job](input, (done, total) => say({ progress: [done, total] }));
    say({ result });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    say({ refused: error.message });
  }
}

await work(workerData as Parameters<typeof work>[0]);
