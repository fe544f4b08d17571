import { ApiExtension, type ExamplesObject, type OperationObject } from '@nestjs/swagger';

/** A group of operations, as the OpenAPI document lists it. */
interface OperationGroup {
  readonly name: string;
  readonly description: string;
}

export interface OperationExamples {
  readonly request?: ExamplesObject;
  /** By status. */
  readonly responses?: Readonly<Record<number, ExamplesObject>>;
}

/** A streamed body, which no type describes. */
export interface StreamedBody {
  readonly mediaType: string;
  readonly description: string;
  /** Its start. */
  readonly example: string;
}

/** An operation with what the decorators below declare; src/openapi reads it. */
export type DeclaredOperation = OperationObject & {
  readonly 'x-group'?: OperationGroup;
  readonly 'x-declared-examples'?: OperationExamples;
  readonly 'x-also-answers'?: Readonly<Record<number, string>>;
  readonly 'x-streamed-body'?: StreamedBody;
  readonly 'x-optional-body'?: true;
};

/** The group of the operations of a controller. Every controller that is described has one. */
export const Described = (name: string, description: string) =>
  ApiExtension('x-group', { name, description } satisfies OperationGroup);

/** Examples where those of the fields do not show enough. */
export const Examples = (examples: OperationExamples) =>
  ApiExtension('x-declared-examples', examples);

/** Another status with the body of the success. */
export const AlsoAnswers = (status: number, description: string) =>
  ApiExtension('x-also-answers', { [status]: description });

export const Streams = (body: StreamedBody) => ApiExtension('x-streamed-body', body);

export const OptionalBody = () => ApiExtension('x-optional-body', true);

/** A parameter decorator that also says how the parameter or its handler is described. */
export const describedParameter =
  (parameter: ParameterDecorator, description: MethodDecorator): ParameterDecorator =>
  (target, name, index) => {
    const descriptor = name && Object.getOwnPropertyDescriptor(target, name);
    if (!descriptor) throw new Error('This decorates parameters of methods only.');
    parameter(target, name, index);
    description(target, name, descriptor);
  };
