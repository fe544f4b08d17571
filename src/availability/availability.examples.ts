import { invalidPostcodeExample } from '../platform/problems/postcode.errors.js';
import type { OperationExamples } from '../platform/http/described.js';

const offer = {
  productCode: 'INT-1G-12',
  name: '1G Internet on a 10G bearer',
  bandwidthProvisioned: 1,
  bandwidthCapacity: 10,
  term: 12,
  price: 550,
  currency: 'GBP',
  leadTimeDays: 84,
  setupPrice: 250,
  basis: 'firm',
  extraChargesPossible: false,
  network: 'onNetWithoutBuild',
  service: 'Internet',
  needsInterconnect: false,
  priceUntil: null,
};

const available = (products: string, ...availableProducts: object[]) => ({
  id: 'KR3FVJ7P2M',
  message: `${products} available at EC2A 2BS. To order, place an order request or contact sales@example.net.`,
  postcode: 'EC2A 2BS',
  availableProducts,
  granularity: 'postcode',
  validUntil: '2026-11-21T09:45:00.000Z',
  reasons: [],
  nearest: null,
});

const nothing = {
  id: '7D0QW3ZC8H',
  message:
    'No products are available at AB10 1AB. To be notified when there are, watch the place. To ask what could be built, send an enquiry or contact sales@example.net.',
  postcode: 'AB10 1AB',
  availableProducts: [],
  granularity: 'postcode',
  validUntil: '2026-11-21T09:45:00.000Z',
  reasons: [{ code: 'notCovered', detail: 'The operator does not cover this place.' }],
  nearest: null,
};

export const oneExamples: OperationExamples = {
  responses: {
    200: {
      available: {
        summary: 'Two products are sold there',
        value: available('2 products are', offer, {
          ...offer,
          productCode: 'INT-1G-36',
          term: 36,
          price: 478.5,
        }),
      },
      nothing: { summary: 'Nothing is sold there', value: nothing },
    },
  },
};

export const premisesExamples: OperationExamples = {
  responses: {
    200: {
      listed: {
        summary: 'The operator lists the premises',
        value: {
          ...available('1 product is', offer),
          premises: { uprn: '100023336956', name: 'Finsbury Tower' },
          granularity: 'premises',
        },
      },
      notListed: {
        summary: 'The operator does not list them',
        value: {
          ...available('1 product is', offer),
          premises: { uprn: '100023336957', name: null },
          reasons: [
            {
              code: 'premisesNotListed',
              detail:
                'The operator does not list these premises, so this is the answer for the postcode.',
            },
          ],
        },
      },
    },
  },
};

export const manyExamples: OperationExamples = {
  request: {
    three: {
      summary: 'Three postcodes, one of them invalid',
      value: { postcodes: ['EC2A 2BS', 'AB10 1AB', 'EC2A 20S'] },
    },
  },
  responses: {
    200: {
      three: {
        summary: 'A row for each: products, nothing, a problem',
        value: {
          results: [available('1 product is', offer), nothing, invalidPostcodeExample],
        },
      },
    },
  },
};
