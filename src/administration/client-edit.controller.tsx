import { clientMessages } from './client-page.js';
import { Get, Param, Post } from '@nestjs/common';
import { actorOf, AuditService } from '../platform/audit/audit.service.js';
import type { ApiClient } from '../clients/api-client.entity.js';
import { ClientChanged } from '../clients/clients.errors.js';
import { ClientsService } from '../clients/clients.service.js';
import type { StaffCaller } from '../platform/access/caller.js';
import { Config } from '../platform/config/config.js';
import { ClientOverviewService } from '../reports/clients/client-overview.service.js';
import { Clock } from '../platform/kernel/clock.js';
import { type Visit, Visited } from '../platform/ui/forms/form.js';
import type { RefusedForm, FormField } from '../platform/ui/forms/form-spec.js';
import { send } from '../platform/ui/forms/input-form.js';
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
  /** The fields whose stored value differs from the typed one. */
  readonly theirs: readonly FormField[];
  readonly now: Date;
}

interface ClientEditProps {
  readonly viewer: StaffCaller;
  readonly client: ApiClient;
  readonly fields: readonly FormField[];
  /** The version that the form replaces. */
  readonly version: number;
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
  const { viewer, client, fields, version, refused, conflict } = props;
  return (
    <FormPage
      title={`Edit ${client.name}`}
      viewer={viewer}
      here="clients"
      draft={draftOfEdit(client)}
      replaces
      action={`/staff/clients/${client.id}/edit`}
      hidden={{ version: Number.isNaN(version) ? '' : version }}
      fields={fields}
      refused={refused}
      conflict={props.reason}
      button="Save"
      cancel={`/staff/clients/${client.id}`}
      intro={conflict && <Conflict {...conflict} />}
    />
  );
}

function Conflict({ by, at, theirs, now }: EditConflict) {
  return (
    <Notice kind="bad" title={`${by} has edited this client since you opened the form.`}>
      <p>
        {'Your changes are not saved. '}
        {by}
        {' saved '}
        {at ? <Time at={at} now={now} /> : 'meanwhile'}
        {theirs.length > 0 ? '. These saved values differ from yours:' : ' what you typed, too.'}
      </p>
      {theirs.length > 0 && (
        <Facts of={theirs.map(({ label, first }) => [label, first || '(empty)'] as const)} />
      )}
      <p>To replace these values with yours, save again.</p>
    </Notice>
  );
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
    return page(<ClientEditPage {...{ viewer, client, fields }} version={client.version} />);
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
    const [{ fields }, version] = [asked, form.number('version')];
    return page(
      <ClientEditPage {...{ viewer, client, fields, refused, version, reason }} />,
      status,
    );
  }

  /** The typed values again, with those of the colleague. To save again replaces the latter. */
  private async drawConflict(viewer: StaffCaller, id: string, refused: RefusedForm) {
    const { client } = await this.overview.find(id);
    const { fields } = this.formOf(client);
    const about = { subjectType: 'client', subjectId: id, action: 'edited', limit: 1 };
    const [latest] = await this.audit.list(about);
    const conflict = {
      by: latest?.actorName ?? 'A colleague',
      at: latest?.at ?? null,
      theirs: fields.filter(({ name, first }) => refused.form.text(name) !== (first ?? '')),
      now: this.clock.now(),
    };
    const version = client.version;
    return page(
      <ClientEditPage {...{ viewer, client, fields, refused, conflict, version }} />,
      409,
    );
  }

  private formOf(client: ApiClient) {
    return editForm(client, this.overview.priceLists, this.config);
  }
}
