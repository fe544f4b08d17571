import { Problem } from '../../platform/problems/problem.js';
import type { StaffRole } from '../../platform/access/scopes.js';

export class SessionMissing extends Problem {
  constructor() {
    super(
      'missing-session',
      'You are not signed in, or you were signed out after 30 minutes of inactivity.',
      {
        headers: { 'WWW-Authenticate': 'Cookie realm="staff"' },
      },
    );
  }
}

export class RoleInsufficient extends Problem {
  constructor(least: StaffRole) {
    const who = least === 'admin' ? 'administrators' : 'managers';
    super('insufficient-role', `This page is for ${who}.`);
  }
}

export class CrossSiteRefused extends Problem {
  constructor() {
    super('cross-site-request');
  }
}
