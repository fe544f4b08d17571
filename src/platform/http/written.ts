import type { Response } from 'express';
import type { AnswerText } from './kept-text.js';
import { acceptedBy, sendBytes } from './compression.js';
import { PAGE_POLICY } from './security-headers.js';

/** A response that is a page. The HTTP adapter compresses it and forbids caching: pages are personal. */
export class WrittenHtml {
  constructor(
    private readonly write: string | (() => string),
    /** By default the status of the route. */
    readonly status?: number,
  ) {}

  get text(): string {
    return typeof this.write === 'string' ? this.write : this.write();
  }
}

/** A redirect with 303, so that a reload does not send a form twice. */
export class SeeOther {
  /** @param location a path of this service, with its query */
  constructor(readonly location: string) {}
}

/** Thrown to redirect the visitor with 303, such as to sign in first. */
export class Redirect extends Error {
  readonly to: SeeOther;

  /** @param location a path of this service, with its query */
  constructor(location: string) {
    super(`See ${location}.`);
    this.to = new SeeOther(location);
  }
}

/** A response that is JSON text already, so that constant content is serialised only once. */
export class WrittenJson {
  constructor(readonly text: string | AnswerText) {}
}

/** Bytes of JSON. Smaller answers fit into few packets. */
export const LEAST_COMPRESSED_JSON = 4_096;

/** Alternating names and values. @param more further ones */
export function jsonHeaders(bytes: number, more: readonly string[] = []): string[] {
  return ['Content-Type', 'application/json', 'Content-Length', String(bytes), ...more];
}

/** @returns the text as a response, declared as the type T that the OpenAPI document shows */
export function writtenJson<T>(text: string | AnswerText): T {
  return new WrittenJson(text) as T;
}

/** The body of an answer in the form that its client accepts, and its headers: alternating names and values. */
interface AnswerForm {
  readonly headers: readonly string[];
  readonly body: string;
  /** Of the body. Node writes text of one byte for each character faster. */
  readonly encoding: 'latin1' | 'utf8';
}

const COMPRESSED = ['Content-Encoding', 'gzip', 'Vary', 'Accept-Encoding'];
const UNCOMPRESSED = ['Vary', 'Accept-Encoding'];

/** @param accepted the header `Accept-Encoding` */
export function answerAs(accepted: string | undefined, answer: AnswerText): AnswerForm {
  const { bytes } = answer;
  const { gzip, identity } = acceptedBy(accepted);
  const isLarge = bytes > LEAST_COMPRESSED_JSON;
  if (gzip && (isLarge || !identity)) {
    const body = answer.gzip;
    return { headers: jsonHeaders(body.length, COMPRESSED), body, encoding: 'latin1' };
  }
  const { text } = answer;
  const headers = jsonHeaders(bytes, isLarge ? UNCOMPRESSED : []);
  return { headers, body: text, encoding: bytes === text.length ? 'latin1' : 'utf8' };
}

/** Bytes. A smaller page fits into one packet uncompressed. */
export const LEAST_COMPRESSED = 1_000;

export function sendPage(
  response: Response,
  page: WrittenHtml | SeeOther,
  statusCode?: number,
): void {
  response.setHeader('Referrer-Policy', 'same-origin');
  if (page instanceof SeeOther) {
    response.statusCode = 303;
    response.setHeader('Location', page.location);
    response.setHeader('Content-Length', 0);
    response.end();
    return;
  }
  response.statusCode = page.status ?? statusCode ?? 200;
  response.setHeader('Content-Type', 'text/html; charset=utf-8');
  response.setHeader('Content-Security-Policy', PAGE_POLICY);
  sendBytes(response, Buffer.from(page.text), LEAST_COMPRESSED);
}
