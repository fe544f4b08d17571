import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { column } from '../platform/database/columns.js';

/** The version of the coverage that an API client was last notified of; of test tokens, the state of their sandbox. */
@Entity({ name: 'coverage_notices' })
export class CoverageNotice {
  @PrimaryColumn(column.uuid)
  @ForeignKey('ApiClient', { name: 'fk_coverage_notices_client' })
  clientId: string;

  @PrimaryColumn(column.boolean)
  isTest: boolean;

  /** As in its `ETag`. */
  @Column(column.text(40))
  version: string;

  /** Its number, so that an instance with an older catalogue does not notify; in the sandbox 0 or 1. */
  @Column(column.integer)
  catalogueVersion: number;
}
