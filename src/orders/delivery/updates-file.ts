/** The file of delivery updates: its columns, and what each row changes. Pure. */
import {
  type FaultReason,
  type FileFaults,
  FaultList,
  CsvTable,
} from '../../catalogue/content/files/csv-table.js';
import { nearest } from '../../catalogue/content/cells.js';
import { ONE_LINE } from '../../platform/kernel/text.js';
import { isDay } from '../../platform/kernel/time.js';
import { nextTurn } from '../../platform/kernel/turns.js';
import { type MilestoneCode, milestoneCodes, waitingParties } from '../record/milestones.js';
import { readReferences } from '../record/references.js';
import type { DeliveryChange, DeliveryRefusal } from './delivery-rules.js';

const FILE = 'updates';
/** The columns of a file of updates. */
export const COLUMNS = [
  'order',
  'milestone',
  'planned',
  'done',
  'committed',
  'waiting_for',
  'service_id',
  'note',
] as const;
type UpdateColumn = (typeof COLUMNS)[number];

/** Characters that are read in one turn of the event loop: a few milliseconds. */
const PART = 32 * 1_024;

/** Ends a wait, or removes a day. */
const NONE = 'none';

/** A row about an order. */
interface UpdateRow {
  readonly line: number;
  readonly change: DeliveryChange;
}

/** Reads the rows of a file by the reference of their order, and collects its faults. */
export class UpdatesFile {
  /** By the reference of the order, in their order. */
  readonly rows = new Map<string, UpdateRow[]>();
  count = 0;
  private readonly found = new FaultList();
  private readonly table = new CsvTable(
    FILE,
    { columns: COLUMNS, optional: COLUMNS.slice(1) },
    this.found,
    (cells, line) => this.read(cells, line),
  );

  /** In turns of the event loop. */
  static async read(text: string): Promise<UpdatesFile> {
    const file = new UpdatesFile();
    const start = text.startsWith('\uFEFF') ? 1 : 0;
    for (let at = start; at < text.length; at += PART) {
      file.table.push(text.slice(at, at + PART));
      await nextTurn();
    }
    file.table.end();
    return file;
  }

  get faults(): FileFaults {
    return this.found.sorted([FILE]);
  }

  /** For the orders of the rows: none has the reference, or its delivery does not start. */
  refuseOrder(reference: string, reason: string): void {
    for (const { line } of this.rows.get(reference) ?? []) {
      this.refuse(line, 'order', reference, {
        reason,
        suggestion: 'Name an order that is won, such as ORD-7F3K9Q, or remove the row.',
      });
    }
  }

  /** For what the rules of deliveries refuse, at the last row that says it. */
  refuseChange(reference: string, { field, code, detail }: DeliveryRefusal): void {
    const rows = this.rows.get(reference) ?? [];
    const says = ({ change }: UpdateRow) =>
      code === undefined
        ? change[field] != null
        : change.milestones?.some((one) => one.code === code && one.doneOn != null);
    const column = { milestones: 'done', committedDate: 'committed', waitingFor: 'waiting_for' };
    const { line, change } = rows.findLast(says) ?? rows[0]!;
    const value = change.milestones?.[0]?.doneOn ?? '';
    const at = field === 'serviceId' ? 'service_id' : column[field];
    this.refuse(line, at as UpdateColumn, value, { reason: detail, suggestion: '' });
  }

  private refuse(line: number, column: UpdateColumn, value: string, wrong: FaultReason): void {
    this.found.add(FILE, line, column, value, wrong);
  }

