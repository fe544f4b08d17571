import { applyDecorators, Body, type PipeTransform } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiProperty, ApiSchema, getSchemaPath } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { upperFirst } from '../kernel/text.js';
import { ValidationFailed } from '../problems/problem.js';
import { describedParameter } from './described.js';
import { type InputType, mustBeObject, validInput } from './valid.js';

/** The class of each kind of a body, by the value of the property that names the kind. */
export interface KindsOfBody {
  readonly property: string;
  readonly types: Readonly<Record<string, InputType<object>>>;
}

/**
 * Adds to each class the property that names its kind.
 * @param suffix of the names of the classes, such as `Move`: `ClaimMove`
 */
export function kindsOfBody(
  property: string,
  suffix: string,
  kinds: Readonly<Record<string, { readonly type: InputType<object>; readonly about: string }>>,
): KindsOfBody {
  const named = Object.entries(kinds).map(([kind, { type, about }]) => {
    const Kind = class extends type {};
    Object.defineProperty(Kind, 'name', { value: `${upperFirst(kind)}${suffix}` });
    ApiSchema({ description: about })(Kind);
    const declare = applyDecorators(
      ApiProperty({ type: 'string', enum: [kind], description: `\`${kind}\`.` }),
      IsIn([kind]),
    );
    declare(Kind.prototype, property);
    return [kind, Kind] as const;
  });
  return { property, types: Object.fromEntries(named) };
}

/** As `ValidBody`, for a body whose class depends on one of its properties. */
export const ValidKind = ({ property, types }: KindsOfBody): ParameterDecorator => {
  const choose: PipeTransform<Record<string, unknown>> = {
    transform(value) {
      const { [property]: kind } = value;
      if (typeof kind === 'string' && Object.hasOwn(types, kind)) {
        return validInput(types[kind]!, value);
      }
      const detail = `Must be one of ${Object.keys(types).join(', ')}.`;
      const code = kind === undefined ? 'required' : 'not-allowed';
      throw new ValidationFailed([{ pointer: `/${property}`, code, detail }]);
    },
  };
  const paths = Object.entries(types).map(([kind, type]) => [kind, getSchemaPath(type)] as const);
  const schema = {
    oneOf: paths.map(([, $ref]) => ({ $ref })),
    discriminator: { propertyName: property, mapping: Object.fromEntries(paths) },
  };
  return describedParameter(
    Body(mustBeObject, choose),
    applyDecorators(ApiExtraModels(...Object.values(types)), ApiBody({ schema })),
  );
};
