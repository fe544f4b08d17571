import { Busboy } from '@fastify/busboy';
import { pipeline } from 'node:stream/promises';
import { MalformedRequest } from '../../problems/problem.js';
import { Refused } from '../../problems/refused.js';
import { textOfFile } from '../../tables/table-file.js';
import { Form, type Visit } from './form.js';

/**
 * The fields of a form with a file of text, or a workbook. A chosen file is the text of `field`, so that it can be corrected on
 * the page. One that cannot be read is a fault at that field.
 * @throws {MalformedRequest}
 */
export async function formWithFile(visit: Visit, field: string, most: number): Promise<Form> {
  const { request } = visit;
  const type = request.headers['content-type'] ?? '';
  if (!/^multipart\/form-data\s*;/i.test(type)) return visit.form;
  const fields = new URLSearchParams();
  const chunks: Buffer[] = [];
  let isCut = false;
  try {
    const form = new Busboy({
      headers: { ...request.headers, 'content-type': type },
      limits: { files: 1, fields: 20, fileSize: most + 1, fieldSize: most },
    });
    form.on('field', (name, value, _isNameCut, isValueCut) => {
      fields.append(name, value);
      isCut ||= isValueCut;
    });
    form.on('file', (_name, stream) => {
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      // A file that is cut off also fails the form.
      stream.on('error', () => undefined);
    });
    await pipeline(request, form);
  } catch (error) {
    throw new MalformedRequest('The form is incomplete.', error);
  }
  const bytes = Buffer.concat(chunks);
  if (isCut || bytes.length > most) {
    const detail = `The file has more than ${Math.floor(most / 1_024)} KB. Leave out other columns.`;
    return Form.of(fields, { field, detail });
  }
  if (bytes.length === 0) return Form.of(fields);
  try {
    fields.set(field, await textOfFile(bytes));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return Form.of(fields, { field, detail: error.message });
  }
  return Form.of(fields);
}
