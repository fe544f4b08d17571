import type { OperationExamples } from '../platform/http/described.js';

export const oneWatchExamples: OperationExamples = {
  request: {
    any: { summary: 'Any product', value: {} },
    all: {
      summary: 'All fields',
      value: {
        uprn: '100023336956',
        reference: 'PO-4711',
        minBandwidth: 1,
        maxPrice: 600,
        includeBuild: true,
      },
    },
  },
};

export const manyWatchesExamples: OperationExamples = {
  request: {
    two: {
      summary: 'Two places, one of them invalid',
      value: { places: [{ postcode: 'EC2A 2BS', minBandwidth: 1 }, { postcode: 'EC2A 20S' }] },
    },
  },
  responses: {
    200: {
      two: {
        summary: 'A row for each: a watch, a problem',
        value: {
          results: [
            {
              watchId: '019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90',
              postcode: 'EC2A 2BS',
              uprn: null,
              reference: null,
              minBandwidth: 1,
              maxPrice: null,
              includeBuild: false,
              state: 'open',
              createdAt: '2026-11-21T09:30:00.000Z',
              endsAt: '2027-11-21T09:30:00.000Z',
              servedAt: null,
            },
            {
              type: 'http://localhost:3000/problems/invalid-postcode',
              title: 'Not a UK postcode',
              status: 400,
              detail:
                'A postcode ends with a digit and two letters (never C, I, K, M, O or V). Did you mean EC2A 2DS?',
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
