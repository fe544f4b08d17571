/**
 * The enquiries of the demo's week with their offers, an order with an extra charge, and watched places. The times
 * of the steps are minutes of working time before now.
 */
import type { EnquiryRequest } from '../../src/orders/record/enquiries.dto.js';
import type { OfferLine } from '../../src/orders/offers/offers.service.js';
import type { OrderRequest } from '../../src/orders/record/orders.dto.js';
import type { StepAction } from './steps.js';

export type DealAction =
  | Extract<StepAction, { readonly name: 'claim' | 'logContact' | 'lose' }>
  | { readonly name: 'supplier'; readonly note: string; readonly inMinutes: number }
  | { readonly name: 'answer'; readonly offers: readonly OfferLine[]; readonly forDays?: number }
  | { readonly name: 'approve' | 'accept' | 'expire' }
  | { readonly name: 'decline'; readonly reason: string }
  | { readonly name: 'charge'; readonly amount: number; readonly note: string };

type DealStep = readonly [ago: number, action: DealAction];

export interface DealStory {
  /** The number of the client in the cast. */
  readonly client: number;
  readonly arrived: number;
  readonly asks: { readonly enquiry: EnquiryRequest } | { readonly order: OrderRequest };
  /** A number of a colleague; the viewer by default. */
  readonly owner?: number;
  readonly steps: readonly DealStep[];
}

const contact = (name: string, phone: string) => ({
  name,
  email: `${name.toLowerCase().replace(' ', '.')}@customer.example`,
  phone,
});

const claim: DealAction = { name: 'claim' };
const reached = (note: string): DealAction => ({
  name: 'logContact',
  channel: 'phone',
  result: 'reached',
  note,
});

const offer = (
  name: string,
  [bandwidthProvisioned, term]: readonly [number, number],
  [price, setupPrice]: readonly [number, number],
  leadTimeDays: number,
  about: Partial<OfferLine> = {},
): OfferLine => ({
  name,
  bandwidthProvisioned,
  term,
  price,
  setupPrice,
  currency: 'GBP',
  leadTimeDays,
  basis: 'subjectToSurvey',
  ...about,
});

