import { Get, Res } from '@nestjs/common';
import type { Response } from 'express';
import { AuditNamesService, type SubjectNames } from '../platform/audit/audit-names.service.js';
import { AuditService } from '../platform/audit/audit.service.js';
import { Heavy } from '../platform/access/rules.js';
import { AuditExportService } from '../platform/audit/recorded-export.service.js';
import { attach, CSV } from '../platform/http/attachment.js';
import { page as pageOf, parseCursor } from '../platform/http/paging.js';
import { OrderDetailService } from '../orders/staff/order-detail.service.js';
import { Clock } from '../platform/kernel/clock.js';
import { StaffService } from '../staff/staff.service.js';
import { IsOptionalInstant, IsOptionalText } from '../platform/http/field-rules.js';
import { type FormField, type RefusedForm, withValue } from '../platform/ui/forms/form-spec.js';
import { inputForm, inputIn, readQuery } from '../platform/ui/forms/input-form.js';
import { page } from '../platform/ui/render.js';
import { type Form, type Visit, Visited } from '../platform/ui/forms/form.js';
import { StaffPages } from '../platform/ui/staff-pages.js';
import type { AuditEntry } from '../platform/audit/audit-entry.entity.js';
import type { StaffCaller } from '../platform/access/caller.js';
import { isUuid } from '../platform/kernel/uuid.js';
import { isAtLeast } from '../platform/access/scopes.js';
import { nameOf } from '../orders/moves/move-fields.js';
import { Fields, RefusedSummary } from '../platform/ui/forms/form-view.js';
import { Empty, Time } from '../platform/ui/parts.js';
import { Table } from '../platform/ui/table.js';
import { AdminLayout } from './admin-layout.js';
import {
  actionChoices,
  actorTypes,
  auditAction,
  detailValue,
  shownDetails,
  subjectWord,
  subjectWords,
} from './audit-words.js';
import { counted } from '../platform/kernel/counts.js';

const MOST_ENTRIES = 100;

/** Texts are only compared, so that any value is allowed: an address may name an action or a person that is no choice. */
class AuditQuery {
  @IsOptionalText(120)
  subject?: string;

  @IsOptionalText(120)
  id?: string;

  @IsOptionalText(120)
  action?: string;

  @IsOptionalText(120)
  actor?: string;

  @IsOptionalInstant()
  since?: Date;

  @IsOptionalInstant()
  until?: Date;
}

@StaffPages('staff', 'manager')
export class AuditPagesController {
  constructor(
    private readonly audit: AuditService,
    private readonly names: AuditNamesService,
    private readonly exports: AuditExportService,
    private readonly orders: OrderDetailService,
    private readonly staff: StaffService,
    private readonly clock: Clock,
  ) {}

  @Get('audit')
  async showAudit(@Visited() { viewer, query }: Visit) {
    const people = (await this.staff.list()).map(({ name }) => name);
    const form = auditForm(query, people);
    const read = readQuery(form, query);
    const after = parseCursor(query.text('after'));
    // An invalid field may change the meaning of the others.
    const list = 'refused' in read ? [] : await this.list(read.input, after);
    const refused = 'refused' in read ? read.refused : null;
    const { items: entries, nextCursor } = pageOf(
      list,
      MOST_ENTRIES,
      (entry) => entry,
      (entry) => entry,
    );
    const nameOfSubject = await this.names.of([...entries, ...subjectsIn(entries)]);
    const fields = new URLSearchParams(query.entries());
    if (nextCursor) fields.set('after', nextCursor);
    const earlier = nextCursor && `/staff/audit?${fields.toString()}`;
    const [now, continued] = [this.clock.now(), after !== undefined];
    return page(
      <AuditPage
        viewer={viewer}
        query={query}
        fields={form.fields}
        refused={refused}
        entries={entries}
        nameOfSubject={nameOfSubject}
        earlier={earlier}
        now={now}
        continued={continued}
      />,
      refused ? 422 : undefined,
    );
  }

  /** @throws {ValidationFailed} for an invalid time */
  @Get('audit.csv')
  @Heavy()
  async exportAudit(@Visited() { viewer, query }: Visit, @Res() response: Response) {
    const whole = await this.exports.begin(
      await this.filterOf(inputIn(auditForm(query, []), query)),
      viewer,
    );
    attach(response, CSV, 'audit.csv');
    await whole.writeTo(response);
  }

