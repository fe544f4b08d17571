import { expect } from '@jest/globals';
import type { INestApplicationContext } from '@nestjs/common';
import { operator } from '../../src/platform/audit/audit.service.js';
import { parseCatalogueFiles } from '../../src/catalogue/content/files/csv-reader.js';
import type { BookTexts } from '../../src/catalogue/content/files/book-reader.js';
import { type ImportResult, ImportService } from '../../src/catalogue/versions/import.service.js';
import type { ApiClient } from '../../src/clients/api-client.entity.js';
import { ClientsService, type NewClient } from '../../src/clients/clients.service.js';
import type { TokenKind } from '../../src/clients/token-format.js';
import { type IssuedToken, TokensService } from '../../src/clients/tokens.service.js';
import { usualClientScopes, type Scope, scopesOfRole } from '../../src/platform/access/scopes.js';
import type { OrderAcknowledgement, OrderRequest } from '../../src/orders/record/orders.dto.js';
import type { StaffMember } from '../../src/staff/member/staff-member.entity.js';
import { PasswordsService } from '../../src/staff/sign-in/passwords.service.js';
import { StaffService } from '../../src/staff/staff.service.js';
import { letReadCosts, MARKED_COST } from './answers.js';
import { type CatalogueRows, type GivenFiles, givenFiles } from './catalogue-files.given.js';
import type { Http } from './http.js';

export type { CatalogueRows };

/**
 * Sold: three products at EC2A and SW1A 1AA, in zone ONNET; one at N1, dearer and later, in NEARNET.
 * Excluded: EC2A 2BR. Outside: everything else. The price list `partner` has one price.
 */
export const smallCatalogue = {
  products: [
    'INT-100M-12,100M Internet on a 1G bearer,0.1,1,12',
    'INT-1G-12,1G Internet on a 10G bearer,1,10,12',
    'INT-1G-36,1G Internet on a 10G bearer,1,10,36',
    'INT-100G-60,100G Internet,100,100,60',
  ],
  prices: [
    'INT-100M-12,ONNET,standard,208.00,GBP,10',
    'INT-1G-12,ONNET,standard,550.00,GBP,84',
    'INT-1G-12,ONNET,partner,499.50,GBP,84',
    'INT-1G-36,ONNET,standard,450.00,GBP,84',
    'INT-1G-12,NEARNET,standard,725.00,GBP,120',
  ],
  coverage: ['EC2A,ONNET', 'EC2A 2BR,-', 'SW1A 1AA,ONNET', 'N1,NEARNET'],
} as const satisfies CatalogueRows;

/** What a price has in fields whose cells are empty, as in the small catalogue. */
export const emptyPriceTerms = { setupPrice: null, basis: 'firm', extraChargesPossible: false };

/** The same for an offer. */
export const emptyTerms = { ...emptyPriceTerms, network: null };

/** Of every member that a test creates. */
export const PASSWORD = 'quiet harbour lamp';

/** A product that is sold nowhere else, at a place that no test asks for. */
export function markedBook(productCode: string) {
  return {
    suppliers: 'supplier,label,valid_until\nmarked,Marked,2099-12-31\n',
    costs: `product,zone,cost,currency,lead_time_days\n${productCode},MARKED,${MARKED_COST},GBP,1\n`,
    supplierPlaces: 'place,zone\nZE2 9ZZ,MARKED\n',
  };
}

/** For `markedBook`. */
export const markedMargin = 'marked,*,,25,,,';

interface TokenOptions {
  /** By default, without `staff`, a new API client. */
  readonly client?: Pick<ApiClient, 'id'>;
  readonly staff?: Pick<StaffMember, 'id'>;
  /** By default all that the holder can have. */
  readonly scopes?: readonly Scope[];
  readonly kind?: TokenKind;
  readonly days?: number;
}

interface OrderOptions extends Partial<OrderRequest> {
  /** By default a new API client. */
  readonly token?: string;
}

let made = 0;

/** Makes a name unique in a test file, whose services may share a database. */
function next(): number {
  made += 1;
  return made;
}

/** Creates the data that a test starts from. A test names only what it is about. */
export class Given {
  constructor(
    private readonly app: INestApplicationContext,
    private readonly http: Http,
  ) {}

