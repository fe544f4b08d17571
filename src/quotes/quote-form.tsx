import { PickType } from '@nestjs/swagger';
import { isDirectClient, type ApiClient } from '../clients/api-client.entity.js';
import type { StaffCaller } from '../platform/access/caller.js';
import { IsOptionalText, IsText } from '../platform/http/field-rules.js';
import { formWithFile } from '../platform/ui/forms/file-form.js';
import type { FormField } from '../platform/ui/forms/form-spec.js';
import type { Form, Visit } from '../platform/ui/forms/form.js';
import { inputForm, type Refusal } from '../platform/ui/forms/input-form.js';
import { FormPage } from '../platform/ui/form-page.js';
import { QuoteDefaults } from './quote-requests.dto.js';

/** Of a spreadsheet, as for API clients. */
const MOST_BYTES = 512 * 1_024;

/** The sites of a client, as a staff member pastes or uploads them. */
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
  @IsOptionalText(MOST_BYTES, 'lines')
  sites?: string;
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
      hint: 'Or copy the cells of the spreadsheet, with the row that names the columns, and paste them here: site, postcode, uprn, bandwidth, term, service, notes. Only postcode is needed. Up to 2,000 sites.',
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

/** The file is before the pasted sites. */
const AT_FILE = 3;

const file: FormField = {
  name: 'file',
  label: 'Spreadsheet',
  hint: 'A CSV file, as Excel and LibreOffice save it, with a row that names the columns.',
  input: { type: 'file', accept: '.csv,.txt,.tsv,text/csv' },
};

/** The fields of the form; a chosen file is its sites, so that they can be corrected on the page. */
export function quoteFormSent(visit: Visit): Promise<Form> {
  return formWithFile(visit, 'sites', MOST_BYTES);
}

interface QuoteFormProps extends Partial<Pick<Refusal, 'refused' | 'conflict'>> {
  readonly viewer: StaffCaller;
  readonly form: ReturnType<typeof quoteFormFor>;
  /** The idempotency key of the form. */
  readonly onceKey: string;
}

export function QuoteFormPage({ viewer, form, onceKey, refused, conflict }: QuoteFormProps) {
  return (
    <FormPage
      {...{ viewer, refused, conflict }}
      title="Quote a client"
      here="quotes"
      class="order-form"
      isUpload
      draft="quotes/new"
      draftTitle="Quote a client"
      action="/staff/quotes"
      hidden={{ key: onceKey }}
      fields={form.fields.toSpliced(AT_FILE, 0, file)}
      button="Make the quote"
      cancel="/staff/quotes"
      cancelText="All quotes"
    />
  );
}
