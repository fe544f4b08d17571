import { PickType } from '@nestjs/swagger';
import { isDirectClient, type ApiClient } from '../clients/api-client.entity.js';
import type { StaffCaller } from '../platform/access/caller.js';
import { IsText } from '../platform/http/field-rules.js';
import { Fields, PostForm, RefusedSummary } from '../platform/ui/forms/form-view.js';
import { inputForm, type Refusal } from '../platform/ui/forms/input-form.js';
import { Layout } from '../platform/ui/layout.js';
import { Notice } from '../platform/ui/parts.js';
import { QuoteDefaults } from './record/quotes.dto.js';

/** The sites of a client, as a staff member pastes them. */
export class PastedQuote extends PickType(QuoteDefaults, [
  'customer',
  'reference',
  'bandwidth',
  'term',
  'service',
]) {
  /** The id of the client. */
  @IsText(36)
  client: string;

  /** As copied from a spreadsheet, with the row that names the columns. */
  @IsText(250_000, 'lines')
  sites: string;
}

/** @param clients those who can have a quote */
export function quoteFormFor(clients: readonly ApiClient[]) {
  const choices = clients
    .filter((client) => client.enabled && !isDirectClient(client))
    .map(({ id, name }) => ({ value: id, name }));
  return inputForm(PastedQuote, {
    client: {
      label: 'Client',
      missing: 'Choose a client.',
      choices: [{ value: '', name: 'Choose…' }, ...choices],
    },
    customer: { label: 'Their customer (optional)' },
    reference: { label: 'Their reference (optional)' },
    sites: {
      label: 'Sites',
      hint: 'Copy the cells of the spreadsheet, with the row that names the columns, and paste them here: site, postcode, uprn, bandwidth, term, service, notes. Only postcode is needed. Up to 2,000 sites.',
      missing: 'Paste the sites.',
      long: true,
    },
    bandwidth: {
      label: 'Bandwidth in Gbit/s (optional)',
      hint: 'For sites that do not say one, such as 1, or 0.1 for 100 Mbit/s.',
    },
    term: { label: 'Term in months (optional)', input: { inputMode: 'numeric', maxLength: 3 } },
    service: { label: 'Service (optional)', hint: 'Such as Internet. The same for all others.' },
  });
}

interface QuoteFormProps extends Partial<Pick<Refusal, 'refused' | 'conflict'>> {
  readonly viewer: StaffCaller;
  readonly form: ReturnType<typeof quoteFormFor>;
  /** The idempotency key of the form. */
  readonly onceKey: string;
}

export function QuoteFormPage({ viewer, form, onceKey, refused, conflict }: QuoteFormProps) {
  return (
    <Layout title="Quote a client" viewer={viewer} here="quotes" width="narrow">
      {conflict !== undefined && <Notice kind="bad" title={conflict} />}
      <RefusedSummary refused={refused} />
      <PostForm
        class="order-form"
        draft="quotes/new"
        draftTitle="Quote a client"
        action="/staff/quotes"
        hidden={{ key: onceKey }}
        fields={[]}
        refused={refused}
        button="Make the quote"
        kind="primary"
        cancel="/staff/quotes"
        cancelText="All quotes"
      >
        <Fields of={form.fields} refused={refused} />
      </PostForm>
    </Layout>
  );
}