  client(about: Partial<NewClient> = {}): Promise<ApiClient> {
    const name = `Reseller ${next()}`;
    const client = {
      name,
      contactName: 'Grace Hopper',
      contactEmail: 'grace@reseller.example',
      contactPhone: '+44 20 7946 0123',
      priceList: 'standard',
      compatibility: '0.3' as const,
    };
    return this.get(ClientsService).add({ ...client, ...about }, operator);
  }

  staff(about: Partial<Pick<StaffMember, 'name' | 'email' | 'role'>> = {}): Promise<StaffMember> {
    const member = {
      name: 'Ada Lovelace',
      email: `ada${next()}@operator.example`,
      role: 'agent' as const,
    };
    return this.get(StaffService).add({ ...member, ...about }, operator);
  }

  /** A staff member who can sign in with `PASSWORD`. */
  async member(about: Partial<Pick<StaffMember, 'name' | 'role'>> = {}): Promise<StaffMember> {
    const member = await this.staff(about);
    await this.get(PasswordsService).set(member.id, PASSWORD, 'command', operator);
    return member;
  }

  /** A token's text. */
  async token(about: TokenOptions = {}): Promise<string> {
    return (await this.issuedToken(about)).token;
  }

  async issuedToken({
    client,
    staff,
    scopes,
    kind = 'live',
    days = 365,
  }: TokenOptions = {}): Promise<IssuedToken> {
    const usual = async () =>
      staff
        ? [...scopesOfRole((await this.get(StaffService).get(staff.id)).role)]
        : usualClientScopes;
    const holder = staff
      ? { staffMemberId: staff.id }
      : { clientId: (client ?? (await this.client())).id };
    const request = { holder, kind, label: 'test', scopes: scopes ?? (await usual()), days };
    const issued = await this.get(TokensService).issue(request, operator);
    if (request.scopes.includes('margins:read')) letReadCosts(issued.token);
    return issued;
  }

  /** The token of a new administrator. */
  async staffToken(...scopes: Scope[]): Promise<string> {
    const staff = await this.staff({ role: 'admin' });
    return this.token({ staff, ...(scopes.length > 0 && { scopes }) });
  }

  /**
   * The active catalogue version: `smallCatalogue` with these changes. Where a test does not look at the rows of
   * versions, it has a cost book, too, of which nothing may be said: see `searchForCost`.
   */
  async catalogue(rows: CatalogueRows = {}): Promise<ImportResult> {
    const path = expect.getState().testPath ?? '';
    // `nth-call` compares what each import writes, and imports other catalogues after this one.
    const hasBook =
      /\/(availability|faults(?!\/nth-call)|near-net|notifications|orders|quotes|watches)\//.test(
        path,
      );
    const { products = smallCatalogue.products } = rows;
    const books: BookTexts = hasBook ? { marked: markedBook(products[0]!.split(',')[0]!) } : {};
    const files = catalogueFiles(hasBook ? { margins: [markedMargin], ...rows } : rows);
    const { content, faults } = parseCatalogueFiles(files, books);
    if (!content) throw new Error(`The test's catalogue is wrong: ${JSON.stringify(faults.shown)}`);
    return this.get(ImportService).importContent(content, 'test', operator);
  }

  /** An order placed through the API, and a token that can read it. */
  async order({ token, ...about }: OrderOptions = {}): Promise<
    OrderAcknowledgement & { readonly token: string }
  > {
    const own = token ?? (await this.token());
    const { status, body } = await this.http.post<OrderAcknowledgement>(
      '/product-availability/order',
      { postcode: 'EC2A 2BS', productCode: 'INT-1G-12', ...about },
      { token: own },
    );
    if (status !== 201)
      throw new Error(`The order was answered ${status}: ${JSON.stringify(body)}`);
    return { ...body, token: own };
  }

  private get<T>(service: new (...parameters: never[]) => T): T {
    return this.app.get(service, { strict: false });
  }
}

/** The texts of the small catalogue, with these rows in place of its own. */
export function catalogueFiles(rows: CatalogueRows = {}): GivenFiles {
  return givenFiles({ ...smallCatalogue, ...rows });
}
