import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { GridPoint } from './map-places.js';

let loaded: readonly (readonly GridPoint[])[] | undefined;

/** The coast of the United Kingdom and the Isle of Man, and the border of Northern Ireland, as rings. */
export function outline(): readonly (readonly GridPoint[])[] {
  return (loaded ??= parseOutline(readFileSync(join(import.meta.dirname, 'outline.txt'), 'utf8')));
}

/** @param text a line for each ring: its first point, then the step to each next one */
export function parseOutline(text: string): GridPoint[][] {
  return text
    .trim()
    .split('\n')
    .map((line) => {
      let at = { x: 0, y: 0 };
      return line.split(' ').map((step) => {
        const [x = 0, y = 0] = step.split(',').map(Number);
        return (at = { x: at.x + x, y: at.y + y });
      });
    });
}
