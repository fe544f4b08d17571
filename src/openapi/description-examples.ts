import type { ExamplesObject } from '@nestjs/swagger';

interface Examples {
  readonly request?: ExamplesObject;
  /** By status. */
  readonly responses?: Readonly<Record<number, ExamplesObject>>;
}

const lit = {
  productCode: 'INT-1G-12',
  name: '1G Internet on a 10G bearer',
  bandwidthProvisioned: 1,
  bandwidthCapacity: 10,
  term: 12,
  price: 550,
  currency: 'GBP',
  leadTimeDays: 84,
};

/** The first lines of what each part of the form is. */
const files = {
  products:
    'code,name,bandwidth_provisioned_gbps,bandwidth_capacity_gbps,term_months\nINT-1G-12,1G Internet on a 10G bearer,1,10,12\n',
  prices:
    'product,zone,price_list,price,currency,lead_time_days\nINT-1G-12,LONDON-ONNET,standard,550,GBP,84\n',
  coverage: 'place,zone\nEC2A 2,LONDON-ONNET\n',
};

/** Where one example does not show enough, by operation. The others come from the schemas. */
export const examples: Readonly<Record<string, Examples>> = {
  checkPostcode: {
    responses: {
      200: {
        available: {
          summary: 'Two products are sold there',
          value: {
            id: 'KR3FVJ7P2M',
            message:
              '2 products are available at EC2A 2BS. To order, place an order request or contact sales@example.net.',
            postcode: 'EC2A 2BS',
            availableProducts: [lit, { ...lit, productCode: 'INT-1G-36', term: 36, price: 478.5 }],
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
  },
  checkPostcodes: {
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
                availableProducts: [lit],
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
  },
  advanceTestOrder: {
    request: {
      next: { summary: 'To the next state', value: {} },
      rejected: { summary: 'To an end of your choice', value: { to: 'rejected' } },
    },
  },
  placeOrder: {
    request: {
      least: {
        summary: 'What is needed',
        value: { postcode: 'EC2A 2BS', productCode: 'INT-1G-12' },
      },
      all: {
        summary: 'Everything that can be said',
        value: {
          postcode: 'EC2A 2BS',
          productCode: 'INT-1G-12',
          checkId: 'KR3FVJ7P2M',
          reference: 'PO-4711',
          contact: { name: 'Ada Lovelace', email: 'ada@example.com', phone: '+44 20 7946 0958' },
          notes: 'Access to the riser only on weekdays.',
        },
      },
    },
  },
  importCatalogue: {
    request: {
      tryOut: {
        summary: 'What would change; nothing is stored',
        value: { ...files, dryRun: 'true' },
      },
      activate: {
        summary: 'Stored and, unless a guard rail stops it, taken into service',
        value: { ...files, label: 'November rate card', then: 'activate' },
      },
    },
  },
  ready: {
    responses: {
      503: {
        notReady: {
          summary: 'No catalogue has been loaded',
          value: {
            status: 'not ready',
            catalogue: false,
            catalogueVersion: null,
            lag: null,
            database: true,
            migrations: true,
            disk: true,
            bankHolidays: true,
            draining: false,
            warnings: [],
          },
        },
      },
    },
  },
};
