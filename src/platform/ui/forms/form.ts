import { createParamDecorator, ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { staffOf, type StaffCaller } from '../../access/caller.js';
import { MalformedRequest } from '../../problems/problem.js';

/** The fields of a submitted form or of a query. A missing field is the empty text. */
export class Form {
  private constructor(private readonly fields: URLSearchParams) {}

  /** @throws {MalformedRequest} where a field has a NUL or is not UTF-8 */
  static parse(text: string): Form {
    return Form.of(new URLSearchParams(text));
  }

  /** @throws {MalformedRequest} as `parse` */
  static of(fields: URLSearchParams): Form {
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

/** A request for a page. Its parts are read when the handler asks for them. */
export class Visit {
  constructor(
    readonly request: Request,
    readonly response: Response,
  ) {}

  /** The signed-in person. Pages for everyone have none. */
  get viewer(): StaffCaller {
    return staffOf(this.request);
  }

  /** @throws {MalformedRequest} */
  get form(): Form {
    const body: unknown = this.request.body;
    return Form.parse(typeof body === 'string' ? body : '');
  }

  /** @throws {MalformedRequest} */
  get query(): Form {
    const { url } = this.request;
    const query = url.indexOf('?');
    return Form.parse(query < 0 ? '' : url.slice(query + 1));
  }
}

export const Visited = createParamDecorator((_: unknown, context: ExecutionContext): Visit => {
  const http = context.switchToHttp();
  return new Visit(http.getRequest(), http.getResponse());
});
