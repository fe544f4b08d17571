interface FailureFacts {
  /** A retry cannot help. */
  readonly permanent?: boolean;
  readonly unreachable?: boolean;
  /** Milliseconds that the receiver asked to wait. */
  readonly retryAfter?: number | undefined;
  readonly cause?: unknown;
}

const MOST_REASON = 400;

/** The message has lost its receiver or its content, and is discarded. */
export class NothingToDeliver extends Error {}

/** A message did not arrive. The reason is stored and logged, so it names no person or secret. */
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

/** Mail servers repeat the refused address, and some errors contain the URL with its query. */
function withoutPersons(text: string): string {
  return text
    .replaceAll(/https?:\/\/\S+/gi, '(URL)')
    .replaceAll(/[^\s<>@:;,"']+@[^\s<>@:;,"']+/g, '(address)')
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim()
    .slice(0, MOST_REASON);
}
