import { ApiSchema } from '@nestjs/swagger';
import { ProblemBody } from '../problems/problem.dto.js';
import { RailView } from './catalogue.dto.js';

@ApiSchema({ description: 'A guard rail stops the change until a person says that it is meant.' })
export class GuardRailProblem extends ProblemBody {
  /**
   * The rails that are broken.
   * @maxItems 10
   */
  rails: RailView[];
}

@ApiSchema({ description: 'One mistake in a file of a catalogue.' })
export class CatalogueFault {
  /**
   * The file's name.
   * @maxLength 255
   * @example "prices.csv"
   */
  file: string;

  /**
   * The line, from 1. @kind count
   * @example 7
   */
  line: number;

  /**
   * The name of the column; empty where the whole line is at fault.
   * @maxLength 80
   * @example "price"
   */
  column: string;

  /**
   * What stands there, cut to 80 characters.
   * @maxLength 81
   * @example "55O"
   */
  value: string;

  /**
   * What is wrong.
   * @maxLength 500
   * @example "Must be an amount with at most two decimals."
   */
  reason: string;

  /**
   * What was probably meant, or what to do; it may be empty.
   * @maxLength 500
   * @example "Expected for example 550 or 550.00."
   */
  suggestion: string;
}

@ApiSchema({ description: 'The files are no catalogue; nothing was imported.' })
export class CatalogueRejectedProblem extends ProblemBody {
  /** How many mistakes there are. @kind count */
  total: number;

  /**
   * The first 1,000 of them, by file and line.
   * @maxItems 1000
   */
  faults: CatalogueFault[];
}