  private async list(query: AuditQuery, after: ReturnType<typeof parseCursor>) {
    return this.audit.list({ ...(await this.filterOf(query)), after, limit: MOST_ENTRIES + 1 });
  }

  /** A reference in any spelling means the order or enquiry. */
  private async filterOf({ subject, id, action, actor, since, until }: AuditQuery) {
    const filter = { subjectType: subject, action, actorName: actor, since, until };
    const [orderId] = (await this.orders.idsOf([id ?? ''])).values();
    if (orderId === undefined) return { ...filter, subjectId: id };
    // With the type, an index finds the entries.
    return { ...filter, subjectType: subject ?? 'order', subjectId: orderId };
  }
}

interface AuditProps {
  readonly viewer: StaffCaller;
  readonly entries: readonly AuditEntry[];
  readonly nameOfSubject: SubjectNames;
  readonly query: Form;
  readonly fields: readonly FormField[];
  readonly refused: RefusedForm | null;
  readonly now: Date;
  /** Whether this is not the first page. */
  readonly continued: boolean;
  /** The address of the next page; null on the last. */
  readonly earlier: string | null;
}

const subjects = Object.entries(subjectWords).map(([value, { many: name }]) => ({ value, name }));

/** @param people the names of the staff */
function auditForm(query: Form, people: readonly string[]) {
  const persons = [...people]
    .sort((a, b) => a.localeCompare(b))
    .map((name) => ({ value: name, name }));
  return inputForm(AuditQuery, {
    subject: { label: 'About', any: 'Everything', choices: subjects },
    id: { label: 'Reference or ID' },
    action: {
      label: 'Action',
      any: 'Any',
      choices: withValue(actionChoices, query.text('action')),
    },
    actor: { label: 'Person', any: 'Any', choices: withValue(persons, query.text('actor')) },
    since: { label: 'From (London)' },
    until: { label: 'Before (London)' },
  });
}

function AuditPage(props: AuditProps) {
  const { viewer, entries, query, fields, refused, earlier } = props;
  return (
    <AdminLayout title="Audit trail" viewer={viewer} here="audit">
      <RefusedSummary refused={refused} />
      <Filter query={query} fields={fields} refused={refused} />
      {refused ? (
        <p>Correct the filter to see entries.</p>
      ) : entries.length === 0 ? (
        <Empty title="No entries match.">
          <p>Remove a filter to see more.</p>
        </Empty>
      ) : (
        <Entries {...props} />
      )}
      {earlier && (
        <p class="actions">
          <a class="button" href={earlier}>
            Earlier entries
          </a>
        </p>
      )}
    </AdminLayout>
  );
}

/** The address of the export with the same filter. */
function exportAddress(query: Form, all: readonly FormField[]): string {
  const fields = new URLSearchParams(
    all.flatMap(({ name }) => (query.text(name) ? [[name, query.text(name)]] : [])),
  );
  return fields.size === 0 ? '/staff/audit.csv' : `/staff/audit.csv?${fields.toString()}`;
}

/** Folded, so that the entries come first; what it filters by is beside it. */
function Filter({ query, fields: all, refused }: Pick<AuditProps, 'query' | 'fields' | 'refused'>) {
  const fields = all.map((field) => ({ ...field, first: query.text(field.name) }));
  const active = fields.filter(({ first }) => first !== '');
  return (
    <>
      <div class="actions trail-tools">
        {active.length > 0 && (
          <>
            <span>{active.map((field) => `${field.label}: ${valueIn(field)}`).join(', ')}</span>
            <a href="/staff/audit">Clear filter</a>
          </>
        )}
        {!refused && <a href={exportAddress(query, all)}>Export as CSV</a>}
      </div>
      <details class="more trail-filter" open={refused !== null}>
        <summary>{active.length === 0 ? 'Filter' : 'Change filter'}</summary>
        <form class="trail" action="/staff/audit">
          <Fields of={fields} refused={refused} />
          <p class="actions">
            <button type="submit" class="primary">
              Show
            </button>
          </p>
        </form>
      </details>
    </>
  );
}

function valueIn({ first = '', choices }: FormField): string {
  const isTime = /^\d{4}-\d\d-\d\dT/.test(first);
  return (
    choices?.find(({ value }) => value === first)?.name ??
    (isTime ? first.replace('T', ' ') : first)
  );
}

