import { PickType } from '@nestjs/swagger';
import { isDirectClient, type ApiClient, DIRECT_CLIENT } from '../../clients/api-client.entity.js';
import type { StaffCaller } from '../../platform/access/caller.js';
import { IsOptionalText, IsText } from '../../platform/http/field-rules.js';
import { formWithFile } from '../../platform/ui/forms/file-form.js';
import type { FormField } from '../../platform/ui/forms/form-spec.js';
import type { Form, Visit } from '../../platform/ui/forms/form.js';
import { inputForm, type Refusal } from '../../platform/ui/forms/input-form.js';
import { FormPage } from '../../platform/ui/form-page.js';
import { QuoteDefaults } from '../quote-requests.dto.js';

/** Of a list, as for API clients. */
const MOST_BYTES = 512 * 1_024;

/** The sites of a client, as a staff member pastes or uploads them. */
export class PastedQuote extends PickType(QuoteDefaults, ['customer', 'reference']) {
  /** The id of the client. */
  @IsText(36)
  client: string;

  /** As copied from a spreadsheet, with the row that names the columns. */
  @IsOptionalText(MOST_BYTES, 'lines')
  sites?: string;
}

/** @param clients those who can have a quote; callers without an account always can */
export function quoteFormFor(clients: readonly ApiClient[]) {
  const choices = clients
    .filter((client) => client.enabled && !isDirectClient(client))
    .map(({ id, name }) => ({ value: id, name }));
  return inputForm(PastedQuote, {
    client: {
      label: 'Client',
      missing: 'Choose a client.',
      choices: [
        { value: '', name: 'Choose…' },
        ...choices,
        { value: DIRECT_CLIENT.id, name: 'A caller without an account' },
      ],
    },
    customer: {
      label: 'Their customer (optional)',
      hint: 'Of a caller without an account: their name or company. The quote is a document for them.',
    },
    reference: { label: 'Their reference (optional)' },
    sites: {
      label: 'Sites',
      hint: 'Or copy the cells of the spreadsheet, with the row that names the columns, and paste them here. Only a postcode is needed. Up to 2,000 sites.',
      long: true,
    },
  });
}

/** The file is before the pasted sites. */
const AT_FILE = 3;

const file: FormField = {
  name: 'file',
  label: 'Spreadsheet',
  hint: 'The list as you got it: an Excel workbook (.xlsx) or a CSV file.',
  input: { type: 'file', accept: '.xlsx,.csv,.txt,.tsv,text/csv' },
};

/** The fields of a form with a list; a chosen file is its sites. */
export function listSent(visit: Visit): Promise<Form> {
  return formWithFile(visit, 'sites', MOST_BYTES);
}

interface QuoteFormProps extends Partial<Pick<Refusal, 'refused' | 'conflict'>> {
  readonly viewer: StaffCaller;
  readonly form: ReturnType<typeof quoteFormFor>;
  /** The id of the draft that it makes. */
  readonly onceKey: string;
}

export function QuoteFormPage({ viewer, form, onceKey, refused, conflict }: QuoteFormProps) {
  return (
    <FormPage
      viewer={viewer}
      refused={refused}
      conflict={conflict}
      title="Quote a client"
      here="quotes"
      class="order-form"
      intro={
        <p>
          Next, you see what we read, and correct it. The client sees nothing before you send it.
        </p>
      }
      isUpload
      draft="quotes/new"
      draftTitle="Quote a client"
      action="/staff/quotes"
      hidden={{ key: onceKey }}
      fields={form.fields.toSpliced(AT_FILE, 0, file)}
      button="Read the list"
      cancel="/staff/quotes"
      cancelText="All quotes"
    />
  );
}

/** The list of a draft, corrected. */
class CorrectedList extends PickType(PastedQuote, ['sites']) {}

export const listForm = inputForm(CorrectedList, {
  sites: { label: 'Or the corrected cells, with the row that names the columns', long: true },
});
export const listFields: readonly FormField[] = [
  { ...file, label: 'Corrected list' },
  ...listForm.fields,
];
