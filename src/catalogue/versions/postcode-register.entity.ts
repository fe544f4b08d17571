import { Column, Entity, PrimaryColumn } from 'typeorm';
import { column } from '../../database/columns.js';

/** The postcodes in use and those that no longer are, as one file gave them. At most one row. */
@Entity({ name: 'postcode_registers' })
export class PostcodeRegister {
  /** Always 1. */
  @PrimaryColumn(column.integer)
  id: number;

  /** `ONSPD` or `Code-Point Open`. */
  @Column(column.text(32))
  kind: string;

  /** The file's name. */
  @Column(column.text(120))
  file: string;

  @Column(column.integer)
  live: number;

  @Column(column.integer)
  terminated: number;

  /** All postcodes, packed; see postcode-register.ts. */
  @Column({ ...column.bytes, select: false })
  postcodes: Uint8Array;

  @Column(column.text(120))
  importedBy: string;

  @Column(column.instant)
  importedAt: Date;
}
