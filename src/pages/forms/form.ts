import { createParamDecorator, ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { MalformedRequest } from '../../problems/problem.js';

/** The fields of a submitted form or of a query. A missing field is the empty text. */
export class Form {
  private constructor(private readonly fields: URLSearchParams) {}

  /** @throws {MalformedRequest} where a field has a NUL or is not UTF-8 */
  static parse(text: string): Form {
    const fields = new URLSearchParams(text);
    for (const [name, value] of fields) {
      if (/\0|\uFFFD/.test(name + value)) {
        throw new MalformedRequest('The form has a NUL, or is not in UTF-8.');
      }
    }
    return new Form(fields);
  }

  /** The field, trimmed, with line ends as LF. */
  text(name: string): string {
    return (this.fields.get(name) ?? '').replaceAll('\r\n', '\n').trim();
  }

  /** The field as typed: for passwords. */
  secret(name: string): string {
    return this.fields.get(name) ?? '';
  }

  has(name: string): boolean {
    return this.fields.has(name);
  }

  /** All values of a field, such as the ticked boxes of a list. */
  all(name: string): string[] {
    return this.fields.getAll(name);
  }

  number(name: string): number {
    const text = this.text(name);
    return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  }

  /** Every field as sent, to fill the form that is shown again. */
  entries(): [name: string, value: string][] {
    return [...this.fields];
  }
}

function formOf(request: Request): Form {
  const body: unknown = request.body;
  return Form.parse(typeof body === 'string' ? body : '');
}

function queryOf({ url }: Request): Form {
  const query = url.indexOf('?');
  return Form.parse(query < 0 ? '' : url.slice(query + 1));
}

export const SentForm = createParamDecorator((_: unknown, context: ExecutionContext): Form =>
  formOf(context.switchToHttp().getRequest<Request>()),
);

export const QueryForm = createParamDecorator((_: unknown, context: ExecutionContext): Form =>
  queryOf(context.switchToHttp().getRequest<Request>()),
);

/** For handlers that also need the request, its query and the response. */
export interface Visit {
  readonly request: Request;
  readonly response: Response;
  readonly form: Form;
  readonly query: Form;
}

export const Visited = createParamDecorator((_: unknown, context: ExecutionContext): Visit => {
  const http = context.switchToHttp();
  const request = http.getRequest<Request>();
  return { request, response: http.getResponse(), form: formOf(request), query: queryOf(request) };
});
