import type { ImportView } from '../../src/catalogue/catalogue.dto.js';
import type { ChangeListView } from '../../src/catalogue/catalogue-diff.dto.js';
import { type CatalogueRows, catalogueFiles } from './given.js';
import type { Http, Reply } from './http.js';

const BOUNDARY = 'boundary-of-a-test';

/** The body of a form with the files and the fields. */
export function formOf(
  files: Readonly<Record<string, string>>,
  fields: Readonly<Record<string, string>> = {},
): string {
  const parts = [
    ...Object.entries(fields).map(
      ([name, value]) => `Content-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    ),
    ...Object.entries(files).map(
      ([name, text]) =>
        `Content-Disposition: form-data; name="${name}"; filename="${name}.csv"\r\nContent-Type: text/csv\r\n\r\n${text}\r\n`,
    ),
  ];
  return `${parts.map((part) => `--${BOUNDARY}\r\n${part}`).join('')}--${BOUNDARY}--\r\n`;
}

export const formType = { 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` };

/** Uploads a catalogue as staff. */
export function upload<T>(
  http: Http,
  token: string,
  rows: CatalogueRows,
  fields: Readonly<Record<string, string>> = {},
): Promise<Reply<T>> {
  return http.send({
    method: 'POST',
    path: '/catalogue/versions',
    token,
    headers: formType,
    body: formOf(catalogueFiles(rows), fields),
  });
}

/** One list of the changes that an import reports. */
export function changesIn({ diff }: Pick<ImportView, 'diff'>, name: string): ChangeListView {
  return diff!.lists.find((list) => list.name === name)!;
}
