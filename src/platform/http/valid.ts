import {
  Body,
  PipeTransform,
  Query,
  ValidationError,
  ValidationPipe,
  CanActivate,
  ExecutionContext,
  Injectable,
} from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync } from 'class-validator';
import { describedParameter, OptionalBody, isDescribed } from './described.js';
import { FieldError, ValidationFailed, MalformedRequest } from '../problems/problem.js';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { Request } from 'express';

/**
 * Refuses any query parameter of an operation that declares none; `ValidQuery` refuses the unknown ones of
 * the others. A misspelt or unsupported filter would otherwise be ignored, and the answer look right. Pages
 * are left alone: links of others lead to them.
 */
@Injectable()
export class QueryGuard implements CanActivate {
  canActivate(context: ExecutionContext): true {
    const request = context.switchToHttp().getRequest<Request>();
    if (!request.url.includes('?')) return true;
    const controller = context.getClass();
    if (!isDescribed(controller) || takesQuery(controller, context.getHandler().name)) return true;
    if (Object.keys(request.query).length === 0) return true;
    throw new MalformedRequest('This operation takes no query parameters. Remove them.');
  }
}

/** Whether a parameter of the handler is declared by `@Query` or `@ValidQuery`. */
function takesQuery(controller: object, handler: string): boolean {
  const declared = Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handler) as object;
  return Object.keys(declared ?? {}).some((key) => key.startsWith(`${RouteParamtypes.QUERY}:`));
}

const codes: Readonly<Record<string, string>> = {
  isString: 'wrong-type',
  isInt: 'wrong-type',
  isNumber: 'wrong-type',
  isObject: 'wrong-type',
  isBoolean: 'wrong-type',
  isDate: 'wrong-type',
  isArray: 'wrong-type',
  nestedValidation: 'wrong-type',
  minLength: 'too-short',
  maxLength: 'too-long',
  arrayMinSize: 'too-short',
  arrayMaxSize: 'too-long',
  min: 'too-small',
  max: 'too-large',
  isIn: 'not-allowed',
  isMailAddress: 'invalid-email',
  isLine: 'not-allowed',
  isPostcode: 'invalid-postcode',
  isUprn: 'invalid-uprn',
  isUuid: 'not-allowed',
  isOnly: 'not-allowed',
  isNotBlank: 'not-allowed',
  matches: 'not-allowed',
  whitelistValidation: 'unknown-property',
};

