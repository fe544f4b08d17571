import { NotFound, Problem, ValidationFailed } from '../problems/problem.js';

export class WebhooksOff extends Problem {
  constructor() {
    super('webhooks-off');
  }
}

export class WebhookNotFound extends NotFound {
  constructor() {
    super('You have not registered a webhook.');
  }
}

export class WebhookUrlRefused extends ValidationFailed {
  constructor(detail: string) {
    super([{ pointer: '/url', code: 'not-allowed', detail }]);
  }
}
