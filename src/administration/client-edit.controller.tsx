import { clientMessages } from './client-page.js';
import { Get, Param, Post } from '@nestjs/common';
import { actorOf, AuditService } from '../platform/audit/audit.service.js';
import type { ApiClient } from '../clients/api-client.entity.js';
import { ClientChanged } from '../clients/clients.errors.js';
import { ClientsService } from '../clients/clients.service.js';
import type { StaffCaller } from '../platform/access/caller.js';
import { Config } from '../platform/config/config.js';
import { ClientOverviewService } from './clients/client-overview.service.js';
import { Clock } from '../platform/kernel/clock.js';
import { type Visit, Visited } from '../platform/ui/forms/form.js';
import type { RefusedForm, FormField } from '../platform/ui/forms/form-spec.js';
import { send } from '../platform/ui/forms/input-form.js';
import { seenIn, valuesOf, withStored } from '../platform/ui/forms/seen-values.js';
import { page } from '../platform/ui/render.js';
import { StaffPages } from '../platform/ui/staff-pages.js';
import { editForm } from './clients.js';
import { FormPage } from '../platform/ui/form-page.js';
import { Notice, Time } from '../platform/ui/parts.js';
import { Facts } from '../platform/ui/table.js';

/** What a colleague has saved since the form was opened. */
interface EditConflict {
  readonly by: string;
  readonly at: Date | null;
  /** The fields that both have changed, with the stored value. */
  readonly theirs: readonly FormField[];
  /** The fields that only the colleague has changed: the form has the stored values. */
  readonly taken: readonly FormField[];
  readonly now: Date;
}

interface ClientEditProps {
  readonly viewer: StaffCaller;
  readonly client: ApiClient;
  readonly fields: readonly FormField[];
  /** The version that the form replaces, and its values, as JSON. */
  readonly version: number;
  readonly seen: string;
  readonly refused?: RefusedForm;
  readonly conflict?: EditConflict;
  /** Why else what was sent was not saved. */
  readonly reason?: string;
}

/** The name of the draft of the form. */
function draftOfEdit({ id }: Pick<ApiClient, 'id'>): string {
  return `clients/${id}/edit`;
}

function ClientEditPage(props: ClientEditProps) {
  const { viewer, client, fields, version, seen, refused, conflict } = props;
  return (
    <FormPage
      title={`Edit ${client.name}`}
      viewer={viewer}
      here="clients"
      draft={draftOfEdit(client)}
      action={`/staff/clients/${client.id}/edit`}
      hidden={{ version: Number.isNaN(version) ? '' : version, seen }}
      fields={fields}
      refused={refused}
      conflict={props.reason}
      button="Save"
      cancel={`/staff/clients/${client.id}`}
      intro={conflict && <Conflict {...conflict} />}
    />
  );
}

function Conflict({ by, at, theirs, taken, now }: EditConflict) {
  return (
    <Notice kind="bad" title={`${by} has edited this client since you opened the form.`}>
      <p>
        {'Your changes are not saved. '}
        {by}
        {' saved '}
        {at ? <Time at={at} now={now} /> : 'meanwhile'}
        {'. '}
        {taken.length > 0 &&
          `You have not changed ${labelsOf(taken)}: the form now has what is saved. `}
        {theirs.length > 0 && 'These saved values differ from yours:'}
      </p>
      {theirs.length > 0 && (
        <Facts of={theirs.map(({ label, first }) => [label, first || '(empty)'] as const)} />
      )}
      <p>
        {theirs.length > 0
          ? 'To replace these values with yours, save again.'
          : 'To save your changes, save again.'}
      </p>
    </Notice>
  );
}

function labelsOf(fields: readonly FormField[]): string {
  return fields.map(({ label }) => label).join(', ');
}

/** The form that edits an API client. */
@StaffPages('staff/clients/:id/edit', 'admin')
export class ClientEditPagesController {
  constructor(
    private readonly clients: ClientsService,
    private readonly overview: ClientOverviewService,
    private readonly audit: AuditService,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  @Get()
  async showClientForm(@Visited() { viewer }: Visit, @Param('id') id: string) {
    const { client } = await this.overview.find(id);
    const { fields } = this.formOf(client);
    const { version } = client;
    const seen = JSON.stringify(valuesOf(fields));
    return page(
      <ClientEditPage
        viewer={viewer}
        client={client}
        fields={fields}
        version={version}
        seen={seen}
      />,
    );
  }

  @Post()
  async editClient(@Visited() { viewer, form }: Visit, @Param('id') id: string) {
    const { client } = await this.overview.find(id);
    const asked = this.formOf(client);
    const sent = await send(asked, form, ({ version, lookupsPerSecond, ...details }) => {
      const { lookupsPerMinute, ordersPerMinute, inFlight } = details;
      const limits = {
        lookupsPerMinute: lookupsPerMinute ?? null,
        lookupBurst: lookupsPerSecond ?? null,
        ordersPerMinute: ordersPerMinute ?? null,
        inFlight: inFlight ?? null,
      };
      return this.clients.edit(id, { ...details, ...limits }, actorOf(viewer), version);
    });
    if ('result' in sent) {
      return clientMessages.redirect(`/staff/clients/${id}`, 'client-edited', draftOfEdit(client));
    }
    const { problem, refused, status, conflict: reason } = sent;
    if (problem instanceof ClientChanged) return this.drawConflict(viewer, id, refused);
    const [{ fields }, version, seen] = [asked, form.number('version'), form.text('seen')];
    return page(
      <ClientEditPage
        viewer={viewer}
        client={client}
        fields={fields}
        refused={refused}
        version={version}
        seen={seen}
        reason={reason}
      />,
      status,
    );
  }

  /** What the member has changed stays as typed; the rest is as the colleague saved it. To save again replaces it. */
  private async drawConflict(viewer: StaffCaller, id: string, sent: RefusedForm) {
    const { client } = await this.overview.find(id);
    const { fields } = this.formOf(client);
    const { form } = sent;
    const about = { subjectType: 'client', subjectId: id, action: 'edited', limit: 1 };
    const [latest] = await this.audit.list(about);
    const changed = fields.filter(({ name, first = '' }) => {
      return seenIn(form, name) !== first && form.text(name) !== first;
    });
    const taken = changed.filter(({ name }) => form.text(name) === seenIn(form, name));
    const conflict = {
      by: latest?.actorName ?? 'A colleague',
      at: latest?.at ?? null,
      theirs: changed.filter((field) => !taken.includes(field)),
      taken,
      now: this.clock.now(),
    };
    const { version } = client;
    const merged = withStored(form, fields, version);
    const refused = { ...sent, form: merged, faults: new Map() };
    const seen = merged.text('seen');
    return page(
      <ClientEditPage
        viewer={viewer}
        client={client}
        fields={fields}
        refused={refused}
        conflict={conflict}
        version={version}
        seen={seen}
      />,
      409,
    );
  }

  private formOf(client: ApiClient) {
    return editForm(client, this.overview.priceLists, this.config);
  }
}
