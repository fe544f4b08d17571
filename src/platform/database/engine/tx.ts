import type { EntityManager } from 'typeorm';

/** The database inside one transaction. Valid until the function that received it ends. */
export type Tx = Pick<
  EntityManager,
  | 'insert'
  | 'update'
  | 'delete'
  | 'find'
  | 'findOne'
  | 'findBy'
  | 'findOneBy'
  | 'findOneByOrFail'
  | 'findOneOrFail'
  | 'findAndCount'
  | 'countBy'
  | 'count'
  | 'exists'
  | 'existsBy'
  | 'increment'
  | 'createQueryBuilder'
  | 'query'
>;
