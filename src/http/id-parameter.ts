import { isUuid } from '../kernel/uuid.js';
import { Param, PipeTransform } from '@nestjs/common';
import { ApiParam } from '@nestjs/swagger';
import { NotFound } from '../problems/problem.js';
import { describedParameter } from './described.js';

const readUuid: PipeTransform<string, string> = {
  transform(text) {
    const id = text.toLowerCase();
    if (isUuid(id)) return id;
    throw new NotFound('There is nothing with this id.');
  },
};

/** A UUID in the path, in lower case; anything else is 404. */
export const IdParameter = (name: string) =>
  describedParameter(
    Param(name, readUuid),
    ApiParam({
      name,
      description: `The \`${name}\` from an earlier response.`,
      schema: {
        type: 'string',
        format: 'uuid',
        maxLength: 36,
        example: '019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90',
      },
    }),
  );
