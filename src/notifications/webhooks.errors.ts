import { NotFound, Problem, ValidationFailed } from '../problems/problem.js';

export class WebhooksOff extends Problem {
  constructor() {
    super('webhooks-off', 'The operator of this service has not switched webhooks on.');
  }
}

export class WebhookNotFound extends NotFound {
  constructor() {
    super('You have registered no webhook.');
  }
}

export class WebhookUrlRefused extends ValidationFailed {
  constructor(detail: string) {
    super([{ pointer: '/url', code: 'not-allowed', detail }]);
  }
}
