import { ApiSchema } from '@nestjs/swagger';

// The bodies of `Problem` and its subclasses, for the OpenAPI documents.

@ApiSchema({
  name: 'Problem',
  description: 'Why a request failed: RFC 9457 problem details. Branch on `code`, show `detail`.',
})
export class ProblemBody {
  /**
   * Links to a page with the cause and the remedy.
   * @format uri
   * @maxLength 2000
   * @example "http://localhost:3000/problems/not-found"
   */
  type: string;

  /**
   * The kind of problem, in words; the same for every problem of this `code`.
   * @maxLength 200
   * @example "Not found"
   */
  title: string;

  /** The HTTP status. @format int32 @minimum 400 @maximum 599 @example 404 */
  status: number;

  /**
   * What is wrong with this request, for a person.
   * @maxLength 1000
   * @example "There is no order with this id."
   */
  detail: string;

  /**
   * This occurrence: `urn:uuid:` and the request id, as in `X-Request-Id`. Quote it to the operator.
   * @format uri
   * @maxLength 45
   * @example "urn:uuid:5b0a7c9e-2f64-4f5d-9a51-0d3c7e8b6a21"
   */
  instance: string;

  /**
   * The kind of problem, for a program: the last segment of `type`. New ones may be added.
   * @pattern ^[a-z]+(-[a-z]+)*$
   * @maxLength 64
   * @example "not-found"
   */
  code: string;
}

@ApiSchema({ description: 'The text in the path is not a UK postcode.' })
export class InvalidPostcodeProblem extends ProblemBody {
  /**
   * The likely postcode, where one look-alike character, such as O for 0, explains the mistake.
   * @pattern ^[A-Z]{1,2}[0-9][A-Z0-9]? [0-9][A-Z]{2}$
   * @maxLength 8
   * @example "EC2A 2BS"
   */
  suggestion?: string;
}

@ApiSchema({ description: 'What is wrong with one field.' })
export class FieldFault {
  /**
   * JSON pointer (RFC 6901) into the body or, for a query parameter, `/` and its name.
   * @format json-pointer
   * @maxLength 16384
   * @example "/contact/email"
   */
  pointer: string;

  /**
   * The kind of fault, for a program, such as `required`, `wrong-type`, `too-long` or
   * `unknown-property`. New ones may be added.
   * @pattern ^[A-Za-z]+(-[A-Za-z]+)*$
   * @maxLength 64
   * @example "invalid-email"
   */
  code: string;

  /**
   * What is wrong, for a person.
   * @maxLength 1000
   * @example "Must be an email address, such as ada@example.com."
   */
  detail: string;
}

@ApiSchema({ description: 'Fields are missing, of the wrong type, too long or unknown.' })
export class ValidationErrorProblem extends ProblemBody {
  /** Every fault of the request at once. @maxItems 1000 */
  errors: FieldFault[];
}
