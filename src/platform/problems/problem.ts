import type { ProblemBody } from './problem.dto.js';
import { type ProblemCode, type ProblemType, problemTypes } from './problem-types.js';

/** A fault of a field. `pointer` is a JSON pointer (RFC 6901) into the body or query. */
export interface FieldError {
  readonly pointer: string;
  readonly code: string;
  readonly detail: string;
}

interface ProblemExtras {
  readonly errors?: readonly FieldError[];
  /** The property of the input that has to change, where `errors` does not say it. */
  readonly field?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Further members of the body (RFC 9457 §3.2). */
  readonly members?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/**
 * RFC 9457 problem details. `detail` is for people, and never repeats input, SQL or a path; by default it
 * is the explanation of the code.
 */
export class Problem extends Error {
  readonly status: number;
  readonly title: string;
  readonly errors: readonly FieldError[];
  readonly field?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly members: Readonly<Record<string, unknown>>;

  constructor(
    readonly code: ProblemCode,
    readonly detail: string = explanationOf(code),
    extras: ProblemExtras = {},
  ) {
    super(detail, { cause: extras.cause });
    this.name = new.target.name;
    this.status = problemTypes[code].status;
    this.title = problemTypes[code].title;
    this.errors = extras.errors ?? [];
    this.field = extras.field;
    this.headers = extras.headers ?? {};
    this.members = extras.members ?? {};
  }

  body(publicUrl: string, requestId: string): ProblemBody {
    return {
      type: `${publicUrl}/problems/${this.code}`,
      title: this.title,
      status: this.status,
      detail: this.detail,
      instance: `urn:uuid:${requestId}`,
      code: this.code,
      ...(this.errors.length > 0 ? { errors: this.errors } : {}),
      ...this.members,
    };
  }
}

export class MalformedRequest extends Problem {
  constructor(detail: string, cause?: unknown) {
    super('malformed-request', detail, { cause });
  }
}

export class ValidationFailed extends Problem {
  constructor(errors: readonly FieldError[]) {
    const count = errors.length === 1 ? 'One field is' : `${errors.length} fields are`;
    super('validation-error', `${count} not valid; see errors.`, { errors });
  }
}

export class NotFound extends Problem {
  constructor(detail = 'There is nothing at this address.') {
    super('not-found', detail);
  }
}

/** An address of the API that no route has. */
export class NoSuchAddress extends NotFound {
  constructor() {
    super('There is nothing at this address; the documentation is at /docs.');
  }
}

export class MethodNotAllowed extends Problem {
  constructor(allow: readonly string[]) {
    super('method-not-allowed', `This address takes ${allow.join(', ')}.`, {
      headers: { Allow: allow.join(', ') },
    });
  }
}

export class Unavailable extends Problem {
  constructor(detail: string, cause?: unknown, retryAfterSeconds = 5) {
    super('unavailable', detail, {
      cause,
      headers: { 'Retry-After': String(retryAfterSeconds) },
    });
  }
}

/** @see draft-ietf-httpapi-ratelimit-headers-10 for `RateLimit` and `RateLimit-Policy` */
export class RateLimited extends Problem {
  constructor(
    detail: string,
    retryAfterSeconds: number,
    { policy, state }: { readonly policy: string; readonly state: string },
  ) {
    super('rate-limited', detail, {
      headers: {
        'Retry-After': String(retryAfterSeconds),
        'RateLimit-Policy': policy,
        RateLimit: state,
      },
    });
  }
}

export class InternalError extends Problem {
  constructor(cause: unknown) {
    super('internal-error', undefined, { cause });
  }
}

/** Cause and cure, as plain text. */
export function explanationOf(code: ProblemCode): string {
  const { cause, cure } = problemTypes[code];
  return `${cause} ${cure}`.replaceAll('`', '');
}

/** What an example of the problem says, and its further members. */
export function exampleOfProblem(code: ProblemCode): { detail: string } {
  const { example }: ProblemType = problemTypes[code];
  return example ?? { detail: explanationOf(code) };
}
