import { NotFound, Problem } from '../../platform/problems/problem.js';

export class OfferNotFound extends NotFound {
  constructor() {
    super('The enquiry has no offer with this id.');
  }
}

/** Its last instant has passed. */
export class OfferExpired extends Problem {
  constructor() {
    super('offer-expired');
  }
}

/** The operator has withdrawn it, or has replaced it by another answer. */
export class OfferWithdrawn extends Problem {
  constructor(state: 'withdrawn' | 'replaced') {
    super(
      'offer-withdrawn',
      state === 'withdrawn'
        ? 'The operator has withdrawn this offer.'
        : 'The operator has replaced this offer by another one.',
    );
  }
}

/** The enquiry, or one of its offers, is no longer in a state that allows this. */
export class EnquiryMoved extends Problem {
  constructor(state: string, detail = `The enquiry is ${state}: it has no open offers.`) {
    super('enquiry-moved', detail, { members: { state } });
  }
}
