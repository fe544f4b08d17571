import type { INestApplication } from '@nestjs/common';
import {
  type ContactObject,
  DocumentBuilder,
  type OpenAPIObject,
  SwaggerModule,
} from '@nestjs/swagger';
import { isEmail } from 'class-validator';
import type { TokenHolder } from '../access/scopes.js';
import type { Config } from '../config/config.js';
import {
  InvalidPostcodeProblem,
  ProblemBody,
  ValidationErrorProblem,
} from '../problems/problem.dto.js';
import { finishDescription } from './description.js';
import { overview, staffOverview } from './description-overview.js';

/** The version in the specification. */
const INTERFACE_VERSION = '0.3.0';

/** The file name and path of each document, without the extension. */
export const documentNames: Readonly<Record<TokenHolder, string>> = {
  client: 'openapi',
  staff: 'openapi-staff',
};

const introductions: Readonly<Record<TokenHolder, { title: string; description: string }>> = {
  client: { title: 'Product Availability Service', description: overview },
  staff: { title: 'Product Availability Service for staff', description: staffOverview },
};

const bearerAuth = {
  type: 'http',
  scheme: 'bearer',
  bearerFormat: 'opaque',
  description:
    'The operator issues tokens, `pas_live_…` or `pas_test_…`. Send yours as `Authorization: Bearer <token>`, in this header only. It has scopes and an expiry date. Several can be valid at a time, so that you can rotate them without downtime.',
} as const;

/** Both OpenAPI documents, from the types, doc comments and declarations of controllers. */
export function describe(
  app: INestApplication,
  config: Config,
): Readonly<Record<TokenHolder, OpenAPIObject>> {
  const frame = new DocumentBuilder()
    .setOpenAPIVersion('3.0.4')
    .setVersion(INTERFACE_VERSION)
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer(config.publicUrl, config.production ? 'Production' : 'Local, for trying out')
    .addBearerAuth(bearerAuth, 'bearerAuth')
    .build();
  const whole = SwaggerModule.createDocument(app, frame, {
    operationIdFactory: (_controller, handler) => handler,
    extraModels: [ProblemBody, ValidationErrorProblem, InvalidPostcodeProblem],
  });
  const describeFor = (holder: TokenHolder) => {
    const info = { ...whole.info, ...introductions[holder], contact: contactOf(config) };
    return finishDescription({ ...whole, info }, holder);
  };
  return { client: describeFor('client'), staff: describeFor('staff') };
}

function contactOf({ publicUrl, salesContact }: Config): ContactObject {
  const email = isEmail(salesContact) ? { email: salesContact } : {};
  return { name: 'Sales', url: publicUrl, ...email };
}
