import { ApiSchema } from '@nestjs/swagger';
import { IsOptional, ValidateBy } from 'class-validator';

/** A day that there is: `2026-02-31` has the form, but is none. */
const IsDay = () =>
  ValidateBy({
    name: 'isDay',
    validator: {
      validate: (value) =>
        typeof value === 'string' &&
        /^\d{4}-\d\d-\d\d$/.test(value) &&
        new Date(`${value}T00:00:00Z`).toJSON()?.startsWith(value) === true,
      defaultMessage: () => 'Must be a day such as 2026-11-21.',
    },
  });

@ApiSchema({ description: 'Days in London, both included; at most 400, the last 28 if left out.' })
export class ReportQuery {
  /**
   * The first day.
   * @format date
   * @example "2026-11-01"
   */
  @IsOptional()
  @IsDay()
  from?: string;

  /**
   * The last day.
   * @format date
   * @example "2026-11-28"
   */
  @IsOptional()
  @IsDay()
  to?: string;
}

@ApiSchema({ description: 'Open orders whose first contact stands so against its deadline.' })
export class AgeGroup {
  /**
   * `contacted`: there was one. The others are without: by what has passed of the time for it.
   *
   * One of `contacted`, `in time`, `nearly late`, `late up to 1 day`, `late 1-3 days`, `later`.
   * @example "contacted"
   */
  group: 'contacted' | 'in time' | 'nearly late' | 'late up to 1 day' | 'late 1-3 days' | 'later';

  /**
   * How many orders.
   * @example 12
   */
  orders: number;
}

@ApiSchema({ description: 'Open orders by age against the deadline.' })
export class AgeReport {
  /**
   * The rows.
   * @maxItems 6
   */
  items: AgeGroup[];
}

@ApiSchema({ description: 'A day.' })
export class DayRow {
  /**
   * The day, in London.
   * @format date
   * @example "2026-11-21"
   */
  day: string;

  /**
   * Orders received that day.
   * @example 1
   */
  arrived: number;

  /**
   * Orders closed that day, and not reopened since.
   * @example 1
   */
  closed: number;

  /**
   * Orders received up to the end of the day, less those closed by then and not reopened since.
   * @example 1
   */
  backlog: number;
}

@ApiSchema({ description: 'Orders by day.' })
export class DailyReport {
  /**
   * The rows.
   * @maxItems 400
   */
  items: DayRow[];
}

@ApiSchema({ description: 'A week.' })
export class FirstContactRow {
  /**
   * The Monday with which the week begins.
   * @format date
   * @example "2026-11-16"
   */
  week: string;

  /**
   * Orders received in the week.
   * @example 1
   */
  received: number;

  /**
   * Of these, those with a first contact.
   * @example 1
   */
  contacted: number;

  /**
   * Working minutes from receipt to first contact, nearest rank; null where there was none.
   * @example 42
   */
  medianMinutes: number | null;

  /**
   * The 90th percentile of the same.
   * @example 180
   */
  p90Minutes: number | null;

  /**
   * Contacted by the deadline, of those contacted or past the deadline or closed; 0 to 1; null where
   * there are none.
   * @example 0.93
   */
  inTime: number | null;
}

@ApiSchema({ description: 'Time to first contact by week.' })
export class FirstContactReport {
  /**
   * The rows.
   * @maxItems 58
   */
  items: FirstContactRow[];
}

@ApiSchema({ description: 'A product.' })
export class OutcomeRow {
  /**
   * The product's code.
   * @pattern ^[A-Z0-9][A-Z0-9-]*$
   * @maxLength 32
   * @example "INT-1G-12"
   */
  productCode: string;
  /**
   * Orders received.
   * @example 1
   */
  received: number;
  /**
   * Of these, those that are open.
   * @example 1
   */
  open: number;
  /**
   * Of these, those won.
   * @example 1
   */
  won: number;
  /**
   * Of these, those lost.
   * @example 1
   */
  lost: number;
  /**
   * Of these, those cancelled.
   * @example 1
   */
  cancelled: number;
  /**
   * Of these, those that repeat others.
   * @example 1
   */
  duplicate: number;
}

@ApiSchema({
  description: 'Of the orders received in these days: what has become of them, by product.',
})
export class OutcomeReport {
  /**
   * The rows.
   */
  items: OutcomeRow[];
}

@ApiSchema({ description: 'A reason.' })
export class LostReasonRow {
  /**
   * The reason.
   * @pattern ^[a-z]+(_[a-z]+)*$
   * @maxLength 32
   * @example "price"
   */
  reason: string;
  /**
   * How many orders.
   * @example 1
   */
  orders: number;
}

@ApiSchema({ description: 'Orders closed as lost in these days, by reason.' })
export class LostReasonsReport {
  /**
   * The rows.
   * @maxItems 8
   */
  items: LostReasonRow[];
}

@ApiSchema({ description: 'A staff member.' })
export class PersonRow {
  /**
   * Identifies the staff member.
   * @format uuid
   * @example "019a9b5e-7c1d-7c3a-9d2f-5b1e6a7c8d90"
   */
  staffId: string;
  /**
   * The name.
   * @maxLength 120
   * @example "Ada Lovelace"
   */
  name: string;

  /**
   * Orders that the person has.
   * @example 1
   */
  open: number;

  /**
   * Of these, call-backs whose time has come.
   * @example 1
   */
  due: number;

  /**
   * Of these, those without a first contact after the deadline.
   * @example 1
   */
  late: number;
}

@ApiSchema({ description: 'Open, due and late orders by staff member.' })
export class PeopleReport {
  /**
   * The rows.
   */
  items: PersonRow[];
}

@ApiSchema({ description: 'An hour of the week.' })
export class ArrivalsRow {
  /**
   * 0 is Monday.
   * @example 0
   */
  weekday: number;

  /**
   * In London.
   * @example 9
   */
  hour: number;

  /**
   * How many orders.
   * @example 1
   */
  orders: number;
}

@ApiSchema({ description: 'Orders received in these days; 168 rows.' })
export class ArrivalsReport {
  /**
   * The rows.
   * @maxItems 168
   */
  items: ArrivalsRow[];
}

@ApiSchema({ description: 'From checks to won orders, of these days.' })
export class ConversionReport {
  /**
   * Checks made.
   * @example 1
   */
  checks: number;

  /**
   * Of these, those with at least one product.
   * @example 1
   */
  checksWithProducts: number;

  /**
   * Orders received, less duplicates.
   * @example 1
   */
  orders: number;

  /**
   * Of these orders, those won up to now.
   * @example 1
   */
  won: number;

  /**
   * `orders` for each check with products; null where there are none.
   * @example 0.12
   */
  ordersPerCheck: number | null;

  /**
   * `won` for each order; null where there are none.
   * @example 0.4
   */
  wonPerOrder: number | null;
}

@ApiSchema({ description: 'A postcode area.' })
export class DemandRow {
  /**
   * The postcode area.
   * @pattern ^[A-Z]{1,2}$
   * @maxLength 2
   * @example "EC"
   */
  area: string;

  /**
   * Checks made.
   * @example 1
   */
  checks: number;

  /**
   * Lost demand: checks without any product.
   * @example 1
   */
  checksWithoutProduct: number;

  /**
   * Orders received.
   * @example 1
   */
  orders: number;
}

@ApiSchema({
  description: 'Demand and coverage by postcode area, of these days; most checks first.',
})
export class DemandReport {
  /**
   * The rows.
   * @maxItems 126
   */
  items: DemandRow[];
}
