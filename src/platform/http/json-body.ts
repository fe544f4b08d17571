import { isUtf8 } from 'node:buffer';
import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension } from '@nestjs/swagger';
import express, {
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import { MalformedRequest, Problem, ValidationFailed } from '../problems/problem.js';
import { XLSX } from './attachment.js';
import { DEEPEST_NESTING, propertiesIn, repeatedKeyIn } from './json-text.js';
import { countHeader } from './request-id.js';

/** What the body of a handler may be, where it differs from others. */
export interface BodyRule {
  /** Bytes. */
  readonly size?: number;
  /** Of all objects together. */
  readonly keys?: number;
  /** It may also be a spreadsheet, whose encoding the handler finds out: the start of an example. */
  readonly csv?: string;
  /** It may also be a form with files: the handler reads the stream, after authentication. */
  readonly files?: true;
}

export const BODY_RULE = 'body-rule';

/** For a handler whose body may be larger than 16 KB, or other than JSON and the forms of staff pages. */
export const Takes = (rule: BodyRule) =>
  applyDecorators(
    SetMetadata<string, BodyRule>(BODY_RULE, rule),
    ...(rule.csv === undefined ? [] : [ApiExtension('x-csv-request', rule.csv)]),
  );

/** The requests that reach a handler with a rule. */
export interface RoutedBody {
  readonly method: string;
  readonly pattern: RegExp;
  readonly rule: BodyRule;
}

/** A body may list 100 orders with their versions. */
const usual = { size: 16 * 1_024, keys: 256 };

/** Of all lists together: a few times what any list may have, so that a longer one is refused by its own rule. */
const MOST_ITEMS = 10_000;
const MOST_KEYS_OF_ONE = 64;
/** Bytes from which the check of values and the validation of the body have a turn of the event loop each. */
const LARGE = 32_768;
/** Characters. Problems name unknown keys. */
const LONGEST_KEY = 1_024;

function requireUtf8(_request: unknown, _response: unknown, bytes: Buffer, charset: string): void {
  if (charset !== 'utf-8') throw bodyFault('charset.unsupported');
  if (!isUtf8(bytes)) throw bodyFault('entity.not.utf8');
}

/** The bodies that are being read. */
const received = new WeakMap<object, Buffer>();

function keepJson(request: object, response: unknown, bytes: Buffer, charset: string): void {
  requireUtf8(request, response, bytes, charset);
  received.set(request, bytes);
}

/** Like an error of the body parser; `problem.filter.ts` reads the type. */
function bodyFault(type: string): Error {
  return Object.assign(new Error(type), { type });
}

function isForm(request: Request): boolean {
  const isPage = request.method === 'POST' && /^\/staff\//i.test(request.path);
  return isPage && isOfType(request, /^application\/x-www-form-urlencoded\s*(?:;|$)/i);
}

export function hasBody(request: Request): boolean {
  const { 'transfer-encoding': chunked, 'content-length': length } = request.headers;
  return chunked !== undefined || (length !== undefined && length !== '0');
}

function isOfType({ headers }: Request, type: RegExp): boolean {
  return type.test(headers['content-type'] ?? '');
}

/** Reads JSON and the forms of staff pages; answers 400, 413 or 415 to other bodies. */
export function bodyReader(bodies: readonly RoutedBody[]): RequestHandler {
  const routes = bodies.map(({ rule, ...route }) => ({ ...route, read: readerOf(rule) }));
  const readOther = readerOf({});
  return (request, response, next) => {
    const { method, path } = request;
    if (method === 'GET' || method === 'HEAD') return next();
    const route = routes.find((one) => one.method === method && one.pattern.test(path));
    (route?.read ?? readOther)(request, response, next);
  };
}

function readerOf({ size: limit = usual.size, keys: mostKeys = usual.keys, csv, files }: BodyRule) {
  const common = { limit, inflate: false, type: () => true };
  const parseJson = express.json({ ...common, strict: false, verify: keepJson });
  const parseForm = express.text({ ...common, defaultCharset: 'utf-8', verify: requireUtf8 });
  const parseSheet = express.raw(common);
  return (request: Request, response: Response, next: NextFunction): void => {
    if (countHeader(request.rawHeaders, 'content-type') > 1) {
      return next(new MalformedRequest('Send one Content-Type header.'));
    }
    if (csv !== undefined && isOfType(request, TABLE)) {
      return parseSheet(request, response, next);
    }
    if (!hasBody(request)) return next();
    if (files && isOfType(request, /^multipart\/form-data\s*;/i)) return next();
    if (isForm(request)) return parseForm(request, response, next);
    if (!isOfType(request, /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i)) {
      return next(unsupportedType(csv !== undefined));
    }
    parseJson(request, response, (error?: unknown) => {
      if (error) return next(error);
      const bytes = received.get(request);
      received.delete(request);
      try {
        refuseRepeatedKeys(bytes, refuseUnsafeValues(request.body, mostKeys));
      } catch (problem) {
        return next(problem);
      }
      if (bytes && bytes.length >= LARGE) setImmediate(() => next());
      else next();
    });
  };
}

/** A file of a table, as programs name its type: Windows calls CSV a file of Excel. */
const TABLE =
  /^(?:text\/(?:csv|tab-separated-values)|application\/(?:csv|vnd\.ms-excel|vnd\.openxmlformats-officedocument\.spreadsheetml\.sheet))\s*(?:;|$)/i;

function unsupportedType(takesSheet: boolean): Problem {
  const json = 'Send JSON with Content-Type: application/json';
  const sheet = `, or a list as CSV with Content-Type: text/csv, or as a workbook with Content-Type: ${XLSX}`;
  return new Problem('unsupported-media-type', `${json}${takesSheet ? sheet : ''}.`, {
    headers: { 'Accept-Post': 'application/json' },
  });
}

/** Keys that could change a prototype when an object is copied. */
const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype']);

/** @returns the keys of all objects */
function refuseUnsafeValues(body: unknown, mostKeys: number): number {
  let keys = 0;
  let items = 0;
  const pending: [value: unknown, depth: number][] = [[body, 1]];
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [value, depth] = next;
    if (typeof value === 'string') refuseUnstorable(value);
    if (typeof value !== 'object' || value === null) continue;
    if (depth > DEEPEST_NESTING) {
      throw new MalformedRequest(`The body has more than ${DEEPEST_NESTING} levels of nesting.`);
    }
    if (Array.isArray(value)) {
      if ((items += value.length) > MOST_ITEMS) {
        throw new MalformedRequest(`The lists of the body have more than ${MOST_ITEMS} items.`);
      }
      for (const item of value as unknown[]) pending.push([item, depth + 1]);
      continue;
    }
    const entries = Object.entries(value);
    if (entries.length > MOST_KEYS_OF_ONE) {
      throw new MalformedRequest(`An object has more than ${MOST_KEYS_OF_ONE} keys.`);
    }
    if ((keys += entries.length) > mostKeys) {
      throw new MalformedRequest(`The body has more than ${mostKeys} keys.`);
    }
    for (const [key, child] of entries) {
      refuseUnstorable(key);
      if (forbiddenKeys.has(key)) throw new MalformedRequest('The body has a forbidden key.');
      if (key.length > LONGEST_KEY) {
        throw new MalformedRequest(`A key has more than ${LONGEST_KEY} characters.`);
      }
      pending.push([child, depth + 1]);
    }
  }
  return keys;
}

/**
 * `JSON.parse` keeps the last of two properties with one key, so that the text has more than the value.
 * @throws {ValidationFailed}
 */
function refuseRepeatedKeys(bytes: Buffer | undefined, keys: number): void {
  if (!bytes || propertiesIn(bytes) === keys) return;
  const pointer = repeatedKeyIn(bytes.toString());
  const detail = 'This key is in the object twice. Send it once.';
  if (pointer !== null) throw new ValidationFailed([{ pointer, code: 'not-allowed', detail }]);
  throw new MalformedRequest('An object of the body has a key twice. Send each key once.');
}

/** JSON can contain NUL and lone surrogates; a database cannot store them in a text. */
function refuseUnstorable(text: string): void {
  if (text.includes('\0') || !text.isWellFormed()) {
    throw new MalformedRequest('The body has a NUL or a lone surrogate in a text.');
  }
}
