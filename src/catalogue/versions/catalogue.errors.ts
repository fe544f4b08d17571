import { NotFound, Problem, Unavailable } from '../../platform/problems/problem.js';
import { shortened } from '../../platform/kernel/text.js';
import type { FileFaults } from '../../platform/tables/csv-table.js';
import { type BrokenRail, shownRails } from '../content/review/guard-rails.js';
import { counted } from '../../platform/kernel/counts.js';

export class VersionNotFound extends NotFound {
  constructor() {
    super('There is no catalogue version with this number.');
  }
}

export class NoCatalogue extends Unavailable {
  constructor() {
    super('No catalogue has been loaded yet.', undefined, 30);
  }
}

/** The version's state does not allow the change. */
export class VersionStateProblem extends Problem {
  constructor(detail: string) {
    super('version-state', detail);
  }
}

/** Characters, so that the whole detail has at most 1,000. */
const LONGEST_DETAILS = 850;

/** A person has to give a reason for the change. */
export class GuardRailBroken extends Problem {
  /** The message with all details. */
  readonly inFull: string;

  /** @param seesMargins see `shownRails` */
  constructor(version: number, broken: readonly BrokenRail[], seesMargins: boolean) {
    const rails = shownRails(broken, seesMargins);
    const details = rails.map(({ rail, detail }) => `${rail}: ${detail}`).join(' ');
    const message = (what: string) =>
      `A guard rail stops version ${version}. ${what} If this is intended, give a reason: \`accept\`, or --yes on the command line.`;
    super('guard-rail', message(shortened(details, LONGEST_DETAILS)), { members: { rails } });
    this.inFull = message(details);
  }
}

/** Each import takes a thread, up to 1 GB of memory and a folder of its files. */
export class ImportRunning extends Problem {
  constructor() {
    super('import-running', 'Another catalogue is being imported. Nothing of yours was changed.', {
      headers: { 'Retry-After': '10' },
    });
  }
}

export class CatalogueRejected extends Problem {
  constructor(
    detail: string,
    readonly faults: FileFaults = { shown: [], total: 0 },
  ) {
    super('catalogue-rejected', detail, {
      members: { total: faults.total, faults: faults.shown },
    });
  }

  static forFaults(faults: FileFaults): CatalogueRejected {
    const count = counted(faults.total, 'fault');
    return new CatalogueRejected(`Nothing was imported: ${count}.`, faults);
  }
}
