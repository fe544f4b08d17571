import { describe, expect, it } from '@jest/globals';
import { runInNewContext } from 'node:vm';
import { bundleScripts } from './assets.js';

/** What the bundle's scripts have noted, in order. */
function run(scripts: Record<string, string>, names?: string[]): unknown[] {
  const noted: unknown[] = [];
  const bundle = bundleScripts(new Map(Object.entries(scripts)), names);
  runInNewContext(bundle, { note: (what: unknown) => noted.push(what) });
  return noted;
}

const scripts = {
  'a.js': `import { double as twice } from './b-c.js';\nconst own = 1;\nnote(twice(own));\n//# sourceMappingURL=a.js.map`,
  'b-c.js': `const own = 2;\nexport function double(number) { return number * own; }\nexport const unused = 0;\nnote('b');`,
  'd.js': `const own = 3;\nnote(own);\nexport {};`,
};

describe('a bundle of scripts', () => {
  it('runs each script once, imported ones first, in scopes of their own', () => {
    expect(run(scripts)).toEqual(['b', 2, 3]);
  });

  it('can have some scripts, with what they import', () => {
    expect(run(scripts, ['a.js'])).toEqual(['b', 2]);
  });

  it.each([
    ['a missing script', `import { x } from './none.js';`, /imports none\.js, which is not there/],
    ['a default export', `export default 1;`, /^a\.js cannot be joined: export default 1;/],
    ['a whole import', `import * as b from './b-c.js';`, /cannot be joined: import \*/],
    ['an exported variable', `export let b = 1;`, /cannot be joined: export let/],
  ])('refuses %s', (_name, text, message) => {
    expect(() => run({ ...scripts, 'a.js': text })).toThrow(message);
  });
});
