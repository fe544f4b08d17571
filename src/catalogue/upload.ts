import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { MalformedRequest, Problem } from '../problems/problem.js';
import { CatalogueRejected } from './versions/catalogue.errors.js';
import {
  type CatalogueFile,
  catalogueFileNames,
  fileInfo,
  requiredFiles,
} from './content/catalogue-files.js';

/** Text fields of the form, without the files. */
const MOST_FIELDS = 8;
const LONGEST_FIELD = 1_000;

export interface Upload {
  /** Contains the files under their names, e.g. products.csv. */
  readonly folder: string;
  readonly fields: ReadonlyMap<string, string>;
}

/**
 * Streams the files of a multipart form to a temporary folder and passes it to `use`.
 * @param mostBytes of all files together
 * @throws {Problem} if the form is incomplete, too large, or has other files
 */
export async function withUpload<T>(
  request: IncomingMessage,
  mostBytes: number,
  use: (upload: Upload) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'catalogue-'));
  try {
    const fields = await receive(request, folder, mostBytes);
    return await use({ folder, fields });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function tooLarge(mostBytes: number): Problem {
  const megabytes = Math.floor(mostBytes / 1_048_576);
  return new Problem(
    'content-too-large',
    `Together the files are larger than ${megabytes} MB. Use the command line, or ask the operator to raise the limit.`,
  );
}

async function receive(
  request: IncomingMessage,
  folder: string,
  mostBytes: number,
): Promise<ReadonlyMap<string, string>> {
  // Without a Content-Length, the bytes are counted as they arrive.
  if (Number(request.headers['content-length'] ?? 0) > mostBytes + 65_536)
    throw tooLarge(mostBytes);
  const fields = new Map<string, string>();
  const writing: Promise<void>[] = [];
  const received = new Set<CatalogueFile>();
  let bytes = 0;
  let problem: Problem | undefined;
  let form: BusboyInstance;
  try {
    form = new Busboy({
      headers: request.headers as BusboyHeaders,
      limits: { files: catalogueFileNames.length, fields: MOST_FIELDS, fieldSize: LONGEST_FIELD },
    });
  } catch (error) {
    throw new MalformedRequest('The form has no boundary.', error);
  }
  const stop = (reason: Problem) => {
    problem ??= reason;
    form.destroy(reason);
  };
  form.on('field', (name, value, _nameCut, valueCut) => {
    if (valueCut) stop(new MalformedRequest('A field of the form is longer than 1,000 bytes.'));
    fields.set(name, value);
  });
  const onlyThese = `The files are named ${catalogueFileNames.join(', ')}, each at most once.`;
  form.on('filesLimit', () => stop(new MalformedRequest(onlyThese)));
  form.on('fieldsLimit', () => stop(new MalformedRequest('The form has too many fields.')));
  form.on('file', (name, stream) => {
    const file = catalogueFileNames.find((known) => known === name);
    if (!file || received.has(file)) {
      stream.resume();
      stop(new MalformedRequest(onlyThese));
      return;
    }
    received.add(file);
    stream.on('data', (chunk: Buffer) => {
      if ((bytes += chunk.length) > mostBytes) stop(tooLarge(mostBytes));
    });
    const written = pipeline(stream, createWriteStream(join(folder, fileInfo(file).fileName)));
    written.catch(() => undefined);
    writing.push(written);
  });
  try {
    await pipeline(request, form);
    await Promise.all(writing);
  } catch (error) {
    throw problem ?? new MalformedRequest('The form is incomplete.', error);
  } finally {
    await Promise.allSettled(writing);
  }
  const missing = requiredFiles.filter((file) => !received.has(file));
  if (missing.length > 0) {
    throw new CatalogueRejected(`Nothing was imported: the form has no ${missing.join(', no ')}.`);
  }
  return fields;
}
