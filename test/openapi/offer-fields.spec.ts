import { expect, test } from '@jest/globals';
import type { OpenAPIObject, SchemaObject } from '@nestjs/swagger';
import { readFileSync } from 'node:fs';
import { priceFields } from '../../src/catalogue/content/offer-fields.js';
import { entriesOf, publishedFields } from '../../src/catalogue/content/offers.js';

const schemas = ['openapi.json', 'openapi-staff.json'].map(
  (file) => (JSON.parse(readFileSync(file, 'utf8')) as OpenAPIObject).components?.schemas,
);

/** Of a schema or one of its properties, such as `OrderDetail.offerNow`. */
function propertiesOf(path: string): string[] {
  const [name = '', property] = path.split('.');
  const schema = schemas.map((all) => all?.[name]).find((one) => one) as SchemaObject;
  const found = property === undefined ? schema : (schema.properties?.[property] as SchemaObject);
  return Object.keys(found.properties ?? {}).sort();
}

const published = publishedFields().map(({ name }) => name);
const terms = publishedFields().flatMap(({ name, isTerm }) => (isTerm ? name : []));
const ofPrices = entriesOf(priceFields).flatMap(([, { name }]) => name ?? []);

test.each<[schema: string, fields: readonly string[]]>([
  ['ProductOffer', [...published, 'bandwidthCapactity']],
  ['CheckedProduct', [...published, 'bandwidthCapactity', 'priceUntil', 'track']],
  ['OfferTerms', terms],
  ['OrderDetail.offerNow', [...terms, 'differs']],
  [
    'ExplainedPriceView',
    ['priceList', ...ofPrices, 'validFrom', 'validUntil', 'derivation', 'decides'],
  ],
])('%s has exactly the fields of the table', (schema, fields) => {
  expect(propertiesOf(schema)).toEqual(fields.toSorted());
});
