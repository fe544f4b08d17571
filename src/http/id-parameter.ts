import { isUuid } from '../kernel/uuid.js';
import { Param, PipeTransform } from '@nestjs/common';
import { NotFound } from '../problems/problem.js';

const readUuid: PipeTransform<string, string> = {
  transform(text) {
    const id = text.toLowerCase();
    if (isUuid(id)) return id;
    throw new NotFound('There is nothing with this id.');
  },
};

/** A UUID in the path, in lower case; what is none cannot exist, so it is 404. */
export const IdParameter = (name: string) => Param(name, readUuid);
