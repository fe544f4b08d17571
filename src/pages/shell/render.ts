import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { WrittenHtml } from '../../http/written-html.js';

/** @param status the HTTP status; by default that of the route */
export function page(drawing: VNode, status?: number): WrittenHtml {
  return new WrittenHtml(`<!doctype html>${renderToString(drawing)}`, status);
}
