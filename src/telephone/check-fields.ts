import type { Premises } from '../catalogue/content/premises-index.js';
import type { ApiClient } from '../clients/api-client.entity.js';
import { parsePostcode, Postcode } from '../platform/kernel/postcode.js';
import type { FormField } from '../platform/ui/forms/form-spec.js';

export interface PostcodeQuery {
  readonly postcode: string;
  /** Of premises there; empty for the whole postcode. */
  readonly uprn?: string;
  /** The client's id; empty for the standard price list. */
  readonly client?: string;
}

/** @param premises those that are listed at the postcode */
export function checkFields(
  clients: readonly ApiClient[],
  asked: PostcodeQuery,
  premises: readonly Premises[],
): FormField[] {
  const parsed = parsePostcode(asked.postcode);
  const isPostcode = parsed instanceof Postcode;
  return [
    {
      name: 'postcode',
      label: 'Postcode',
      first: isPostcode ? parsed.unit : '',
      missing: 'Enter a postcode.',
      is: () => isPostcode,
      // The page shows the suggestion as a link.
      wrong: isPostcode ? '' : parsed.detail.replace(/ Did you mean [^?]*\?$/, ''),
      input: {
        maxLength: 40,
        autocapitalize: 'characters',
        spellcheck: false,
        autofocus: asked.postcode === '',
        placeholder: 'EC2A 2BS',
      },
    },
    ...(premises.length > 0 ? [premisesField(premises, asked)] : []),
    {
      name: 'client',
      kind: 'choice',
      label: 'Prices for',
      first: asked.client,
      is: (text) => clients.some(({ id }) => id === text),
      wrong: 'This client is no longer there, or is disabled. Choose another one.',
      choices: [
        { value: '', name: 'No client: standard prices' },
        ...clients.map(({ id, name, priceList }) => ({
          value: id,
          name: priceList === 'standard' ? name : `${name} (${priceList})`,
        })),
      ],
    },
  ];
}

function premisesField(premises: readonly Premises[], { uprn }: PostcodeQuery): FormField {
  return {
    name: 'uprn',
    kind: 'choice',
    label: 'Premises',
    first: uprn,
    is: () => true,
    choices: [
      { value: '', name: 'The whole postcode' },
      ...premises.map(({ uprn: number, name }) => ({
        value: String(number),
        name: name === null ? String(number) : `${name} (${number})`,
      })),
    ],
  };
}
