import { describe, expect, it } from '@jest/globals';
import { HeardAnswer } from '../../src/orders/charges/staff-charges.dto.js';
import { Answer } from '../../src/orders/offers/staff-offers.dto.js';
import { HandOver, Win } from '../../src/orders/staff/moves.dto.js';
import { NewOffer, RecordedAcceptance } from '../../src/orders/offers/staff-offers.dto.js';
import { ValidationFailed } from '../../src/platform/problems/problem.js';
import { EnquiryRequest } from '../../src/orders/record/enquiries.dto.js';
import { OrderRequest } from '../../src/orders/record/orders.dto.js';
import { validated } from '../../src/platform/http/valid.js';

/** The fault of one property. */
async function faultOf<T extends object>(type: new () => T, name: keyof T & string, value: string) {
  const errors: ValidationFailed['errors'] = await validated(type, { [name]: value }).then(
    () => [],
    (error: unknown) => (error as ValidationFailed).errors,
  );
  return errors.find(({ pointer }) => pointer === `/${name}`)?.detail;
}

describe('a text that is one line', () => {
  it.each([
    () => faultOf(HeardAnswer, 'by', 'A\nB'),
    () => faultOf(RecordedAcceptance, 'by', 'A\u0007B'),
    () => faultOf(Win, 'externalReference', 'A\tB'),
    () => faultOf(NewOffer, 'name', 'A\u2028B'),
    () => faultOf(OrderRequest, 'reference', 'A\nB'),
    () => faultOf(EnquiryRequest, 'reference', 'A\u0085B'),
  ])('has no control characters: case %#', async (fault) => {
    expect(await fault()).toBe('Use one line, without control characters.');
  });

  it('says how long it may be, and is', async () => {
    expect(await faultOf(HeardAnswer, 'by', 'x'.repeat(1_121))).toBe(
      'Use at most 120 characters; these are 1,121.',
    );
  });
});

describe('a list', () => {
  it('that is too long, with items that are wrong, is not also missing', async () => {
    const offers = Array.from({ length: 6 }, () => ({ price: -1 }));
    const errors: ValidationFailed['errors'] = await validated(Answer, { version: 1, offers }).then(
      () => [],
      (error: unknown) => (error as ValidationFailed).errors,
    );
    const codes = new Map(errors.map(({ pointer, code }) => [pointer, code]));
    expect([codes.get('/offers'), codes.get('/offers/5/price')]).toEqual(['too-long', 'too-small']);
  });
});

describe('a text of several lines', () => {
  it('may have line breaks, and has a length', async () => {
    expect(await faultOf(HandOver, 'note', 'Speaks French.\r\nAsked for 36 months.')).toBe(
      undefined,
    );
    expect(await faultOf(OrderRequest, 'notes', 'x'.repeat(2_001))).toBe(
      'Use at most 2,000 characters; these are 2,001.',
    );
  });
});
