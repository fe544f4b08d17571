import { Param, PipeTransform } from '@nestjs/common';
import { NotFound } from '../problems/problem.js';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const readUuid: PipeTransform<string, string> = {
  transform(text) {
    const id = text.toLowerCase();
    if (uuid.test(id)) return id;
    throw new NotFound('There is nothing with this id.');
  },
};

/** A UUID in the path, in lower case; what is none cannot exist, so it is 404. */
export const IdParameter = (name: string) => Param(name, readUuid);
