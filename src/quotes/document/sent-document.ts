/** What the thread that draws documents gets: its lines are packed in turns of the event loop, and passed without a copy. */
import { deserialize, serialize } from 'node:v8';
import { groupsOf, inTurns } from '../../platform/kernel/turns.js';
import type { DocumentRequest } from './documents.js';

export interface SentDocument {
  /** The request without lines. */
  readonly about: Uint8Array<ArrayBuffer>;
  readonly lines: readonly Uint8Array<ArrayBuffer>[];
}

/** Lines that are packed in one turn. */
const LINES = 100;

export async function sentDocument(request: DocumentRequest): Promise<SentDocument> {
  const { lines: all } = 'quote' in request ? request.quote : request.proposal;
  const lines: Uint8Array<ArrayBuffer>[] = [];
  for await (const group of inTurns(groupsOf<unknown>(all, LINES))) lines.push(packed(group));
  return { about: packed(withLines(request, [])), lines };
}

export function receivedDocument({ about, lines }: SentDocument): DocumentRequest {
  const all = lines.flatMap((part) => deserialize(part) as never[]);
  return withLines(deserialize(about) as DocumentRequest, all);
}

export function buffersOf({ about, lines }: SentDocument): ArrayBuffer[] {
  return [about, ...lines].map(({ buffer }) => buffer);
}

function withLines(request: DocumentRequest, lines: never[]): DocumentRequest {
  return 'quote' in request
    ? { ...request, quote: { ...request.quote, lines } }
    : { proposal: { ...request.proposal, lines } };
}

/** In separate memory, which can be passed. */
function packed(value: unknown): Uint8Array<ArrayBuffer> {
  return new Uint8Array(serialize(value));
}
