import { applyDecorators, Param, type PipeTransform, SetMetadata } from '@nestjs/common';
import {
  ApiExtension,
  ApiParam,
  type ApiParamOptions,
  type ExamplesObject,
  type OperationObject,
} from '@nestjs/swagger';

interface OperationGroup {
  readonly name: string;
  readonly description: string;
}

export interface OperationExamples {
  readonly request?: ExamplesObject;
  /** By status. */
  readonly responses?: Readonly<Record<number, ExamplesObject>>;
}

export interface StreamedBody {
  readonly mediaType: string;
  readonly description: string;
  /** The start of the body. */
  readonly example: string;
  /** The start of the body with `Accept: text/csv`, if there is one. */
  readonly csv?: string;
}

/** Where a 201 differs from others. */
interface Creation {
  /** By default it has the path of what was created. */
  readonly hasPath?: false;
  /** A repeated request gets the same response, although it takes no key. */
  readonly isReplayed?: true;
}

/** An operation with the declarations of the decorators below; src/platform/openapi reads it. */
export type DeclaredOperation = OperationObject & {
  readonly 'x-group'?: OperationGroup;
  readonly 'x-declared-examples'?: OperationExamples;
  readonly 'x-also-answers'?: Readonly<Record<number, string>>;
  readonly 'x-streamed-body'?: StreamedBody;
  readonly 'x-versioned'?: true;
  readonly 'x-optional-body'?: true;
  readonly 'x-creation'?: Creation;
  readonly 'x-csv-request'?: string;
  readonly 'x-csv-response'?: string;
  readonly 'x-pdf-response'?: true;
};

const GROUP = 'operation-group';

/** The group of a controller's operations. Every documented controller needs one. */
export const Described = (name: string, description: string) =>
  applyDecorators(
    SetMetadata(GROUP, name),
    ApiExtension('x-group', { name, description } satisfies OperationGroup),
  );

/** Whether the handlers of the controller are operations of an API. */
export function isDescribed(controller: object): boolean {
  return Reflect.hasMetadata(GROUP, controller);
}

/** For operations that the examples of fields do not explain. */
export const Examples = (examples: OperationExamples) =>
  ApiExtension('x-declared-examples', examples);

/** Another status with the same body as the success. */
export const AlsoAnswers = (status: number, description: string) =>
  ApiExtension('x-also-answers', { [status]: description });

export const Streams = (body: StreamedBody) => ApiExtension('x-streamed-body', body);

/** With `Accept: text/csv` the response is CSV. @param example its start */
export const AlsoSendsCsv = (example: string) => ApiExtension('x-csv-response', example);

/** With `Accept: application/pdf` the response is a document. */
export const AlsoSendsPdf = () => ApiExtension('x-pdf-response', true);

/** The response has an `ETag`, and is 304 where the client has it already. */
export const Versioned = () => ApiExtension('x-versioned', true);

export const OptionalBody = () => ApiExtension('x-optional-body', true);

export const Creates = (creation: Creation) => ApiExtension('x-creation', creation);

/** A parameter decorator that also documents the parameter or its handler. */
export const describedParameter =
  (parameter: ParameterDecorator, description: MethodDecorator): ParameterDecorator =>
  (target, name, index) => {
    const descriptor = name && Object.getOwnPropertyDescriptor(target, name);
    if (!descriptor) throw new Error('This decorates parameters of methods only.');
    parameter(target, name, index);
    description(target, name, descriptor);
  };

export const PathParameter = (
  about: ApiParamOptions & { readonly name: string },
  ...pipes: PipeTransform[]
) => describedParameter(Param(about.name, ...pipes), ApiParam(about));
