import type { OperationExamples } from '../http/described.js';

const offer = {
  productCode: 'INT-1G-12',
  name: '1G Internet on a 10G bearer',
  bandwidthProvisioned: 1,
  bandwidthCapacity: 10,
  term: 12,
  price: 550,
  currency: 'GBP',
  leadTimeDays: 84,
};

export const oneExamples: OperationExamples = {
  responses: {
    200: {
      available: {
        summary: 'Two products are sold there',
        value: {
          id: 'KR3FVJ7P2M',
          message:
            '2 products are available at EC2A 2BS. To order, place an order request or contact sales@example.net.',
          postcode: 'EC2A 2BS',
          availableProducts: [
            offer,
            { ...offer, productCode: 'INT-1G-36', term: 36, price: 478.5 },
          ],
        },
      },
      nothing: {
        summary: 'Nothing is sold there',
        value: {
          id: '7D0QW3ZC8H',
          message:
            'No products are available at AB10 1AB. To ask what could be built, contact sales@example.net.',
          postcode: 'AB10 1AB',
          availableProducts: [],
        },
      },
    },
  },
};

export const manyExamples: OperationExamples = {
  request: {
    three: {
      summary: 'Three postcodes, of which one is none',
      value: { postcodes: ['EC2A 2BS', 'AB10 1AB', 'EC2A 20S'] },
    },
  },
  responses: {
    200: {
      three: {
        summary: 'A row for each: products, nothing, a problem',
        value: {
          results: [
            {
              id: 'KR3FVJ7P2M',
              message:
                '1 product is available at EC2A 2BS. To order, place an order request or contact sales@example.net.',
              postcode: 'EC2A 2BS',
              availableProducts: [offer],
            },
            {
              id: '7D0QW3ZC8H',
              message:
                'No products are available at AB10 1AB. To ask what could be built, contact sales@example.net.',
              postcode: 'AB10 1AB',
              availableProducts: [],
            },
            {
              type: 'http://localhost:3000/problems/invalid-postcode',
              title: 'Not a UK postcode',
              status: 400,
              detail:
                'The last three characters are not a digit and two letters (never C, I, K, M, O or V). Did you mean EC2A 2DS?',
              instance: 'urn:uuid:5b0a7c9e-2f64-4f5d-9a51-0d3c7e8b6a21',
              code: 'invalid-postcode',
              suggestion: 'EC2A 2DS',
            },
          ],
        },
      },
    },
  },
};
