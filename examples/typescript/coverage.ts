// Keeps all coverage and prices in memory, and answers checks without the service. With fetch, without packages.
//   BASE=http://localhost:3000 TOKEN=pas_test_… node coverage.ts [postcode] [uprn]
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

type Row = Record<string, string | number | boolean | null>;
/** By kind and the first part of the key, then by the other parts. */
type Rows = Map<string, Map<string, Row>>;

/** What identifies a row of each kind. */
const keys: Record<string, string[]> = {
  place: ['place', 'validFrom'],
  premises: ['postcode', 'uprn', 'validFrom'],
  product: ['productCode'],
  price: ['area', 'productCode', 'validFrom'],
  area: ['area'],
  constraint: ['code'],
};

class Gone extends Error {}

export class Coverage {
  readonly base: string;
  readonly token: string;
  /** The version of the rows; undefined before the first download. */
  version: string | undefined;
  private rows: Rows = new Map();

  constructor(base: string, token: string) {
    this.base = base;
    this.token = token;
  }

  /** Call it once a day, and after each webhook `coverage.changed`. A lost webhook costs nothing but time. */
  async sync(): Promise<void> {
    try {
      if (this.version) return await this.take(`/changes?since=${this.version}`, this.rows);
    } catch (error) {
      if (!(error instanceof Gone)) throw error;
    }
    const rows: Rows = new Map();
    await this.take('', rows);
    this.rows = rows;
  }

  /** Applies the rows of a download, after it has arrived whole. */
  private async take(path: string, rows: Rows): Promise<void> {
    const response = await this.get(path);
    const hash = createHash('sha256');
    const taken: Row[] = [];
    for await (const line of lines(response)) {
      const row = JSON.parse(line) as Row;
      if (row.row !== 'end') {
        hash.update(`${line}\n`);
        taken.push(row);
        continue;
      }
      if (row.rows !== taken.length || row.sha256 !== hash.digest('hex')) break;
      for (const one of taken) apply(rows, one);
      this.version = String(row.version);
      return;
    }
    throw new Error('The download was cut off.');
  }

  private async get(path: string): Promise<Response> {
    for (let attempt = 1; ; attempt += 1) {
      const url = `${this.base}/product-availability/coverage${path}`;
      const response = await fetch(url, { headers: { Authorization: `Bearer ${this.token}` } });
      if (response.ok) return response;
      if (response.status === 410) throw new Gone();
      const isTemporary = response.status === 429 || response.status === 503;
      if (!isTemporary || attempt === 5) throw new Error(await response.text());
      await sleep(1_000 * Number(response.headers.get('retry-after')));
    }
  }

  /** The products of a check on a day in London, in its order. The postcode is in capitals, with one space. */
  check(postcode: string, uprn?: string, day = londonDay()): Row[] {
    const area = this.areaOf(postcode, uprn, day);
    if (area === null) return [];
    const products = this.find(`price ${area}`)
      .filter((price) => isOn(price, day))
      .map(({ row: _row, area: _area, validFrom: _from, validUntil: _until, ...terms }) => {
        const { row: _kind, ...product } = this.find(`product ${terms.productCode}`)[0]!;
        return { ...product, ...terms };
      });
    const order = ['bandwidthProvisioned', 'term', 'price', 'productCode'];
    return products.sort((a, b) => {
      const name = order.find((one) => a[one] !== b[one]);
      return name === undefined ? 0 : a[name]! < b[name]! ? -1 : 1;
    });
  }

  /** What makes the place less than plain. The row of the premises counts before that of the area. */
  constraints(postcode: string, uprn?: string, day = londonDay()): Row[] {
    const own = this.listed(postcode, uprn, day);
    const area = this.areaOf(postcode, uprn, day);
    const codes = own?.constraints ?? this.find(`area ${area}`)[0]?.constraints ?? '';
    return String(codes)
      .split('|')
      .flatMap((code) => this.find(`constraint ${code}`))
      .map(({ code, text }) => ({ code: code!, text: text! }));
  }

  private listed(postcode: string, uprn: string | undefined, day: string): Row | undefined {
    const listed = this.find(`premises ${postcode}`).filter((row) => row.uprn === uprn);
    return listed.find((row) => isOn(row, day));
  }

  /** Of several rows the most specific counts, also one that excludes the place: its area is null. */
  private areaOf(postcode: string, uprn: string | undefined, day: string): string | null {
    const own = this.listed(postcode, uprn, day);
    if (own) return own.area as string | null;
    const [outward = ''] = postcode.split(' ');
    const district = outward.replace(/(?<=\d)[A-Z]$/, '');
    const area = /^[A-Z]+/.exec(outward)?.[0] ?? '';
    for (const place of [postcode, postcode.slice(0, -2), outward, district, area]) {
      const row = this.find(`place ${place}`).find((one) => isOn(one, day));
      if (row) return row.area as string | null;
    }
    return null;
  }

  private find(group: string): Row[] {
    return [...(this.rows.get(group)?.values() ?? [])];
  }
}

function apply(rows: Rows, { op, ...row }: Row): void {
  // A newer service may have other kinds of rows.
  const [first, ...others] = keys[String(row.row)] ?? [];
  if (first === undefined) return;
  const group = `${row.row} ${row[first!]}`;
  const key = others.map((name) => row[name]).join(' ');
  const found = rows.get(group) ?? new Map<string, Row>();
  rows.set(group, found);
  if (op === 'remove') found.delete(key);
  else found.set(key, row);
}

function isOn({ validFrom, validUntil }: Row, day: string): boolean {
  return (!validFrom || validFrom <= day) && (!validUntil || day <= validUntil);
}

/** Such as `2026-11-25`. */
function londonDay(): string {
  return new Date().toLocaleDateString('en-CA', { timeZone: 'Europe/London' });
}

async function* lines(response: Response): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    const found = (rest + chunk).split('\n');
    rest = found.pop()!;
    yield* found;
  }
}

if (import.meta.filename === process.argv[1]) {
  const { BASE: base = 'http://localhost:3000', TOKEN: token = '' } = process.env;
  const coverage = new Coverage(base, token);
  await coverage.sync();
  const [postcode = 'ZZ99 1AA', uprn] = process.argv.slice(2);
  console.log(
    `Version ${coverage.version}: ${coverage.check(postcode, uprn).length} products at ${postcode}`,
  );
}