  private read(cells: readonly string[], line: number): void {
    const row = Object.fromEntries(COLUMNS.map((name, i) => [name, cells[i] ?? ''])) as Record<
      UpdateColumn,
      string
    >;
    this.count += 1;
    const [reference] = readReferences(row.order);
    if (reference === undefined) {
      this.refuse(line, 'order', row.order, {
        reason: 'This is no reference of an order.',
        suggestion: 'Write it as ORD-7F3K9Q.',
      });
    }
    const milestone = this.milestoneOf(row, line);
    const committed = this.day(row, 'committed', line);
    const waitingFor = this.waitOf(row.waiting_for, line);
    const serviceId = this.short(row.service_id, 'service_id', 64, line);
    const note = this.short(row.note, 'note', 1000, line);
    const change: DeliveryChange = {
      ...(milestone && { milestones: [milestone] }),
      ...(committed != null && { committedDate: committed }),
      ...(waitingFor !== undefined && { waitingFor }),
      ...(serviceId !== '' && { serviceId }),
      ...(note !== '' && { note }),
    };
    if (reference === undefined) return;
    const rows = this.rows.get(reference);
    if (rows) rows.push({ line, change });
    else this.rows.set(reference, [{ line, change }]);
  }

  private milestoneOf(row: Readonly<Record<UpdateColumn, string>>, line: number) {
    const planned = this.day(row, 'planned', line);
    const done = this.day(row, 'done', line);
    const { milestone } = row;
    const code = milestoneCodes.find((one) => one === milestone);
    if (milestone !== '' && code === undefined) {
      const near = nearest(milestone, milestoneCodes);
      this.refuse(line, 'milestone', milestone, {
        reason: 'There is no milestone of this code.',
        suggestion: near ? `Did you mean "${near}"?` : `Write ${milestoneCodes.join(', ')}.`,
      });
    } else if (code === undefined && (row.planned !== '' || row.done !== '')) {
      this.refuse(line, 'milestone', '', {
        reason: 'The row has a day, but no milestone.',
        suggestion: `Write ${milestoneCodes.join(', ')}.`,
      });
    } else if (code !== undefined && row.planned === '' && row.done === '') {
      this.refuse(line, 'done', '', {
        reason: 'The row has a milestone, but no day.',
        suggestion: 'Write when it is planned or was done, or "none".',
      });
    }
    if (code === undefined) return undefined;
    const days: { plannedFor?: string | null; doneOn?: string | null } = {};
    if (planned !== undefined) days.plannedFor = planned;
    if (done !== undefined) days.doneOn = done;
    return { code: code satisfies MilestoneCode, ...days };
  }

  /** Undefined for an empty cell and for a fault; null for `none`. */
  private day(
    row: Readonly<Record<UpdateColumn, string>>,
    column: 'planned' | 'done' | 'committed',
    line: number,
  ): string | null | undefined {
    const text = row[column];
    if (text === '') return undefined;
    if (isDay(text)) return text;
    if (text === NONE && column !== 'committed') return null;
    this.refuse(line, column, text, {
      reason: 'This is no day.',
      suggestion: `Write it as 2026-12-04${column === 'committed' ? '' : ', or "none" to remove it'}.`,
    });
    return undefined;
  }

  private waitOf(text: string, line: number): DeliveryChange['waitingFor'] {
    if (text === '') return undefined;
    if (text === NONE) return null;
    const [, party = '', what = ''] = /^(\w+):\s*(\S.*)$/.exec(text) ?? [];
    const known = waitingParties.find((one) => one === party);
    if (known && what.length <= 200 && ONE_LINE.test(what)) return { party: known, what };
    this.refuse(line, 'waiting_for', text, {
      reason: 'This does not say who has to do what.',
      suggestion:
        'Write client, operator or thirdParty, a colon and at most 200 characters, such as "client: name a site contact"; or "none".',
    });
    return undefined;
  }

  private short(text: string, column: UpdateColumn, longest: number, line: number) {
    if (text === '' || (text.length <= longest && ONE_LINE.test(text))) return text;
    this.refuse(line, column, text, {
      reason: 'This text is too long, or has control characters.',
      suggestion: `Write one line of at most ${longest} characters.`,
    });
    return '';
  }
}
