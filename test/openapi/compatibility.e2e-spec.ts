import { describe, expect, it } from '@jest/globals';
import type { OpenAPIObject, SchemaObject } from '@nestjs/swagger';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '../support/closing.js';

const released = readdirSync('released').find((name) => /^openapi-\d.*\.json$/.test(name))!;

/** The result of the check for the released document after `change`. */
async function gate(change: (document: OpenAPIObject) => void) {
  const document = JSON.parse(readFileSync(join('released', released), 'utf8')) as OpenAPIObject;
  change(document);
  const file = join(await newFolder(), 'openapi.json');
  writeFileSync(file, JSON.stringify(document));
  return new Promise<{ code: number; text: string }>((resolve) => {
    execFile(
      process.execPath,
      ['scripts/check-compatibility.mjs', file],
      { maxBuffer: 16 * 1024 * 1024 },
      (error, stdout, stderr) =>
        resolve({ code: Number(error?.code ?? 0), text: `${stdout}${stderr}` }),
    );
  });
}

const schema = (document: OpenAPIObject, name: string) =>
  document.components!.schemas![name] as SchemaObject & {
    properties: Record<string, SchemaObject>;
    required: string[];
  };

describe('the compatibility check', () => {
  it('accepts an unchanged document, and additions', async () => {
    expect((await gate(() => undefined)).code).toBe(0);
    const grown = await gate((document) => {
      schema(document, 'ProductOffer').properties.colour = { type: 'string' };
      schema(document, 'OrderRequest').properties.colour = { type: 'string' };
      document.paths['/product-availability/more'] = document.paths['/product-availability/me']!;
      const cancel = document.paths['/product-availability/order/{orderId}/cancellation']!.post!;
      const moved = document.components!.responses!.OrderMoved!;
      const problem = (name: string) => ({ $ref: `#/components/schemas/${name}` });
      const several = { anyOf: [problem('OrderMovedProblem'), problem('Problem')] };
      const content = { 'application/problem+json': { schema: several } };
      cancel.responses['409'] = { ...moved, description: 'One of several.', content };
    });
    expect([grown.code, grown.text]).toEqual([0, expect.stringContaining('breaks no client')]);
  });

  it.each<[string, (document: OpenAPIObject) => void, string]>([
    [
      'a field of an answer that is removed',
      (document) => {
        const offer = schema(document, 'ProductOffer');
        delete offer.properties.leadTimeDays;
        offer.required = offer.required.filter((name) => name !== 'leadTimeDays');
      },
      'leadTimeDays',
    ],
    [
      'a field of an answer that was optional',
      (document) => {
        delete schema(document, 'InvalidPostcodeProblem').properties.suggestion;
      },
      'suggestion',
    ],
    [
      'a field of an answer of another type',
      (document) => {
        schema(document, 'ProductOffer').properties.term = { type: 'string' };
      },
      'term',
    ],
    [
      'a field of a request that is needed from now on',
      (document) => {
        schema(document, 'OrderRequest').required.push('checkId');
      },
      'checkId',
    ],
    [
      'an operation that is removed',
      (document) => {
        delete document.paths['/product-availability/check/{id}'];
      },
      '/product-availability/check/{id}',
    ],
  ])('refuses %s', async (_what, change, named) => {
    const { code, text } = await gate(change);
    expect([code, text]).toEqual([1, expect.stringContaining(named)]);
    expect(text).toContain(`breaks clients of released/${released}`);
  });
});
