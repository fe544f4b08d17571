/** The file of delivery updates: its columns, and what each row changes. Pure. */
import { OmitType } from '@nestjs/swagger';
import {
  type FaultReason,
  type FileFaults,
  FaultList,
  CsvTable,
} from '../../platform/tables/csv-table.js';
import { nearest } from '../../platform/tables/nearest.js';
import { IsOptionalText } from '../../platform/http/field-rules.js';
import { validOrFaults } from '../../platform/http/valid.js';
import { whole } from '../../platform/kernel/counts.js';
import { groupsOf, inTurns } from '../../platform/kernel/turns.js';
import { dayOf, isPlaceholder } from '../../platform/tables/values.js';
import { milestoneCodes } from '../record/milestones.js';
import { readReferences } from '../record/references.js';
import type { DeliveryChange, DeliveryRefusal } from './delivery-rules.js';
import { DeliveryChangeBody } from './staff-delivery.dto.js';

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
type UpdateCells = Readonly<Record<UpdateColumn, string>>;

/** A change, whose note is one line. */
class UpdateChange extends OmitType(DeliveryChangeBody, ['version', 'note']) {
  @IsOptionalText(1000)
  note?: string;
}

/** By the property of a change. */
const columns: Readonly<Record<string, UpdateColumn>> = {
  code: 'milestone',
  plannedFor: 'planned',
  doneOn: 'done',
  milestones: 'done',
  committedDate: 'committed',
  party: 'waiting_for',
  what: 'waiting_for',
  waitingFor: 'waiting_for',
  serviceId: 'service_id',
};

const columnAt = (pointer: string): UpdateColumn => columns[pointer.split('/').at(-1)!] ?? 'note';

const orNone = () => 'Or write "none".';
const suggestions: Partial<Record<UpdateColumn, (cell: string) => string>> = {
  milestone(cell) {
    const near = nearest(cell, milestoneCodes);
    return near ? `Did you mean "${near}"?` : '';
  },
  planned: orNone,
  done: orNone,
  waiting_for: () => 'Write who and what, such as "client: name a site contact"; or "none".',
};

/** Characters that are read at once. */
const PART = 8_192;
/** Rows that are checked in one turn of the event loop, in a few milliseconds. */
const IN_A_TURN = 12;

