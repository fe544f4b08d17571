import { createParamDecorator, ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { whole } from '../../kernel/counts.js';
import { staffOf, type StaffCaller } from '../../access/caller.js';
import { MalformedRequest } from '../../problems/problem.js';

/** A quote of 2,000 enquiries has some for each. */
const MOST_FIELDS = 20_000;

function fieldsIn(text: string): number {
  let fields = 1;
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) fields += 1;
  return fields;
}

/** Why a chosen file was not read, at the field of which it would be the text. */
export interface UnreadFile {
  readonly field: string;
  readonly detail: string;
}

/** The fields of a submitted form or of a query. A missing field is the empty text. */
export class Form {
  private readonly values: ReadonlyMap<string, readonly string[]>;

  private constructor(
    private readonly fields: URLSearchParams,
    readonly fileFault: UnreadFile | null,
  ) {
    const values = new Map<string, string[]>();
    for (const [name, value] of fields) {
      const others = values.get(name);
      if (others) others.push(value);
      else values.set(name, [value]);
    }
    this.values = values;
  }

  /** @throws {MalformedRequest} where a field has a NUL or is not UTF-8, or there are too many */
  static parse(text: string): Form {
    if (fieldsIn(text) > MOST_FIELDS) {
      throw new MalformedRequest(`The form has more than ${whole(MOST_FIELDS)} fields.`);
    }
    return Form.of(new URLSearchParams(text));
  }

  /** @throws {MalformedRequest} as `parse` */
  static of(fields: URLSearchParams, fileFault: UnreadFile | null = null): Form {
    for (const [name, value] of fields) {
      if (/\0|\uFFFD/.test(name + value)) {
        throw new MalformedRequest('The form has a NUL, or is not in UTF-8.');
      }
    }
    return new Form(fields, fileFault);
  }

  /** The field, trimmed, with line ends as LF. @throws {MalformedRequest} where there are two of this name */
  text(name: string): string {
    return this.secret(name).replaceAll('\r\n', '\n').trim();
  }

  /** The field as typed: for passwords. @throws {MalformedRequest} as `text` */
  secret(name: string): string {
    const [value = '', ...others] = this.all(name);
    if (others.length === 0) return value;
    throw new MalformedRequest(`The field ${name} is there twice. Send it once.`);
  }

  has(name: string): boolean {
    return this.values.has(name);
  }

  /** All values of a field, such as the ticked boxes of a list. */
  all(name: string): readonly string[] {
    return this.values.get(name) ?? [];
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
