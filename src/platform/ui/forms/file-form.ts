import { Busboy } from '@fastify/busboy';
import { pipeline } from 'node:stream/promises';
import { MalformedRequest, Problem } from '../../problems/problem.js';
import { Refused } from '../../problems/refused.js';
import { textOfFile } from '../../tables/table-file.js';
import { Form, type Visit } from './form.js';

/**
 * The fields of a form with a file of text, or a workbook. A chosen file is the text of `field`, so that it can be corrected on
 * the page.
 * @throws {MalformedRequest | Problem}
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
    throw new Problem('content-too-large', detail);
  }
  if (bytes.length === 0) return Form.of(fields);
  const text = await textOfFile(bytes).catch((error: unknown) => {
    throw error instanceof Refused ? new MalformedRequest(error.message) : error;
  });
  fields.set(field, text);
  return Form.of(fields);
}