export const dealStories: readonly DealStory[] = [
  // Waiting.
  {
    client: 2,
    arrived: 26,
    asks: {
      enquiry: {
        postcode: 'SW7 2AZ',
        wanted: {
          bandwidth: 10,
          term: 36,
          description:
            'Two diverse routes for a museum archive. The second may follow a year later.',
        },
        reference: 'PO-7714',
        contact: contact('Imogen Hale', '01632 960731'),
      },
    },
    steps: [],
  },
  {
    client: 4,
    arrived: 148,
    asks: {
      enquiry: {
        postcode: 'SE8 3PA',
        wanted: { bandwidth: 1, term: 12 },
        notes:
          'You plan to sell here in September. The customer moves in June and would pay for the build.',
      },
    },
    steps: [],
  },
  // In progress: of the viewer, and with a supplier.
  {
    client: 0,
    arrived: 330,
    asks: {
      enquiry: {
        postcode: 'N1 9GU',
        wanted: { bandwidth: 25, term: 60, description: 'Dark fibre would do as well.' },
        reference: 'QF-8801',
        contact: contact('Gideon Marsh', '07700 900418'),
      },
    },
    steps: [
      [290, claim],
      [268, reached('Needs 25G in one circuit, not a bundle. Wants a price this week.')],
    ],
  },
  {
    client: 3,
    arrived: 900,
    owner: 2,
    asks: {
      enquiry: {
        postcode: 'AB10 1AB',
        wanted: { bandwidth: 1, term: 36 },
        reference: 'FD-2207',
        contact: contact('Morag Sinclair', '01632 960118'),
      },
    },
    steps: [
      [840, claim],
      [815, reached('A branch in Aberdeen. They would take a partner network.')],
      [810, { name: 'supplier', note: 'Asked two carriers for a tail.', inMinutes: 700 }],
    ],
  },
  // Offered: one approved by the manager, one whose validity ends soon.
  {
    client: 1,
    arrived: 1_400,
    owner: 0,
    asks: {
      enquiry: {
        postcode: 'EC1A 9HF',
        wanted: { bandwidth: 100, term: 36 },
        reference: 'LMS-5530',
        contact: contact('Rowena Pike', '01632 960655'),
      },
    },
    steps: [
      [1_330, claim],
      [1_300, reached('Trading floor. The date matters more than the price.')],
      [
        640,
        {
          name: 'answer',
          offers: [
            offer('100G wavelength', [100, 36], [3_900, 4_500], 70, { basis: 'firm' }),
            offer('100G wavelength, 60 months', [100, 60], [3_300, 0], 70, { basis: 'firm' }),
          ],
        },
      ],
      [560, { name: 'approve' }],
    ],
  },
  {
    client: 5,
    arrived: 2_050,
    asks: {
      enquiry: {
        postcode: 'E16 2DQ',
        wanted: { bandwidth: 3, term: 24 },
        reference: 'TV-3391',
        contact: contact('Basil Thorne', '07700 900264'),
      },
    },
    steps: [
      [1_990, claim],
      [1_960, reached('Warehouse; 2G in the catalogue is not enough.')],
      [
        1_500,
        {
          name: 'answer',
          forDays: 6,
          offers: [
            offer('3G Ethernet on a 10G bearer', [3, 24], [1_180, 2_400], 126, {
              bandwidthCapacity: 10,
              note: 'The price holds only with the dig that is planned in the next street.',
            }),
          ],
        },
      ],
    ],
  },
  // Awaits the approval of a manager.
  {
    client: 6,
    arrived: 700,
    owner: 1,
    asks: {
      enquiry: {
        postcode: 'W1A 1AA',
        wanted: {
          bandwidth: 100,
          term: 60,
          description: 'Two 100G circuits to different exchanges.',
        },
        reference: 'WR-1184',
      },
    },
    steps: [
      [660, claim],
      [635, reached('Will decide in the board meeting on Thursday.')],
      [
        95,
        {
          name: 'answer',
          offers: [offer('2 × 100G Ethernet, diverse', [100, 60], [6_400, 9_000], 98)],
        },
      ],
    ],
  },
  // Accepted: an order, which is being delivered.
  {
    client: 0,
    arrived: 2_600,
    owner: 3,
    asks: {
      enquiry: {
        postcode: 'SW7 5BD',
        wanted: { bandwidth: 5, term: 36 },
        reference: 'QF-8744',
        contact: contact('Selina Frost', '01632 960402'),
      },
    },
    steps: [
      [2_540, claim],
      [2_510, reached('5G, and a date before the exhibition opens.')],
      [
        2_060,
        {
          name: 'answer',
          offers: [
            offer('5G Ethernet on a 10G bearer', [5, 36], [1_320, 1_800], 112, {
              bandwidthCapacity: 10,
            }),
            offer('5G Ethernet, 24 months', [5, 24], [1_520, 1_800], 112, {
              bandwidthCapacity: 10,
            }),
          ],
        },
      ],
      [1_120, { name: 'accept' }],
      [1_050, reached('Survey booked with the building manager.')],
    ],
  },
  // Declined, lost, expired.
  {
    client: 4,
    arrived: 2_900,
    owner: 1,
    asks: {
      enquiry: {
        postcode: 'NW8 8QN',
        wanted: { bandwidth: 10, term: 12 },
        reference: 'BW-6075',
      },
    },
    steps: [
      [2_830, claim],
      [
        2_400,
        {
          name: 'answer',
          offers: [
            offer('10G Internet, 12 months', [10, 12], [2_450, 6_000], 140, {
              basis: 'indicative',
            }),
          ],
        },
      ],
      [1_700, { name: 'decline', reason: 'The set-up price is more than the customer can pay.' }],
    ],
  },
  {
    client: 7,
    arrived: 2_300,
    owner: 3,
    asks: {
      enquiry: { postcode: 'LD1 5AB', wanted: { bandwidth: 10, term: 36 }, reference: 'SI-0912' },
    },
    steps: [
      [2_200, claim],
      [2_170, reached('A farm with a data centre. No carrier is within 15 km.')],
      [1_640, { name: 'lose', reason: 'not_serviceable', note: 'No carrier has fibre near it.' }],
    ],
  },
  {
    client: 1,
    arrived: 3_200,
    owner: 2,
    asks: {
      enquiry: { postcode: 'SE10 8XJ', wanted: { bandwidth: 10, term: 24 }, reference: 'LMS-5418' },
    },
    steps: [
      [3_100, claim],
      [
        2_750,
        {
          name: 'answer',
          forDays: 0,
          offers: [
            offer('10G Internet', [10, 24], [1_990, 2_000], 126, {
              note: 'We can keep the engineers for today only.',
            }),
          ],
        },
      ],
      [2_260, { name: 'expire' }],
    ],
  },
  // An order whose survey found more to build.
  {
    client: 2,
    arrived: 1_900,
    asks: {
      order: {
        postcode: 'N1 9GU',
        productCode: 'INT-5G-36',
        reference: 'PO-7698',
        contact: contact('Doris Amadi', '01632 960519'),
      },
    },
    steps: [
      [1_850, claim],
      [1_830, reached('Survey on Friday, access through the loading bay.')],
      [
        210,
        {
          name: 'charge',
          amount: 1_450,
          note: 'The duct under the yard is blocked: 18 m of new duct.',
        },
      ],
    ],
  },
];

/** Where clients wait for products: in the planned zone, and outside London. */
export const watched = [
  { client: 0, ago: 1_250, place: { postcode: 'SE8 3PA', minBandwidth: 1, reference: 'QF-8790' } },
  { client: 3, ago: 480, place: { postcode: 'M1 1AE', maxPrice: 600 } },
] as const;
