import { Injectable } from '@nestjs/common';
import { type Actor, AuditService } from '../../platform/audit/audit.service.js';
import { Clock } from '../../platform/kernel/clock.js';
import type { Postcode } from '../../platform/kernel/postcode.js';
import { counted, whole } from '../../platform/kernel/counts.js';
import { shareSuccess } from '../../platform/kernel/turns.js';
import { Refused } from '../../platform/problems/refused.js';
import { RevisionsService } from '../../platform/database/revisions.service.js';
import { Transactions } from '../../platform/database/transactions.js';
import type { FileFaults } from '../../platform/tables/csv-table.js';
import type { OnProgress } from '../worker/read-files.js';
import { PostcodeRegister } from './postcode-register.entity.js';
import {
  type RegisterLoss,
  type RegisterRows,
  terminationOf,
} from '../register/postcode-register.js';
import { inBackground, sharedBytes } from '../worker/in-background.js';
import { basename } from 'node:path';

const ID = 1;
/** Per cent of the postcodes, or of those with a position, above which a person has to give a reason. */
const MOST_LOST_PERCENT = 10;

interface Served extends Pick<RegisterRows, 'terminated' | 'endMonths'> {
  readonly importedAt: Date;
}

/** Of the register, for jobs in threads; null if there are none. */
interface StoredBytes {
  readonly postcodes: Uint8Array | null;
  readonly positions: Uint8Array | null;
}

export interface ImportedRegister {
  readonly register: PostcodeRegister;
  /** Lines that were skipped. */
  readonly faults: FileFaults;
}

export interface RegisterImport {
  readonly actor: Actor;
  /** Why the register may lose much; null if it may not. */
  readonly accept?: string | null;
  readonly onProgress?: OnProgress;
}

/** The postcode register, if one was imported. The service works without it. */
@Injectable()
export class RegisterService {
  private served: Served | null = null;
  private bytes = shareSuccess(() => this.readBytes());
  /** What this instance has loaded: higher after each import. */
  revision = 0;
  private listener: () => Promise<void> = () => Promise.resolve();

  constructor(
    private readonly transactions: Transactions,
    private readonly revisions: RevisionsService,
    private readonly audit: AuditService,
    private readonly clock: Clock,
  ) {
    revisions.register('register', (number) => this.load(number));
  }

  /** The month of termination, as `2019-06`; null if it was not, or the register was imported after `at`. */
  terminationOf(postcode: Postcode, at: Date): string | null {
    if (!this.served || this.served.importedAt > at) return null;
    return terminationOf(this.served, postcode.packed);
  }

  /** Without the postcodes. */
  find(): Promise<PostcodeRegister | null> {
    return this.transactions.read((tx) => tx.findOneBy(PostcodeRegister, { id: ID }));
  }

  /** See `encodeRegister`. */
  async stored(): Promise<Uint8Array | null> {
    return (await this.bytes()).postcodes;
  }

  /** See `encodePositions`; null if the register has none. */
  async storedPositions(): Promise<Uint8Array | null> {
    return (await this.bytes()).positions;
  }

  private async readBytes(): Promise<StoredBytes> {
    const row = await this.transactions.read((tx) =>
      tx.findOne(PostcodeRegister, {
        where: { id: ID },
        select: { id: true, postcodes: true, positions: true },
      }),
    );
    return {
      postcodes: row && sharedBytes(row.postcodes),
      positions: row?.positions ? sharedBytes(row.positions) : null,
    };
  }

  /** Calls `listener` after each change, once it is loaded. */
  onChange(listener: () => Promise<void>): void {
    this.listener = listener;
  }

  /**
   * Replaces the register.
   * @throws {Refused} for another kind of file, one with no live postcode, or one that loses more than 10 % without a reason
   */
  async importFile(
    path: string,
    { actor, accept = null, onProgress }: RegisterImport,
  ): Promise<ImportedRegister> {
    const before = await this.find();
    const { postcodes, positions } = await this.readBytes();
    const { kind, faults, stored, storedPositions, live, terminated, placed, loss } =
      await inBackground(
        'readRegister',
        { path, before: postcodes && { postcodes, positions } },
        { onProgress },
      );
    if (kind === null || stored === null) {
      const [fault] = faults.shown;
      throw new Refused(`${path}: ${fault?.reason ?? ''} ${fault?.suggestion ?? ''}`);
    }
    if (live === 0) throw new Refused(`${path} has no live postcode.`);
    const register: PostcodeRegister = {
      id: ID,
      kind,
      file: basename(path).slice(0, 120),
      live,
      terminated,
      placed,
      postcodes: stored,
      positions: storedPositions,
      importedBy: actor.name,
      importedAt: this.clock.now(),
    };
    const isGuarded = before !== null && loss !== null && losesMuch(before, loss);
    if (isGuarded && accept === null) {
      throw new Refused(lossInWords(before, register, loss, faults));
    }
    await this.transactions.run(async (tx) => {
      await this.revisions.bump(tx, 'register');
      await tx.delete(PostcodeRegister, { id: ID });
      await tx.insert(PostcodeRegister, register);
      await this.audit.record(tx, {
        subject: ['postcode-register', String(ID)],
        action: 'imported',
        actor,
        details: {
          kind,
          file: register.file,
          live,
          terminated,
          placed,
          ...(isGuarded && { accepted: accept }),
        },
      });
    });
    await this.revisions.catchUp();
    return { register, faults };
  }

  private async load(number: number): Promise<void> {
    this.bytes = shareSuccess(() => this.readBytes());
    const row = await this.find();
    const stored = row && (await this.stored());
    if (row && stored) {
      const rows = await inBackground('decodeRegister', { stored });
      this.served = { ...rows, importedAt: row.importedAt };
      await this.listener();
    }
    this.revision = number;
  }
}

type RegisterSize = Pick<PostcodeRegister, 'file' | 'live' | 'placed'>;

const isMuch = (lost: number, before: number) => lost * 100 > before * MOST_LOST_PERCENT;

function losesMuch(before: RegisterSize, loss: RegisterLoss): boolean {
  return isMuch(loss.live, before.live) || isMuch(loss.placed, before.placed);
}

/** Counts that exceed the limit, what to do, and the first line that was not read. */
function lossInWords(
  before: RegisterSize,
  after: RegisterSize,
  loss: RegisterLoss,
  { shown: [fault] }: FileFaults,
): string {
  const counts = ({ live, placed }: RegisterSize) =>
    `${counted(live, 'live postcode')}, ${whole(placed)} of them with a position`;
  const lost = [
    ...(isMuch(loss.live, before.live) ? [counted(loss.live, 'live postcode')] : []),
    ...(isMuch(loss.placed, before.placed) ? [counted(loss.placed, 'position')] : []),
  ].join(' and ');
  const first = fault
    ? ` The first line with a fault is ${fault.line}, ${JSON.stringify(fault.value)}: ${fault.reason}`
    : '';
  return (
    `${after.file} has ${counts(after)}. The register that it would replace has ${counts(before)}. ` +
    `${lost} would be lost, more than ${MOST_LOST_PERCENT} %. Nothing was changed.${first} ` +
    'Check that the file is the whole register. If the loss is intended, give a reason: --yes "<reason>".'
  );
}
