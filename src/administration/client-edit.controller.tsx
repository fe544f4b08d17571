import { clientMessages } from './client-page.js';
import { Get, Param, Post } from '@nestjs/common';
import { actorOf, AuditService } from '../platform/audit/audit.service.js';
import type { ApiClient } from '../clients/api-client.entity.js';
import { ClientChanged, ClientNameTaken } from '../clients/clients.errors.js';
import { ClientsService } from '../clients/clients.service.js';
import type { StaffCaller } from '../platform/access/caller.js';
import { Config } from '../platform/config/config.js';
import { ClientOverviewService } from '../reports/clients/client-overview.service.js';
import { Clock } from '../platform/kernel/clock.js';
import { type Form, type Visit, Visited } from '../platform/ui/forms/form.js';
import {
  checkForm,
  type FormField,
  type RefusedForm,
  refuseForm,
} from '../platform/ui/forms/form-spec.js';
import { page } from '../platform/ui/render.js';
import { StaffPages } from '../platform/ui/staff-pages.js';
import { ClientEditPage, draftOfEdit } from './client-edit.js';
import { clientFields, limitFields, readClient, readLimits } from './clients.js';

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
    const fields = this.fields(client);
    return page(<ClientEditPage {...{ viewer, client, fields }} version={client.version} />);
  }

  @Post()
  async editClient(@Visited() { viewer, form }: Visit, @Param('id') id: string) {
    const { client } = await this.overview.find(id);
    const seen = form.number('version');
    const fields = this.fields(client);
    const refused = checkForm(fields, form);
    if (refused)
      return page(<ClientEditPage {...{ viewer, client, fields, refused }} version={seen} />, 422);
    const settings = { ...readClient(form), ...readLimits(form) };
    try {
      await this.clients.edit(id, settings, actorOf(viewer), seen);
    } catch (problem) {
      if (problem instanceof ClientNameTaken) {
        const taken = refuseForm(fields, form, new Map([['name', problem.detail]]));
        return page(
          <ClientEditPage {...{ viewer, client, fields }} refused={taken} version={seen} />,
          422,
        );
      }
      if (!(problem instanceof ClientChanged)) throw problem;
      return this.drawConflict(viewer, id, form);
    }
    return clientMessages.redirect(`/staff/clients/${id}`, 'client-edited', draftOfEdit(client));
  }

  /** The typed values again, with those of the colleague. To save again replaces the latter. */
  private async drawConflict(viewer: StaffCaller, id: string, form: Form) {
    const { client } = await this.overview.find(id);
    const fields = this.fields(client);
    const refused: RefusedForm = refuseForm(fields, form, new Map());
    const about = { subjectType: 'client', subjectId: id, action: 'edited', limit: 1 };
    const [latest] = await this.audit.list(about);
    const conflict = {
      by: latest?.actorName ?? 'A colleague',
      at: latest?.at ?? null,
      theirs: fields.filter(({ name, first }) => form.text(name) !== (first ?? '')),
      now: this.clock.now(),
    };
    const version = client.version;
    return page(
      <ClientEditPage {...{ viewer, client, fields, refused, conflict, version }} />,
      409,
    );
  }

  private fields(client: ApiClient): FormField[] {
    const { priceLists } = this.overview;
    return [...clientFields(priceLists, client), ...limitFields(client, this.config)];
  }
}
