import { expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { lintRules } from '../../src/catalogue/content/lint.js';
import { railNames } from '../../src/catalogue/content/review/guard-rails.js';
import { GuardRailBroken } from '../../src/catalogue/versions/catalogue.errors.js';

const { components } = JSON.parse(readFileSync('openapi-staff.json', 'utf8')) as {
  components: { schemas: Record<string, { properties: Record<string, { maxItems?: number }> }> };
};
const rails = Object.keys(railNames) as (keyof typeof railNames)[];

it.each([
  ['VersionView', 'rails', rails],
  ['ImportView', 'rails', rails],
  ['ImportView', 'warnings', Object.keys(lintRules)],
])('%s.%s may have one of each kind', (schema, property, kinds) => {
  expect(components.schemas[schema]!.properties[property]!.maxItems).toBe(kinds.length);
});

it('the detail of a refusal by every guard rail is not longer than described', () => {
  const detail = 'x'.repeat(500);
  const problem = new GuardRailBroken(
    2_147_483_647,
    rails.map((rail) => ({ rail, detail })),
    true,
  );
  expect(problem.detail.length).toBeLessThanOrEqual(1_000);
  expect(problem.detail).toMatch(/give a reason/);
});
