interface FailureFacts {
  /** Trying again cannot help. */
  readonly permanent?: boolean;
  /** Nobody answered. */
  readonly unreachable?: boolean;
  /** Milliseconds that the receiver asked to wait. */
  readonly retryAfter?: number | undefined;
  readonly cause?: unknown;
}

const MOST_REASON = 400;

/** The message has no receiver or no content any more, and is discarded. */
export class NothingToDeliver extends Error {}

/** A message did not arrive. The reason is stored and logged: it names no person and no secret. */
export class DeliveryFailed extends Error {
  readonly permanent: boolean;
  readonly unreachable: boolean;
  readonly retryAfter: number | undefined;

  constructor(reason: string, { permanent, unreachable, retryAfter, cause }: FailureFacts = {}) {
    super(withoutPersons(reason), { cause });
    this.permanent = permanent ?? false;
    this.unreachable = unreachable ?? false;
    this.retryAfter = retryAfter;
  }
}

/** Mail servers repeat the address that they refuse, and some errors the URL with its query. */
function withoutPersons(text: string): string {
  return text
    .replaceAll(/https?:\/\/\S+/gi, '(URL)')
    .replaceAll(/[^\s<>@:;,"']+@[^\s<>@:;,"']+/g, '(address)')
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, MOST_REASON);
}
