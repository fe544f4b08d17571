import { ApiSchema } from '@nestjs/swagger';
import { IsOptional, ValidateBy } from 'class-validator';
import { ListOf } from '../../http/lists.js';
import { isDay } from '../../kernel/time.js';

const IsDay = () =>
  ValidateBy({
    name: 'isDay',
    validator: {
      validate: (value) => typeof value === 'string' && isDay(value),
      defaultMessage: () => 'Must be a day such as 2026-11-21.',
    },
  });

@ApiSchema({ description: 'Days in London, both included; at most 400, the last 28 if left out.' })
export class ReportQuery {
  /** The first day. @format date @example "2026-11-01" */
  @IsOptional()
  @IsDay()
  from?: string;

  /** The last day. @format date @example "2026-11-28" */
  @IsOptional()
  @IsDay()
  to?: string;
}

@ApiSchema({ description: 'Open orders in one state of their first contact.' })
export class AgeGroup {
  /**
   * `contacted`, or for orders without a first contact the state of the deadline for it.
   *
   * One of `contacted`, `in time`, `nearly late`, `late up to 1 day`, `late 1-3 days`, `later`.
   * @example "contacted"
   */
  group: 'contacted' | 'in time' | 'nearly late' | 'late up to 1 day' | 'late 1-3 days' | 'later';

  /** How many orders. */
  orders: number;
}

@ApiSchema({ description: 'Open orders by age against the deadline.' })
export class AgeReport extends ListOf(AgeGroup, 6) {}

@ApiSchema({ description: 'A day.' })
export class DayRow {
  /** The day, in London. @format date */
  day: string;

  /** Orders received that day. */
  arrived: number;

  /** Orders closed that day, and not reopened since. */
  closed: number;

  /** Orders received up to the end of the day, less those closed by then and not reopened since. */
  backlog: number;
}

@ApiSchema({ description: 'Orders by day.' })
export class DailyReport extends ListOf(DayRow, 400) {}

@ApiSchema({ description: 'A week.' })
export class FirstContactRow {
  /** The Monday of the week. @format date @example "2026-11-16" */
  week: string;

  /** Orders received in the week. */
  received: number;

  /** Of these, those with a first contact. */
  contacted: number;

  /**
   * Working minutes from receipt to first contact, nearest rank; null without one.
   * @example 42
   */
  medianMinutes: number | null;

  /** The 90th percentile of the same. @example 180 */
  p90Minutes: number | null;

  /**
   * The share contacted by the deadline, of orders that are contacted, closed or past the deadline;
   * 0 to 1; null without such orders.
   * @example 0.93
   */
  inTime: number | null;
}

@ApiSchema({ description: 'Time to first contact by week.' })
export class FirstContactReport extends ListOf(FirstContactRow, 58) {}

@ApiSchema({ description: 'A product.' })
export class OutcomeRow {
  /** The product's code. @kind product */
  productCode: string;
  /** Orders received. */
  received: number;
  /** Of these, those that are open. */
  open: number;
  /** Of these, those won. */
  won: number;
  /** Of these, those lost. */
  lost: number;
  /** Of these, those cancelled. */
  cancelled: number;
  /** Of these, those that are duplicates. */
  duplicate: number;
}

@ApiSchema({
  description: 'Current status of the orders received in this period, by product.',
})
export class OutcomeReport extends ListOf(OutcomeRow) {}

@ApiSchema({ description: 'A reason.' })
export class LostReasonRow {
  /** The reason. @kind reason */
  reason: string;
  /** How many orders. */
  orders: number;
}

@ApiSchema({ description: 'Orders closed as lost in this period, by reason.' })
export class LostReasonsReport extends ListOf(LostReasonRow, 8) {}

@ApiSchema({ description: 'A staff member.' })
export class PersonRow {
  /** Identifies the staff member. @kind uuid */
  staffId: string;
  /** The name. @kind person */
  name: string;

  /** Orders of which the person is the owner. */
  open: number;

  /** Of these, those with a call-back due. */
  due: number;

  /** Of these, those without a first contact by the deadline. */
  late: number;
}

@ApiSchema({ description: 'Open, due and late orders by staff member.' })
export class PeopleReport extends ListOf(PersonRow) {}

@ApiSchema({ description: 'An hour of the week.' })
export class ArrivalsRow {
  /** 0 is Monday. */
  weekday: number;

  /** In London. @example 9 */
  hour: number;

  /** How many orders. */
  orders: number;
}

@ApiSchema({ description: 'Orders received in this period; 168 rows.' })
export class ArrivalsReport extends ListOf(ArrivalsRow, 168) {}

@ApiSchema({ description: 'From checks to won orders in this period.' })
export class ConversionReport {
  /** Checks made. */
  checks: number;

  /** Of these, those with at least one product. */
  checksWithProducts: number;

  /** Orders received, less duplicates. */
  orders: number;

  /** Of these orders, those won to date. */
  won: number;

  /** `orders` for each check with products; null without such checks. @example 0.12 */
  ordersPerCheck: number | null;

  /** `won` for each order; null without orders. @example 0.4 */
  wonPerOrder: number | null;
}

@ApiSchema({ description: 'A postcode area.' })
export class DemandRow {
  /** The postcode area. @pattern ^[A-Z]{1,2}$ @maxLength 2 @example "EC" */
  area: string;

  /** Checks made. */
  checks: number;

  /** Lost demand: checks without any product. */
  checksWithoutProduct: number;

  /** Orders received. */
  orders: number;
}

@ApiSchema({
  description: 'Demand and coverage by postcode area in this period; most checks first.',
})
export class DemandReport extends ListOf(DemandRow, 126) {}
