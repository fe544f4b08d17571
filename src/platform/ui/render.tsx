import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { WrittenHtml } from '../http/written.js';
import { NavigationCounts, type PlaceCounts } from './navigation.js';

/** @param status the HTTP status; by default that of the route */
export function page(drawing: VNode, status?: number): WrittenHtml {
  return new DrawnPage(drawing, status);
}

/** A part of a page, which a script asks for. */
export function fragment(drawing: VNode): WrittenHtml {
  return new WrittenHtml(() => renderToString(drawing));
}

/** A page that is written when it is sent, by then with the numbers in its navigation. */
export class DrawnPage extends WrittenHtml {
  constructor(
    private readonly drawing: VNode,
    status?: number,
  ) {
    super(() => `<!doctype html>${renderToString(drawing)}`, status);
  }

  withCounts(counts: PlaceCounts): WrittenHtml {
    const drawing = (
      <NavigationCounts.Provider value={counts}>{this.drawing}</NavigationCounts.Provider>
    );
    return new DrawnPage(drawing, this.status);
  }
}
