import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { WrittenHtml } from '../../http/written-html.js';

/** A page, drawn whole. @param status the HTTP status; what the route says, if left out */
export function page(drawing: VNode, status?: number): WrittenHtml {
  return new WrittenHtml(`<!doctype html>${renderToString(drawing)}`, status);
}
