import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { column } from '../../database/columns.js';
import { CatalogueVersion } from './catalogue-version.entity.js';

/** Amount, currency and lead time of a product in a zone, on a price list. No row, no sale. */
@Entity({ name: 'catalogue_prices' })
export class Price {
  @PrimaryColumn(column.integer)
  @ForeignKey(() => CatalogueVersion, { name: 'fk_catalogue_prices_version' })
  version: number;

  @PrimaryColumn(column.text(32))
  productCode: string;

  @PrimaryColumn(column.text(32))
  zone: string;

  @PrimaryColumn(column.text(32))
  priceList: string;

  /** A month's price, excluding VAT. */
  @Column(column.money)
  amountMinor: number;

  /** ISO 4217. */
  @Column(column.text(3))
  currency: string;

  @Column(column.integer)
  leadTimeDays: number;
}
