import { NotFound, Problem } from '../../problems/problem.js';
import type { FileFaults } from '../content/csv-reader.js';
import type { BrokenRail } from '../content/guard-rails.js';

export class VersionNotFound extends NotFound {
  constructor() {
    super('There is no catalogue version with this number.');
  }
}

/** The move is not possible from the state that the version is in. */
export class VersionStateProblem extends Problem {
  constructor(detail: string) {
    super('version-state', detail);
  }
}

/** A person has to say that the change is meant. */
export class GuardRailBroken extends Problem {
  constructor(version: number, rails: readonly BrokenRail[]) {
    const details = rails.map(({ rail, detail }) => `${rail}: ${detail}`).join(' ');
    super(
      'guard-rail',
      `Version ${version} is stopped by a guard rail. ${details} If this is meant, say why: \`accept\`, or --yes on the command line.`,
      { members: { rails } },
    );
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
    const count = faults.total === 1 ? '1 fault' : `${faults.total.toLocaleString('en-GB')} faults`;
    return new CatalogueRejected(`Nothing was imported: ${count}.`, faults);
  }
}
