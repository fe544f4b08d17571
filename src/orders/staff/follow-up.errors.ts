import { Problem } from '../../platform/problems/problem.js';

export class UnknownPerson extends Problem {
  constructor() {
    super('unknown-person');
  }
}

export class SearchTooBroad extends Problem {
  constructor(most: number) {
    super('search-too-broad', `More than ${most} orders match; an export would lack some.`);
  }
}
