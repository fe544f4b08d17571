import { Controller, Get, HttpCode, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import { Client, type ClientCaller } from '../platform/access/caller.js';
import { Requires } from '../platform/access/rules.js';
import {
  Described,
  Examples,
  PathParameter,
  type OperationExamples,
} from '../platform/http/described.js';
import { PostcodeParameter } from '../platform/http/parameters.js';
import { PageQuery } from '../platform/http/paging.dto.js';
import { ValidBody, ValidQuery } from '../platform/http/valid.js';
import {
  AvailabilityResult,
  AvailabilityResults,
  ListedPremisesPage,
  PostcodeList,
  PremisesQuery,
  ProductFilter,
} from './availability.dto.js';
import { AvailabilityService } from './availability.service.js';
import { PostcodeChecksService } from './postcode-checks.service.js';
import { invalidPostcodeExample } from '../platform/problems/postcode.errors.js';

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
  constraints: [],
});

const nothing = {
  id: '7D0QW3ZC8H',
  message:
    'No products are available at AB10 1AB. To be notified when there are, watch the place. To ask what could be built, send an enquiry or contact sales@example.net.',
  postcode: 'AB10 1AB',
  availableProducts: [],
  granularity: 'postcode',
  validUntil: '2026-11-21T09:45:00.000Z',
  reasons: [{ code: 'notCovered', detail: 'We do not cover this place.' }],
  nearest: null,
  constraints: [],
};

const oneExamples: OperationExamples = {
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

const premisesExamples: OperationExamples = {
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

const manyExamples: OperationExamples = {
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

function CheckIdParameter(): ParameterDecorator {
  return PathParameter({
    name: 'id',
    description:
      'The `id` of a check. Lower case, hyphens, O for 0, and I or L for 1 are accepted.',
    schema: {
      type: 'string',
      minLength: 10,
      maxLength: 20,
      pattern: '^[0-9A-Za-z -]+$',
      example: 'KR3FVJ7P2M',
    },
  });
}

function UprnParameter(): ParameterDecorator {
  return PathParameter({
    name: 'uprn',
    description: 'Unique Property Reference Number: 1 to 12 digits. Leading zeros are padding.',
    schema: {
      type: 'string',
      minLength: 1,
      maxLength: 12,
      pattern: '^[0-9]+$',
      example: '100023336956',
    },
  });
}

@Controller('product-availability')
@Described('Availability', 'For API clients: which products can be supplied at a UK postcode.')
export class AvailabilityController {
  constructor(
    private readonly availability: AvailabilityService,
    private readonly checks: PostcodeChecksService,
  ) {}

  /**
   * Check a postcode
   *
   * @remarks Lists the products that can be supplied at a UK postcode, with bandwidth, term, price,
   * set-up price, currency, lead time, and how firm the price is. Case and white space do not matter.
   * With filters, only the products that match all of them; the check is the same. If nothing is sold there, the list is empty: that is an answer, not an error.
   * @throws {400} invalid-postcode
   */
  @Get('postcode/:postcode')
  @Requires('availability:read')
  @Examples(oneExamples)
  checkPostcode(
    @PostcodeParameter() postcode: string,
    @ValidQuery() filter: ProductFilter,
    @Client() client: ClientCaller,
  ): Promise<AvailabilityResult> {
    return this.checks.check({ postcode }, client, filter);
  }

  /**
   * Check premises
   *
   * @remarks Lists the products that can be supplied at one building or unit. Send the postcode too: a
   * UPRN has no check digit. If the operator does not list the premises, the answer is that for the
   * postcode, with the reason `premisesNotListed`.
   * @throws {400} invalid-uprn, invalid-postcode
   * @throws {422} uprn-not-at-postcode
   */
  @Get('premises/:uprn')
  @Requires('availability:read')
  @Examples(premisesExamples)
  checkPremises(
    @UprnParameter() uprn: string,
    @ValidQuery() { postcode }: PremisesQuery,
    @Client() client: ClientCaller,
  ): Promise<AvailabilityResult> {
    return this.checks.check({ postcode, uprn }, client);
  }

  /**
   * List premises at a postcode
   *
   * @remarks The premises there that the operator lists, by UPRN. Other premises get the answer for the
   * postcode.
   * @throws {400} invalid-postcode
   */
  @Get('postcode/:postcode/premises')
  @Requires('availability:read')
  listPremises(
    @PostcodeParameter() postcode: string,
    @ValidQuery() query: PageQuery,
    @Client() client: ClientCaller,
  ): Promise<ListedPremisesPage> {
    return this.checks.list(postcode, query, client);
  }

  /**
   * Check many postcodes
   *
   * @remarks Up to 100 `postcodes` or `places` at once. The answer has one row for each, in the order of the request, including
   * duplicates. Each row is what a single check would return: an availability result, or a problem if
   * that check would fail. Only a problem has a `code`. Each postcode counts as one check;
   * if the rate limit allows fewer, the whole request is refused with 429.
   */
  @Post('postcodes')
  @HttpCode(200)
  @Requires('availability:read', { counts: 'postcodes' })
  @Examples(manyExamples)
  checkPostcodes(
    @ValidBody() { postcodes, places }: PostcodeList,
    @Client() client: ClientCaller,
    @Req() request: Request,
  ): Promise<AvailabilityResults> {
    const written = places ?? postcodes!.map((postcode) => ({ postcode }));
    return this.checks.checkMany(written, client, request.id);
  }

  /**
   * Read a check again
   *
   * @remarks Returns the original answer of an earlier check of this API client.
   * @throws {404} not-found
   */
  @Get('check/:id')
  @Requires('availability:read')
  readCheck(
    @CheckIdParameter() id: string,
    @Client() client: ClientCaller,
  ): Promise<AvailabilityResult> {
    return this.availability.checkAgain(id, client);
  }
}
