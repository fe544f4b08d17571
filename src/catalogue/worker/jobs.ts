import type { BrokenRail, RailSettings } from '../content/guard-rails.js';
import type { CatalogueDiff } from '../content/diff.js';
import type { StoredContent } from '../content/content-codec.js';
import type { Faults } from '../content/csv-reader.js';
import type { LintRule, LintWarning } from '../content/lint.js';
import type { CoverageSize } from '../content/coverage-index.js';
import type { RegisterRows } from '../content/postcode-register.js';

/** What a comparison needs besides the two contents. */
export interface ReviewSettings {
  /** See postcode-register.ts; null where none is loaded. */
  readonly register: Uint8Array | null;
  readonly rails: RailSettings;
  readonly lintOff: readonly LintRule[];
}

/** What a content would change, and what is odd about it. */
export interface Review {
  /** Null where there is nothing to compare with. */
  readonly diff: CatalogueDiff | null;
  readonly rails: readonly BrokenRail[];
  readonly warnings: readonly LintWarning[];
}

/** A content to be stored, and how many rows it has. */
export interface CompiledContent extends StoredContent {
  readonly products: number;
  readonly prices: number;
  readonly size: CoverageSize;
}

/** The work that would hold the event loop up for too long; each is done in a thread of its own. */
export interface Jobs {
  /** Parses, validates, compiles and reviews the three files of a folder or a zip. */
  compile: {
    input: ReviewSettings & { readonly path: string; readonly before: StoredContent | null };
    output: { readonly faults: Faults; readonly compiled: (CompiledContent & Review) | null };
  };
  review: {
    input: ReviewSettings & {
      readonly before: StoredContent | null;
      readonly after: StoredContent;
    };
    output: Review;
  };
  readRegister: {
    input: { readonly path: string };
    output: {
      readonly kind: 'ONSPD' | 'Code-Point Open' | null;
      readonly faults: Faults;
      readonly stored: Uint8Array | null;
      readonly live: number;
      readonly terminated: number;
    };
  };
  /** What is served of the register. */
  decodeRegister: {
    input: { readonly stored: Uint8Array };
    output: Pick<RegisterRows, 'terminated' | 'endMonths'>;
  };
}

export type JobName = keyof Jobs;
