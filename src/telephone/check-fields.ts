import type { Premises } from '../catalogue/content/premises-index.js';
import type { ApiClient } from '../clients/api-client.entity.js';
import { IsOptionalText, IsText } from '../platform/http/field-rules.js';
import { parsePostcode, Postcode } from '../platform/kernel/postcode.js';
import { type InputForm, inputForm } from '../platform/ui/forms/input-form.js';

export class PostcodeQuery {
  @IsText(40)
  postcode: string;

  /** Of premises there; empty for the whole postcode. */
  @IsOptionalText(12)
  uprn?: string;

  /** The client's id; empty for the standard price list. */
  @IsOptionalText(36)
  client?: string;
}

/** @param premises those that are listed at the postcode */
export function checkForm(
  clients: readonly ApiClient[],
  typed: PostcodeQuery,
  premises: readonly Premises[],
): InputForm<PostcodeQuery> {
  const parsed = parsePostcode(typed.postcode);
  const isPostcode = parsed instanceof Postcode;
  // The page shows the suggestion as a link.
  const fault = isPostcode ? '' : parsed.detail.replace(/ Did you mean [^?]*\?$/, '');
  const form = inputForm(PostcodeQuery, {
    postcode: {
      label: 'Postcode',
      first: isPostcode ? parsed.unit : '',
      missing: 'Enter a postcode.',
      input: {
        autocapitalize: 'characters',
        spellcheck: false,
        autofocus: typed.postcode === '',
        placeholder: 'EC2A 2BS',
      },
    },
    ...(premises.length > 0 && {
      uprn: {
        label: 'Premises',
        first: typed.uprn,
        any: 'The whole postcode',
        choices: premises.map(({ uprn: number, name }) => ({
          value: String(number),
          name: name === null ? String(number) : `${name} (${number})`,
        })),
      },
    }),
    client: {
      label: 'Prices for',
      first: typed.client,
      any: 'No client: standard prices',
      wrong: 'This client is no longer there, or is disabled. Choose another one.',
      choices: clients.map(({ id, name, priceList }) => ({
        value: id,
        name: priceList === 'standard' ? name : `${name} (${priceList})`,
      })),
    },
  });
  const rules = () =>
    isPostcode ? [] : [{ pointer: '/postcode', code: 'invalid-postcode', detail: fault }];
  return { ...form, rules };
}
