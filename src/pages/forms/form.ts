import { createParamDecorator, ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
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

  number(name: string): number {
    const text = this.text(name);
    return /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  }

  /** Every field as it came, to put it back into the form that is shown again. */
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

/** The query of the address, read in the same way. */
export const QueryForm = createParamDecorator((_: unknown, context: ExecutionContext): Form =>
  queryOf(context.switchToHttp().getRequest<Request>()),
);

/** A request of whose cookies and address more is needed than its fields, and the response to it. */
export interface Visit {
  readonly request: Request;
  readonly response: Response;
  readonly form: Form;
  readonly query: Form;
}

export const Visited = createParamDecorator((_: unknown, context: ExecutionContext): Visit => {
  const [request, response] = [
    context.switchToHttp().getRequest<Request>(),
    context.switchToHttp().getResponse<Response>(),
  ];
  return { request, response, form: formOf(request), query: queryOf(request) };
});
