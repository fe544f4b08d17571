import { isUtf8 } from 'node:buffer';
import express, { type NextFunction, type Request, type Response } from 'express';
import { MalformedRequest, Problem, ValidationFailed } from '../problems/problem.js';
import { DEEPEST_NESTING, propertiesIn, repeatedKeyIn } from './json-text.js';
import { countHeader } from './request-id.js';

interface BodyBounds {
  /** Bytes. */
  readonly size: number;
  /** Of all objects together. */
  readonly keys: number;
}

/** A body may list 100 orders with their versions. */
const usual: BodyBounds = { size: 16 * 1024, keys: 256 };
/** A list of 100 watches with all properties, whose references may be escaped. */
const manyWatches: BodyBounds = { size: 64 * 1024, keys: 512 };

/** A quote of 2,000 sites. */
const manySites: BodyBounds = { size: 512 * 1024, keys: 32_000 };
/** The answers to the enquiries of such a quote: a form. */
const manyAnswers: BodyBounds = { ...usual, size: manySites.size };

/** Of all lists together: a few times what any list may have, so that a longer one is refused by its own rule. */
const MOST_ITEMS = 10_000;
const MOST_KEYS_OF_ONE = 64;
/** Characters. Problems name unknown keys. */
const LONGEST_KEY = 1_024;

const jsonParser = ({ size }: BodyBounds) =>
  express.json({
    limit: size,
    strict: false,
    inflate: false,
    type: () => true,
    verify: keepJson,
  });
const parsers = new Map(
  [usual, manyWatches, manySites, manyAnswers].map((bounds) => [bounds, jsonParser(bounds)]),
);

function boundsOf({ method, path }: Request): BodyBounds {
  const [, list] = /^\/(?:product-availability|staff)\/(watches|quotes?)\/?$/i.exec(path) ?? [];
  if (method === 'POST' && path === '/mcp') return manySites;
  if (method !== 'POST') return usual;
  if (/^\/staff\/quotes\/[^/]+\/(?:answer|undo)\/?$/i.test(path)) return manyAnswers;
  if (list === undefined) return usual;
  return list.toLowerCase() === 'watches' ? manyWatches : manySites;
}

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

const formParser = ({ size }: BodyBounds) =>
  express.text({
    limit: size,
    inflate: false,
    defaultCharset: 'utf-8',
    type: () => true,
    verify: requireUtf8,
  });
const parseForm = formParser(usual);
const parseLongForm = formParser(manySites);

function isForm({ method, path, headers }: Request): boolean {
  return (
    method === 'POST' &&
    /^\/staff\//i.test(path) &&
    /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(headers['content-type'] ?? '')
  );
}

function isJson(contentType: string): boolean {
  return /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(contentType);
}

export function hasBody(request: Request): boolean {
  const { 'transfer-encoding': chunked, 'content-length': length } = request.headers;
  return chunked !== undefined || (length !== undefined && length !== '0');
}

/** A form with files: its handler reads the stream, after authentication. */
function isUpload({ method, path, headers }: Request): boolean {
  return (
    method === 'POST' &&
    /^\/(?:(?:staff\/)?catalogue\/versions|staff\/(?:quotes|delivery-updates))\/?$/i.test(path) &&
    /^multipart\/form-data\s*;/i.test(headers['content-type'] ?? '')
  );
}

/** Whether a client may send the sites of its quote as a spreadsheet. Staff send theirs in a form. */
function takesSheet({ method, path }: Request): boolean {
  return method === 'POST' && /^\/product-availability\/quote\/?$/i.test(path);
}

/** The spreadsheet of a quote, whose encoding its handler finds out. */
function isSheet(request: Request): boolean {
  return takesSheet(request) && /^text\/csv\s*(?:;|$)/i.test(request.headers['content-type'] ?? '');
}

function unsupportedType(request: Request): Problem {
  const detail = takesSheet(request)
    ? SHEET_OR_JSON
    : 'Send JSON with Content-Type: application/json.';
  return new Problem('unsupported-media-type', detail, {
    headers: { 'Accept-Post': 'application/json' },
  });
}

const SHEET_OR_JSON =
  'Send JSON with Content-Type: application/json, or a spreadsheet saved as CSV with Content-Type: text/csv.';

const parseSheet = express.raw({ limit: manySites.size, inflate: false, type: () => true });

/** Reads JSON and the forms of staff pages; answers 400, 413 or 415 to other bodies. */
export function readJsonBody(request: Request, response: Response, next: NextFunction): void {
  const method = request.method;
  if (method === 'GET' || method === 'HEAD') return next();
  if (countHeader(request.rawHeaders, 'content-type') > 1) {
    return next(new MalformedRequest('Send one Content-Type header.'));
  }
  if (isSheet(request)) return parseSheet(request, response, next);
  if (!hasBody(request) || isUpload(request)) return next();
  if (isForm(request)) {
    const parse = boundsOf(request).size === manySites.size ? parseLongForm : parseForm;
    return parse(request, response, next);
  }
  if (!isJson(request.headers['content-type'] ?? '')) return next(unsupportedType(request));
  const bounds = boundsOf(request);
  parsers.get(bounds)!(request, response, (error?: unknown) => {
    if (error) return next(error);
    try {
      const keys = refuseUnsafeValues(request.body, bounds);
      refuseRepeatedKeys(received.get(request), keys);
      received.delete(request);
    } catch (problem) {
      return next(problem);
    }
    next();
  });
}

/** Keys that could change a prototype when an object is copied. */
const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype']);

/** @returns the keys of all objects */
function refuseUnsafeValues(body: unknown, bounds: BodyBounds): number {
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
    if ((keys += entries.length) > bounds.keys) {
      throw new MalformedRequest(`The body has more than ${bounds.keys} keys.`);
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
