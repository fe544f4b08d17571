import { readFileSync } from 'node:fs';

/** The version of the service, which `npm run release` writes into `package.json`. The API's own label is in its description. */
export const { version: serviceVersion } = JSON.parse(
  readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'),
) as { readonly version: string };
