import type { Check } from './check.entity.js';

/** In the order in which `CheckBatch` has their values. */
export const checkColumns = [
  'id',
  'client_id',
  'postcode',
  'area',
  'price_list',
  'catalogue_version',
  'product_count',
  'checked_at',
  'staff_id',
] as const;

type Row = [string, string, string, string, string, number, number, number, string | null];

/**
 * Records of checks that wait to be written, as the text of their rows in bytes outside V8's memory:
 * thousands of objects that wait for a while would grow old, and have all of it looked through every
 * few seconds.
 */
export class CheckBatch {
  private bytes = Buffer.allocUnsafe(16_384);
  private used = 0;
  count = 0;

  add(check: Check): void {
    const row: Row = [
      check.id,
      check.clientId,
      check.postcode,
      check.area,
      check.priceList,
      check.catalogueVersion,
      check.productCount,
      check.checkedAt.getTime(),
      check.staffId,
    ];
    const text = `${this.count > 0 ? ',\n' : ''}${JSON.stringify(row).slice(1, -1)}`;
    const length = Buffer.byteLength(text);
    if (this.used + length > this.bytes.length) {
      this.bytes = Buffer.concat([this.bytes], 2 * this.bytes.length + length);
    }
    this.used += this.bytes.write(text, this.used);
    this.count += 1;
  }

  /** The values of all rows, one after the other, as a JSON array. */
  get json(): string {
    return `[${this.bytes.toString('utf8', 0, this.used)}]`;
  }

  /** @param id 10 characters of Crockford's base 32 */
  find(id: string): Check | undefined {
    const held = this.bytes.subarray(0, this.used);
    const at = held.indexOf(`"${id}",`);
    if (at < 0) return undefined;
    const end = held.indexOf(',\n', at);
    const text = held.toString('utf8', at, end < 0 ? this.used : end);
    const row = JSON.parse(`[${text}]`) as Row;
    return {
      id: row[0],
      clientId: row[1],
      postcode: row[2],
      area: row[3],
      priceList: row[4],
      catalogueVersion: row[5],
      productCount: row[6],
      checkedAt: new Date(row[7]),
      staffId: row[8],
    };
  }
}
