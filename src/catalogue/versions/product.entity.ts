import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { column } from '../../database/columns.js';
import { CatalogueVersion } from './catalogue-version.entity.js';

/** What is sold, in one catalogue version. */
@Entity({ name: 'catalogue_products' })
export class Product {
  @PrimaryColumn(column.integer)
  @ForeignKey(() => CatalogueVersion, { name: 'fk_catalogue_products_version' })
  version: number;

  @PrimaryColumn(column.text(32))
  code: string;

  @Column(column.text(120))
  name: string;

  @Column(column.integer)
  bandwidthProvisionedMbps: number;

  @Column(column.integer)
  bandwidthCapacityMbps: number;

  @Column(column.integer)
  termMonths: number;
}
