import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { MalformedRequest, Problem } from '../platform/problems/problem.js';
import { CatalogueRejected } from './versions/catalogue.errors.js';
import {
  type CatalogueFile,
  catalogueFileNames,
  fileInfo,
  requiredFiles,
} from './content/catalogue-files.js';
import { convertLine, isOtherMap } from './polygons/geojson.js';
import { ANY_TEXT } from '../platform/kernel/text.js';

/** A part with a file that is known by its own name: `prices.csv`, or any zip. It can be repeated. */
export const ANY_FILE = 'files';

/** Text fields of the form, without the files. */
const MOST_FIELDS = 8;
const LONGEST_FIELD = 1_000;

export interface Upload {
  readonly folder: string;
  /** A zip, or the folder, which contains the files under their names, e.g. products.csv. */
  readonly path: string;
  readonly fields: ReadonlyMap<string, string>;
}

/**
 * Streams the files of a multipart form to a temporary folder and passes it to `use`.
 * @param mostBytes of all files together
 * @param hear receives the text fields that have arrived, also if the files are refused
 * @throws {Problem} if the form is incomplete, too large, or has other files
 */
export async function withUpload<T>(
  request: IncomingMessage,
  mostBytes: number,
  use: (upload: Upload) => Promise<T>,
  hear?: (fields: ReadonlyMap<string, string>) => void,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'catalogue-'));
  const fields = new Map<string, string>();
  try {
    const zip = await receive(request, folder, mostBytes, fields).finally(() => hear?.(fields));
    return await use({ folder, path: zip ? join(folder, ZIP) : folder, fields });
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

/** @param fields receives the text fields @returns whether the files are a zip */
async function receive(
  request: IncomingMessage,
  folder: string,
  mostBytes: number,
  fields: Map<string, string>,
): Promise<boolean> {
  // Without a Content-Length, the bytes are counted as they arrive.
  if (Number(request.headers['content-length'] ?? 0) > mostBytes + 65_536)
    throw tooLarge(mostBytes);
  const writing: Promise<void>[] = [];
  const received = new Set<CatalogueFile | typeof ZIP>();
  let bytes = 0;
  let problem: Problem | undefined;
  let form: BusboyInstance;
  try {
    form = new Busboy({
      headers: request.headers as BusboyHeaders,
      limits: {
        files: catalogueFileNames.length + 1,
        fields: MOST_FIELDS,
        fieldSize: LONGEST_FIELD,
      },
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
    if (fields.has(name)) stop(new MalformedRequest('The form has a field twice. Send it once.'));
    fields.set(name, value);
  });
  const onlyThese = `The files are named ${catalogueFileNames.join(', ')}, each at most once.`;
  form.on('filesLimit', () => stop(new MalformedRequest(onlyThese)));
  form.on('fieldsLimit', () => stop(new MalformedRequest('The form has too many fields.')));
  form.on('file', (name, stream, sentName) => {
    // A file that is cut off also fails the form.
    stream.on('error', () => undefined);
    // A browser sends an empty part for a file field without a file.
    if (name === ANY_FILE && sentName === '') {
      stream.resume();
      return;
    }
    const file = name === ANY_FILE ? fileNamed(sentName) : partNamed(name);
    if (!file || received.has(file)) {
      stream.resume();
      stop(file || name !== ANY_FILE ? new MalformedRequest(onlyThese) : unknownFile(sentName));
      return;
    }
    received.add(file);
    stream.on('data', (chunk: Buffer) => {
      if ((bytes += chunk.length) > mostBytes) stop(tooLarge(mostBytes));
    });
    const written = pipeline(stream, createWriteStream(join(folder, nameOf(file))));
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
  const zip = received.has(ZIP);
  if (zip && received.size > 1) {
    throw new CatalogueRejected(
      'Nothing was imported: send either one zip, or the files themselves.',
    );
  }
  const missing = requiredFiles.filter(
    (file) => !received.has(file) && !(file === 'coverage' && received.has('polygons')),
  );
  if (zip || (fields.has('base') && received.size > 0) || missing.length === 0) return zip;
  throw new CatalogueRejected(
    fields.has('base')
      ? 'Nothing was imported: choose a zip, or files of a catalogue.'
      : `Nothing was imported: the form has no ${missing.join(', no ')}.`,
  );
}

const ZIP = 'upload.zip';

function nameOf(file: CatalogueFile | typeof ZIP): string {
  return file === ZIP ? ZIP : fileInfo(file).fileName;
}

function partNamed(name: string): CatalogueFile | undefined {
  return catalogueFileNames.find((known) => known === name);
}

/** What browsers and people add to a name is ignored: `prices (1).csv`, `Prices December.xlsx`. */
function fileNamed(name: string): CatalogueFile | typeof ZIP | undefined {
  const [, stem, type] = /^(.*)\.(csv|xlsx|zip|geojson|json)$/i.exec(name) ?? [];
  if (type?.toLowerCase() === 'zip') return ZIP;
  const isMap = /json$/i.test(type ?? '');
  return catalogueFileNames.find((file) => {
    const [known] = fileInfo(file).fileName.split('.');
    const isNamed = new RegExp(`^${known}(?![a-z0-9_])`, 'i').test(stem ?? '');
    return isNamed && isMap === (file === 'polygons');
  });
}

function unknownFile(name: string): CatalogueRejected {
  if (isOtherMap(name)) {
    const refused = `Nothing was imported: ${name.slice(0, 80)} is a map in another format. `;
    return new CatalogueRejected(refused + convertLine(name.slice(0, 80)));
  }
  const names = catalogueFileNames.map((file) => fileInfo(file).fileName).join(', ');
  return new CatalogueRejected(
    `Nothing was imported: ${name.slice(0, 80)} is not a file of a catalogue. Name it as one of ${names}, or choose a zip.`,
  );
}

/** The parts of the upload form for the API description: the files and the options. */
export const uploadForm = {
  schema: {
    type: 'object',
    additionalProperties: false,
    properties: {
      label: {
        type: 'string',
        maxLength: 120,
        pattern: ANY_TEXT,
        default: 'upload',
        description: 'A name for the version.',
      },
      dryRun: {
        type: 'string',
        enum: ['true', 'false'],
        default: 'false',
        description: '`true`: only reports what would change.',
      },
      then: {
        type: 'string',
        enum: ['stay', 'activate'],
        default: 'stay',
        description: '`stay`: the version stays a draft; `activate`: it goes live now.',
      },
      base: {
        type: 'string',
        pattern: '^(live|[1-9]\\d{0,8})$',
        maxLength: 9,
        description:
          'Takes the files that are missing in the form from the active version (`live`), or from a draft that was prepared from it (its number). Without it, a missing optional file has no rows.',
      },
      accept: {
        type: 'string',
        minLength: 1,
        maxLength: 200,
        pattern: ANY_TEXT,
        description: 'The reason for a change that a guard rail stops.',
      },
      ...Object.fromEntries(
        catalogueFileNames.map((file) => [
          file,
          { type: 'string', format: 'binary', description: fileInfo(file).fileName },
        ]),
      ),
      [ANY_FILE]: {
        type: 'array',
        maxItems: catalogueFileNames.length,
        items: { type: 'string', format: 'binary', maxLength: 2_147_483_647 },
        description: 'One zip with the files, or files that are known by their own names.',
      },
    },
  },
};
