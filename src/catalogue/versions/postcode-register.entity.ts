import { Column, Entity, PrimaryColumn } from 'typeorm';
import { column, optional } from '../../platform/database/columns.js';

/** The postcodes in use and the terminated ones, from one file. At most one row. */
@Entity({ name: 'postcode_registers' })
export class PostcodeRegister {
  /** Always 1. */
  @PrimaryColumn(column.integer)
  id: number;

  /** `ONSPD`, `Code-Point Open` or `Positions`. */
  @Column(column.text(32))
  kind: string;

  /** Its name, without the folder. */
  @Column(column.text(120))
  file: string;

  @Column(column.integer)
  live: number;

  @Column(column.integer)
  terminated: number;

  /** Live postcodes with a position. */
  @Column(column.integer)
  placed: number;

  /** See `encodeRegister`. */
  @Column({ ...column.bytes, select: false })
  postcodes: Uint8Array;

  /** See `encodePositions`; null if the file has no positions. */
  @Column({ ...optional(column.bytes), select: false })
  positions: Uint8Array | null;

  @Column(column.text(120))
  importedBy: string;

  @Column(column.instant)
  importedAt: Date;
}