function Entries({ viewer, entries, nameOfSubject, now, continued }: AuditProps) {
  const count = counted(entries.length, 'entry', 'entries');
  return (
    <Table
      label="Entries"
      caption={`Showing ${count}${continued ? ' more' : ''}, newest first`}
      captioned
      rows={entries}
      columns={[
        { name: 'When', of: ({ at }) => <Time at={at} now={now} /> },
        { name: 'Action', of: ({ action }) => auditAction(action), heads: true },
        {
          name: 'About',
          of: (entry) => <Subject entry={entry} viewer={viewer} nameOfSubject={nameOfSubject} />,
          class: 'words',
        },
        { name: 'By', of: (entry) => <ActorName entry={entry} />, class: 'words' },
        {
          name: 'Details',
          of: (entry) => <Details entry={entry} nameOfSubject={nameOfSubject} now={now} />,
          class: 'details',
        },
      ]}
    />
  );
}

function ActorName({ entry: { actorName, actorType } }: { entry: AuditEntry }) {
  const type = nameOf(actorTypes, actorType);
  return (
    <>
      {actorName}
      {actorType === 'client' && <div class="muted">{type}</div>}
    </>
  );
}

/** The pages of the subjects, with the least role for each. */
const placesOf: ReadonlyMap<string, readonly [path: string, role: StaffCaller['role']]> = new Map([
  ['order', ['/staff/orders/', 'agent']],
  ['client', ['/staff/clients/', 'admin']],
  ['staff', ['/staff/members/', 'admin']],
  ['catalogue', ['/staff/catalogue/versions/', 'commercial']],
]);

interface SubjectProps {
  readonly entry: AuditEntry;
  readonly viewer: StaffCaller;
  readonly nameOfSubject: SubjectNames;
}

function Subject({ entry, viewer, nameOfSubject }: SubjectProps) {
  const { subjectType, subjectId } = entry;
  const [place, role] = placesOf.get(subjectType) ?? [];
  // An id says nothing to people.
  const text = nameOfSubject(subjectType, subjectId) ?? (isUuid(subjectId) ? '' : subjectId);
  const isEnquiry = text.startsWith('ENQ-');
  const leads = place !== undefined && role !== undefined && isAtLeast(viewer.role, role);
  return (
    <>
      {`${isEnquiry ? 'Enquiry' : subjectWord(subjectType)} `}
      {leads ? <a href={`${place}${encodeURIComponent(subjectId)}`}>{text}</a> : text}
    </>
  );
}

/** Details that are ids of subjects. */
const idsOf: Readonly<Record<string, string>> = {
  client: 'client',
  clientId: 'client',
  token: 'token',
  duplicateOf: 'order',
  enquiryId: 'order',
  subjectId: 'order',
};

/** The subjects in the details of these entries, whose names the page needs too. */
function subjectsIn(entries: readonly AuditEntry[]) {
  return entries.flatMap(({ details }) =>
    shownDetails(details ?? {}).flatMap(([name, , subjectId]) =>
      Object.hasOwn(idsOf, name) && typeof subjectId === 'string'
        ? [{ subjectType: idsOf[name]!, subjectId }]
        : [],
    ),
  );
}

type DetailsProps = Pick<SubjectProps, 'entry' | 'nameOfSubject'> & { readonly now: Date };

function Details({ entry: { details }, nameOfSubject, now }: DetailsProps) {
  if (!details) return null;
  const named = (name: string, value: string) =>
    nameOfSubject(idsOf[name] ?? '', value) !== undefined;
  return (
    <>
      {shownDetails(details)
        .filter(([name, , value]) => !isUuid(String(value)) || named(name, String(value)))
        .map(([name, label, value]) => (
          <div>
            {`${label}: `}
            <Detail name={name} value={value} nameOfSubject={nameOfSubject} now={now} />
          </div>
        ))}
    </>
  );
}

/** The details that the service sets to an instant. All others may hold a person's own words. */
const instants: ReadonlySet<string> = new Set([
  'dueAt',
  'expiresAt',
  'failingSince',
  'nextActionAt',
  'since',
  'until',
]);

interface DetailProps extends Pick<DetailsProps, 'nameOfSubject' | 'now'> {
  readonly name: string;
  readonly value: unknown;
}

function Detail({ name, value, nameOfSubject, now }: DetailProps) {
  if (typeof value === 'string' && instants.has(name)) {
    return <Time at={new Date(value)} now={now} />;
  }
  const type = Object.hasOwn(idsOf, name) ? idsOf[name] : undefined;
  const named = type && typeof value === 'string' ? nameOfSubject(type, value) : undefined;
  return <>{named ?? detailValue(name, value)}</>;
}
