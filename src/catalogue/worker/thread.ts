import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { Refused } from '../../problems/refused.js';
import type { CatalogueContent } from '../content/catalogue.js';
import { compileContent, decodeContent, type StoredContent } from '../content/content-codec.js';
import { type CatalogueDiff, diffCatalogues } from '../content/diff.js';
import { type BrokenRail, brokenRails, type RailSettings } from '../content/guard-rails.js';
import { lintCatalogue, type LintRule, type LintWarning } from '../content/lint.js';
import {
  decodeRegister,
  encodeRegister,
  PostcodeRegisterReader,
} from '../content/postcode-register.js';
import { type OnProgress, readCatalogue } from './read-files.js';

export interface ReviewSettings {
  /** See `encodeRegister`; null if none is loaded. */
  readonly register: Uint8Array | null;
  readonly rails: RailSettings;
  readonly lintOff: readonly LintRule[];
  /** Milliseconds. */
  readonly now: number;
}

export interface Review {
  /** Null if there is nothing to compare with. */
  readonly diff: CatalogueDiff | null;
  readonly rails: readonly BrokenRail[];
  readonly warnings: readonly LintWarning[];
}

/** Each runs in a worker thread, because it would block the event loop for too long. */
const jobs = {
  /** Parses, validates, compiles and reviews the files of a folder or a zip. */
  async compile(
    {
      path,
      before,
      ...settings
    }: ReviewSettings & { readonly path: string; readonly before: StoredContent | null },
    onProgress: OnProgress,
  ) {
    const { content, faults } = await readCatalogue(path, onProgress);
    if (!content) return { faults, compiled: null };
    const from = before && (await decodeContent(before));
    const compiled = { ...(await compileContent(content)), ...review(from, content, settings) };
    return { faults, compiled };
  },

  async review({
    before,
    after,
    ...settings
  }: ReviewSettings & { readonly before: StoredContent | null; readonly after: StoredContent }) {
    const from = before && (await decodeContent(before));
    return review(from, await decodeContent(after), settings);
  },

  async readRegister({ path }: { readonly path: string }, onProgress: OnProgress) {
    const { size } = await stat(path).catch(() => {
      throw new Refused(`${path} cannot be read.`);
    });
    const reader = new PostcodeRegisterReader(basename(path));
    // The columns read are ASCII, so another encoding does no harm.
    const decoder = new TextDecoder('utf-8');
    let done = 0;
    for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
      reader.push(decoder.decode(chunk as Buffer, { stream: true }));
      onProgress((done += (chunk as Buffer).length), size);
    }
    const { rows, ...result } = reader.end();
    return {
      ...result,
      stored: rows && encodeRegister(rows),
      live: rows?.live.length ?? 0,
      terminated: rows?.terminated.length ?? 0,
    };
  },

  /** The part of the register that checks use. */
  decodeRegister({ stored }: { readonly stored: Uint8Array }) {
    const { terminated, endMonths } = decodeRegister(stored);
    return { terminated, endMonths };
  },
};

export type Jobs = typeof jobs;
export type JobName = keyof Jobs;
export type JobInput<J extends JobName> = Parameters<Jobs[J]>[0];

function review(
  before: CatalogueContent | null,
  after: CatalogueContent,
  { register, rails, lintOff, now }: ReviewSettings,
): Review {
  const known = register && decodeRegister(register);
  const diff = before && diffCatalogues(before, after, known?.live ?? null);
  return {
    diff,
    rails: brokenRails(before, after, diff, rails, now),
    warnings: lintCatalogue(after, known, lintOff),
  };
}

export type JobReply =
  | { readonly progress: readonly [done: number, total: number] }
  | { readonly result: unknown }
  | { readonly refused: string };

const say = (reply: JobReply) => parentPort?.postMessage(reply);

async function work({ job, input }: { job: JobName; input: JobInput<JobName> }): Promise<void> {
  const known = jobs as Record<JobName, (input: unknown, onProgress: OnProgress) => unknown>;
  try {
    say({ result: await known[job](input, (done, total) => say({ progress: [done, total] })) });
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    say({ refused: error.message });
  }
}

await work(workerData as Parameters<typeof work>[0]);
