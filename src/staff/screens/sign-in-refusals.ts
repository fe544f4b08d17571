import type { INestApplicationContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Config } from '../../platform/config/config.js';
import { isAcceptableForm } from '../../platform/http/json-body.js';
import type { FirstAnswer } from '../../platform/http/lean-express.adapter.js';
import { ProblemFilter } from '../../platform/http/problem.filter.js';
import { identify, requestFault } from '../../platform/http/request-id.js';
import { RoutesService } from '../../platform/http/routes.service.js';
import { FailedAttemptsService } from '../../platform/limits/failed-attempts.service.js';
import { isSameOrigin } from '../sessions/session-cookie.js';

/**
 * Refuses sign-ins over the limits before Express and Nest, so that a flood of them does not delay checks.
 * The answer, its metrics and its log line are those of the full pipeline, which receives all other requests.
 * Only the text of the form is not looked at.
 */
export function signInRefusals(app: INestApplicationContext): FirstAnswer {
  const { publicUrl, staffPasswords } = app.get(Config);
  const failures = app.get(FailedAttemptsService);
  const filter = app.get(ProblemFilter);
  const handler = 'SignInController.signInWithPassword';
  const route = app.get(RoutesService).routes.find((one) => one.handler === handler);
  if (route?.access !== 'public') throw new Error(`${handler} is no longer a public route.`);

  return (incoming, outgoing) => {
    if (incoming.method !== route.method || incoming.url !== route.path) return false;
    // Node creates both with Express's prototypes.
    const request = incoming as Request;
    const response = outgoing as Response;
    if (!staffPasswords || requestFault(request) || !isAcceptableForm(request)) return false;
    if (!isSameOrigin(request.headers, publicUrl)) return false;
    const problem = failures.refusalOf(request, 'sign-in');
    if (!problem) return false;

    response.statusCode = problem.status; // For the log, if the client hangs up.
    response.setHeader(...identify(request));
    request.route = route;
    request.once('end', () => filter.answer(problem, request, response)).resume();
    return true;
  };
}
