import type { OpenAPIObject } from '@nestjs/swagger';

/** What every operation can answer besides its own, and the body of it. */
export function finishDescription(document: OpenAPIObject): OpenAPIObject {
  return document;
}