/** Rows of a file: the service works on them for a few seconds. */
export const MOST_ROWS = 20_000;
/** Faults after which the rest of a file is not read. */
const MOST_FAULTS = 100;

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
  /** Rows that are read and not checked yet. */
  private unchecked: { readonly cells: readonly string[]; readonly line: number }[] = [];
  private readonly table = new CsvTable(
    FILE,
    { columns: COLUMNS, optional: COLUMNS.slice(1) },
    this.found,
    (cells, line) => this.unchecked.push({ cells: [...cells], line }),
  );

  /** In turns of the event loop, up to the fault that is one too many. A file with too many rows is not read. */
  static async read(text: string): Promise<UpdatesFile> {
    if (hasManyRows(text)) return tooLong();
    const file = new UpdatesFile();
    for (let at = 0; at < text.length && !file.hasManyFaults; at += PART) {
      file.table.push(text.slice(at, at + PART));
      await file.check();
    }
    if (file.hasManyFaults) return file;
    file.table.end();
    await file.check();
    return file;
  }

  private async check(): Promise<void> {
    const rows = this.unchecked;
    this.unchecked = [];
    for await (const group of inTurns(groupsOf(rows, IN_A_TURN))) {
      for (const { cells, line } of group) this.read(cells, line);
      if (this.hasManyFaults) return;
    }
  }

  /** Then the rest of the file is not looked at. */
  get hasManyFaults(): boolean {
    return this.found.count >= MOST_FAULTS;
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
  refuseChange(reference: string, { field, code, day = 'doneOn', detail }: DeliveryRefusal): void {
    const rows = this.rows.get(reference) ?? [];
    const says = ({ change }: UpdateRow) => {
      const [milestone] = change.milestones ?? [];
      return code === undefined
        ? change[field] != null
        : milestone?.code === code && milestone[day] != null;
    };
    const { line, change } = rows.findLast(says) ?? rows[0]!;
    const value = code ? (change.milestones?.[0]?.[day] ?? '') : (change.committedDate ?? '');
    this.refuse(line, columnAt(code ? day : field), value, { reason: detail, suggestion: '' });
  }

  refuse(line: number, column: UpdateColumn, value: string, wrong: FaultReason): void {
    this.found.add(FILE, line, column, value, wrong);
  }

  private read(cells: readonly string[], line: number): void {
    const row = Object.fromEntries(COLUMNS.map((name, i) => [name, cells[i] ?? ''])) as UpdateCells;
    this.count += 1;
    const vague = COLUMNS.find((name) => name !== 'note' && saysNothing(row[name]));
    if (vague !== undefined) {
      this.refuse(line, vague, row[vague], {
        reason: 'It does not say what changes.',
        suggestion:
          'Leave the cell empty to change nothing, or write "none" to remove what is there.',
      });
      return;
    }
    const [reference] = readReferences(row.order);
    if (reference === undefined) {
      this.refuse(line, 'order', row.order, {
        reason: 'This is no reference of an order.',
        suggestion: 'Write it as ORD-7F3K9Q.',
      });
    }
    if (row.milestone !== '' && row.planned === '' && row.done === '') {
      this.refuse(line, 'done', '', {
        reason: 'The row has a milestone, but no day.',
        suggestion: 'Write when it is planned or was done, or "none".',
      });
    }
    const change = validOrFaults(UpdateChange, changeIn(row));
    if (Array.isArray(change)) {
      for (const [column, [fault]] of Map.groupBy(change, ({ pointer }) => columnAt(pointer))) {
        const suggestion = suggestions[column]?.(row[column]) ?? '';
        this.refuse(line, column, row[column], { reason: fault!.detail, suggestion });
      }
    } else if (reference !== undefined) {
      const rows = this.rows.get(reference);
      if (rows) rows.push({ line, change });
      else this.rows.set(reference, [{ line, change }]);
    }
  }
}

/** Every row is one line: a line break in a cell is a fault. Blank lines and comments are none. */
function hasManyRows(text: string): boolean {
  let rows = 0;
  const end = text.includes('\n') ? '\n' : '\r';
  for (let at = text.indexOf(end); at >= 0 && rows <= MOST_ROWS; at = text.indexOf(end, at + 1)) {
    const next = text[at + 1];
    if (next !== undefined && !'\r\n#'.includes(next)) rows += 1;
  }
  return rows > MOST_ROWS;
}

/** Without its rows. */
function tooLong(): UpdatesFile {
  const file = new UpdatesFile();
  const reason = `The file has more than ${whole(MOST_ROWS)} rows.`;
  file.refuse(MOST_ROWS + 2, 'order', '', { reason, suggestion: 'Import it in parts.' });
  return file;
}

/** What the cells say. */
function changeIn(row: UpdateCells): object {
  const { milestone, waiting_for: wait } = row;
  const days = said({ plannedFor: dayIn(row.planned), doneOn: dayIn(row.done) });
  const hasMilestone = milestone + row.planned + row.done !== '';
  const [party = '', ...what] = wait.split(':');
  return said({
    milestones: hasMilestone ? [{ code: milestone, ...days }] : '',
    committedDate: dayOf(row.committed) ?? row.committed,
    waitingFor: wait === NONE ? null : wait && { party: party.trim(), what: what.join(':').trim() },
    serviceId: row.service_id,
    note: row.note,
  });
}

const saysNothing = (cell: string) => cell !== NONE && isPlaceholder(cell);

const dayIn = (cell: string) => (cell === NONE ? null : (dayOf(cell) ?? cell));

/** Without the empty cells, which leave what earlier rows say. */
function said(values: object): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));
}
