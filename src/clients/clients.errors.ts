import type { Scope } from '../platform/access/scopes.js';
import { Problem } from '../platform/problems/problem.js';

const realm = 'Bearer realm="product-availability"';

/** RFC 6750 §3.1: without credentials, the response names only the scheme. */
export class TokenMissing extends Problem {
  constructor() {
    super('missing-token', undefined, {
      headers: { 'WWW-Authenticate': realm },
    });
  }
}

/** One text for unknown, expired and revoked: the actual reason is in the log. */
export class TokenInvalid extends Problem {
  constructor(reason: string) {
    super('invalid-token', undefined, {
      headers: { 'WWW-Authenticate': `${realm}, error="invalid_token"` },
      cause: reason,
    });
  }
}

export class ClientNeeded extends Problem {
  constructor() {
    super('insufficient-scope', 'This needs a token of an API client.', {
      headers: { 'WWW-Authenticate': `${realm}, error="insufficient_scope"` },
    });
  }
}

export class ScopeInsufficient extends Problem {
  constructor(scope: Scope) {
    super('insufficient-scope', `This needs a token with the scope ${scope}.`, {
      headers: { 'WWW-Authenticate': `${realm}, error="insufficient_scope", scope="${scope}"` },
    });
  }
}

/** A colleague has edited the client since the caller read it. */
export class ClientChanged extends Problem {
  constructor(readonly version: number) {
    super('client-changed', 'A colleague has edited this API client since you read it.', {
      members: { version },
    });
  }
}

export class ClientNameTaken extends Problem {
  constructor(name: string) {
    const detail = `There is an API client named ${JSON.stringify(name)} already.`;
    super('client-name-taken', detail, { field: 'name' });
  }
}
