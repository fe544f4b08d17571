import { expect, it } from '@jest/globals';
import type { OpenAPIObject, SchemaObject } from '@nestjs/swagger';
import { readFileSync } from 'node:fs';
import { csvFormat } from '../../src/queue/lists/export.service.js';

const { components } = JSON.parse(readFileSync('openapi-staff.json', 'utf8')) as OpenAPIObject;
const order = components!.schemas!.FollowUpOrder as SchemaObject;

/** Have several columns. */
const split = [
  'nearest',
  'product',
  'wanted',
  'offered',
  'client',
  'contact',
  'delivery',
  'confirmed',
];
/** Follow from the time of the export, or serve programs only. */
const leftOut = ['ageSeconds', 'nearlyLate', 'due', 'claimedAt', 'enquiryId', 'version'];

it('the CSV export of orders has a column for each field that staff see', () => {
  const columns = [...csvFormat().header.trim().split(','), ...split, ...leftOut];
  const fields = Object.keys(order.properties ?? {});
  expect(fields.length).toBeGreaterThan(30);
  expect(fields.filter((name) => !columns.includes(name))).toEqual([]);
});
