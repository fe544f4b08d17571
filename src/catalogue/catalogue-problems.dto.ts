import { ApiSchema } from '@nestjs/swagger';
import { ProblemBody } from '../platform/problems/problem.dto.js';
import { RailView } from './catalogue.dto.js';

@ApiSchema({ description: 'A guard rail stops the change until a person gives a reason for it.' })
export class GuardRailProblem extends ProblemBody {
  /** The broken guard rails. @maxItems 10 */
  rails: RailView[];
}

@ApiSchema({ description: 'One fault in a catalogue file.' })
export class CatalogueFault {
  /** The file's name. @maxLength 255 @example "prices.csv" */
  file: string;

  /** The line, counted from 1. @kind count @example 7 */
  line: number;

  /** The column; empty if the whole line is at fault. @maxLength 80 @example "price" */
  column: string;

  /** The faulty value, cut to 80 characters. @maxLength 81 @example "55O" */
  value: string;

  /** What is wrong. @maxLength 500 @example "Must be an amount with at most two decimals." */
  reason: string;

  /** How to fix it; may be empty. @maxLength 500 @example "Write e.g. 549.99." */
  suggestion: string;
}

@ApiSchema({ description: 'The files have faults; nothing was imported.' })
export class CatalogueRejectedProblem extends ProblemBody {
  /** Number of faults. @kind count */
  total: number;

  /** The first 1,000, by file and line. @maxItems 1000 */
  faults: CatalogueFault[];
}

@ApiSchema({ description: 'A row that the draft and the live version changed differently.' })
export class ConflictView {
  /** The file's name. @maxLength 255 @example "prices.csv" */
  file: string;

  /** The key of the row. @maxLength 120 @example "INT-1G-12 LONDON-ONNET standard" */
  row: string;

  /** The row that both started from; null if there was none. @maxLength 2000 @example "price 550.00; currency GBP" */
  before: string | null;

  /** The row of the draft; null if it has none. @maxLength 2000 @example "price 566.50; currency GBP" */
  mine: string | null;

  /** The row of the live version; null if it has none. @maxLength 2000 @example "price 540.00; currency GBP" */
  theirs: string | null;
}

@ApiSchema({ description: 'The draft and the live version changed the same rows.' })
export class CatalogueConflictProblem extends ProblemBody {
  /** Number of rows. @kind count */
  total: number;

  /** The first 1,000. @maxItems 1000 */
  conflicts: ConflictView[];
}
