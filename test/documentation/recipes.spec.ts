import { describe, expect, it } from '@jest/globals';
import { existsSync, readFileSync } from 'node:fs';

const [, ...sections] = readFileSync('docs/develop/recipes.md', 'utf8').split(/^## /m);
const recipes = new Map(sections.map((text) => [text.slice(0, text.indexOf('\n')), text]));

/** The files of the recipe's table, one at the start of each row. */
function filesOf(recipe: string): string[] {
  return [...(recipes.get(recipe) ?? '').matchAll(/^\| `(src\/[^`]+)`/gm)].map(([, path]) => path!);
}

describe('the recipe', () => {
  it.each([
    ['Add a field to an offer', 11],
    ['Add a file to a catalogue', 2],
    ['Add a field to an order', 10],
    ['Add an order state', 7],
    ['Add a follow-up outcome', 3],
    ['Add a lost reason', 5],
    ['Add a move', 9],
    ['Add a form about a record', 4],
    ['Add a resource that clients PUT, GET and DELETE', 8],
    ['Add a notification channel', 3],
    ['Add a figure to a report', 1],
    ['Add a column to the queue', 1],
    ['Add a migration', 2],
  ])('"%s" names at most %i files of src, and those exist', (recipe, most) => {
    const files = filesOf(recipe);
    expect(files.length).toBeGreaterThan(0);
    expect(files.length).toBeLessThanOrEqual(most);
    const missing = files.filter((path) => !path.includes('<') && !existsSync(path));
    expect(missing).toEqual([]);
  });
});