function fieldErrors(errors: readonly ValidationError[], parent: string): FieldError[] {
  return errors.flatMap(({ property, value, constraints = {}, children = [] }) => {
    const pointer = `${parent}/${property.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const within = fieldErrors(children, pointer);
    const [constraint] = Object.keys(constraints).sort(bySeverity);
    if (constraint === undefined) return within;
    // Nest removes the value of an error with children: that value is present.
    const isMissing = within.length === 0 && (value === undefined || value === null);
    return [fieldError(pointer, constraint, constraints[constraint] ?? '', isMissing), ...within];
  });
}

/** Wrong types first: a number is not also "too long". */
function bySeverity(a: string, b: string): number {
  return Number(codes[b] === 'wrong-type') - Number(codes[a] === 'wrong-type');
}

function fieldError(
  pointer: string,
  constraint: string,
  detail: string,
  isMissing: boolean,
): FieldError {
  if (constraint === 'whitelistValidation') {
    return { pointer, code: 'unknown-property', detail: 'This property is not known; remove it.' };
  }
  if (isMissing) return { pointer, code: 'required', detail: 'This is required.' };
  if (constraint === 'nestedValidation') {
    return { pointer, code: 'wrong-type', detail: 'Must be an object.' };
  }
  return { pointer, code: codes[constraint] ?? constraint, detail };
}

/** Names and rules of the lists of an input that have a greatest length. */
const boundedLists = new WeakMap<object, readonly BoundedList[]>();

interface BoundedList {
  readonly name: string;
  readonly most: number;
  readonly detail: string;
}

function boundedListsOf(type: InputType<object>): readonly BoundedList[] {
  const known = boundedLists.get(type);
  if (known) return known;
  const found = getMetadataStorage()
    .getTargetValidationMetadatas(type, '', true, false)
    .filter(({ name }) => name === 'arrayMaxSize')
    .map(({ propertyName: name, constraints, message }) => {
      const most = Number(constraints[0]);
      const detail = typeof message === 'string' ? message : `Must have at most ${most} entries.`;
      return { name, most, detail };
    });
  boundedLists.set(type, found);
  return found;
}

/**
 * Refuses a list that is too long before anything is made of its entries: they take longer to convert and to
 * validate than to send.
 */
const refuseLongLists: PipeTransform<object> = {
  transform(value, { metatype }) {
    const errors = boundedListsOf(metatype as InputType<object>).flatMap(
      ({ name, most, detail }) => {
        const list = (value as Readonly<Record<string, unknown>>)[name];
        const isLong = Array.isArray(list) && list.length > most;
        return isLong ? [{ pointer: `/${name}`, code: 'too-long', detail }] : [];
      },
    );
    if (errors.length > 0) throw new ValidationFailed(errors);
    return value;
  },
};

const strictly = { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: false };

const validate = new ValidationPipe({
  transform: true,
  ...strictly,
  exceptionFactory: (errors) => new ValidationFailed(fieldErrors(errors, '')),
});

/** Validates the values of a form or query. @throws {ValidationFailed} */
export function validated<T extends object>(type: InputType<T>, plain: object): Promise<T> {
  return validate.transform(plain, { type: 'body', metatype: type }) as Promise<T>;
}

/** As `validated`, without waiting: the input, or its faults. */
export function validOrFaults<T extends object>(
  type: InputType<T>,
  plain: object,
): T | FieldError[] {
  const value = plainToInstance(type, plain);
  const errors = validateSync(value, strictly);
  return errors.length === 0 ? value : fieldErrors(errors, '');
}

/** A class whose rules, by class-validator, say what an input may be. */
export type InputType<T extends object> = new () => T;

/** What the rules of an input say about one of its properties. */
export interface InputField {
  readonly name: string;
  readonly kind: 'text' | 'number' | 'boolean' | 'instant' | 'list';
  readonly required: boolean;
  /** In characters. */
  readonly longest?: number;
}

const kinds = new Map<string, InputField['kind']>([
  ['isArray', 'list'],
  ['isNumber', 'number'],
  ['isInt', 'number'],
  ['isBoolean', 'boolean'],
  ['isDate', 'instant'],
]);

/** The properties of an input, those of its base classes last. */
export function fieldsOfInput(type: InputType<object>): readonly InputField[] {
  const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', true, false);
  return [...Map.groupBy(rules, (rule) => rule.propertyName)].map(([name, own]) => {
    const [kind = 'text'] = own.flatMap((rule) => kinds.get(rule.name ?? '') ?? []);
    const length = own.find((rule) => rule.name === 'maxLength');
    return {
      name,
      kind,
      // ValidateIf and IsOptional.
      required: !own.some((rule) => rule.type === 'conditionalValidation'),
      longest: length && Number(length.constraints[0]),
    };
  });
}

/** A typed number. Any other text stays a text, which the rules of its property refuse. */
export function readNumber(text: string): number | string {
  return /^[+-]?\d{1,15}(?:\.\d+)?$/.test(text) ? Number(text) : text;
}

export const mustBeObject: PipeTransform = {
  transform(value: unknown) {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
    throw new ValidationFailed([
      { pointer: '', code: 'wrong-type', detail: 'The body must be a JSON object.' },
    ]);
  },
};

const orEmpty: PipeTransform = { transform: (value: unknown) => value ?? {} };

/** Refuses NUL, which databases can neither store nor compare. */
const mustBeText: PipeTransform<Record<string, unknown>> = {
  transform(query) {
    const fault = { code: 'not-allowed', detail: 'Must not have a NUL character.' };
    const errors = Object.entries(query)
      .filter(([, value]) => [value].flat().some((text) => String(text).includes('\0')))
      .map(([name]) => ({ pointer: `/${name}`, ...fault }));
    if (errors.length > 0) throw new ValidationFailed(errors);
    return query;
  },
};

/** Validates an object as a body of this class. @throws {ValidationFailed} */
export function validInput(type: InputType<object>, value: object): Promise<unknown> {
  const about = { type: 'body', metatype: type } as const;
  return validate.transform(refuseLongLists.transform(value, about), about);
}

/** The pipes of `ValidBody`, for a body that another pipe reads first. */
export const validBody: readonly PipeTransform[] = [mustBeObject, refuseLongLists, validate];

/** The validated body as its DTO class; otherwise 400 `validation-error` with every fault. */
export const ValidBody = () => Body(...validBody);

/** As `ValidBody`, for an optional body. */
export const ValidOptionalBody = () =>
  describedParameter(Body(orEmpty, mustBeObject, refuseLongLists, validate), OptionalBody());

/** The validated query as its DTO class; otherwise 400 `validation-error` with every fault. */
export const ValidQuery = () => Query(mustBeText, validate);
