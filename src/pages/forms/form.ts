import { createParamDecorator, ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { MalformedRequest } from '../../problems/problem.js';

/** The fields of a form that was sent, or of a query: texts, trimmed, never missing. */
export class Form {
  private constructor(private readonly fields: URLSearchParams) {}

  /** @throws {MalformedRequest} where a field holds what no form of ours sends */
  static parse(text: string): Form {
    const fields = new URLSearchParams(text);
    for (const [name, value] of fields) {
      if (/\0|\uFFFD/.test(name + value)) {
        throw new MalformedRequest('The form has a NUL, or is not in UTF-8.');
      }
    }
    return new Form(fields);
  }

  /** The field, with line ends as LF; the empty text where it was not sent. */
  text(name: string): string {
    return (this.fields.get(name) ?? '').replaceAll('\r\n', '\n').trim();
  }

  /** The field as it was typed: for passwords. */
  secret(name: string): string {
    return this.fields.get(name) ?? '';
  }

  has(name: string): boolean {
    return this.fields.has(name);
  }

  /** Of a field that can be sent several times: a list of boxes, say. */
  all(name: string): string[] {
    return this.fields.getAll(name);
  }

  /** A whole number; NaN where it is none. */
  number(name: string): number {
    const text = this.text(name);
    return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  }

  /** Every field as it came, to put it back into the form that is shown again. */
  entries(): [name: string, value: string][] {
    return [...this.fields];
  }
}

/** The form that a POST brought. */
export const SentForm = createParamDecorator((_: unknown, context: ExecutionContext): Form => {
  const body: unknown = context.switchToHttp().getRequest<Request>().body;
  return Form.parse(typeof body === 'string' ? body : '');
});

/** The query of the address, read in the same way. */
export const QueryForm = createParamDecorator((_: unknown, context: ExecutionContext): Form => {
  const { url } = context.switchToHttp().getRequest<Request>();
  const query = url.indexOf('?');
  return Form.parse(query < 0 ? '' : url.slice(query + 1));
});
