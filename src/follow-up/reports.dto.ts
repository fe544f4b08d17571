import { IsOptional, Matches } from 'class-validator';

const aDay = { message: 'Must be a day such as 2026-11-21.' };
const day = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;

/** Days in London, both included; at most 400, the last 28 if left out. */
export class ReportQuery {
  /** @example "2026-11-01" */
  @IsOptional()
  @Matches(day, aDay)
  from?: string;

  /** @example "2026-11-28" */
  @IsOptional()
  @Matches(day, aDay)
  to?: string;
}

/** Open orders whose first contact stands so against its deadline. */
export class AgeGroup {
  /** `contacted`: there was one. The others are without: by what has passed of the time for it. */
  group: 'contacted' | 'in time' | 'nearly late' | 'late up to 1 day' | 'late 1-3 days' | 'later';

  /** @example 12 */
  orders: number;
}

export class AgeReport {
  items: AgeGroup[];
}

export class DayRow {
  /** @example "2026-11-21" */
  day: string;

  /** Orders received that day. */
  arrived: number;

  /** Orders closed that day, and not reopened since. */
  closed: number;

  /** Orders received up to the end of the day, less those closed by then and not reopened since. */
  backlog: number;
}

export class DailyReport {
  items: DayRow[];
}

export class FirstContactRow {
  /** The Monday with which the week begins. */
  week: string;

  /** Orders received in the week. */
  received: number;

  /** Of these, those with a first contact. */
  contacted: number;

  /** Working minutes from receipt to first contact, nearest rank; null where there was none. */
  medianMinutes: number | null;

  /** The 90th percentile of the same. */
  p90Minutes: number | null;

  /**
   * Contacted by the deadline, of those contacted or past the deadline or closed; 0 to 1; null where
   * there are none.
   */
  inTime: number | null;
}

export class FirstContactReport {
  items: FirstContactRow[];
}

export class OutcomeRow {
  productCode: string;
  received: number;
  open: number;
  won: number;
  lost: number;
  cancelled: number;
  duplicate: number;
}

/** Of the orders received in these days: what has become of them, by product. */
export class OutcomeReport {
  items: OutcomeRow[];
}

export class LostReasonRow {
  reason: string;
  orders: number;
}

/** Orders closed as lost in these days, by reason. */
export class LostReasonsReport {
  items: LostReasonRow[];
}

export class PersonRow {
  staffId: string;
  name: string;

  /** Orders that the person has. */
  open: number;

  /** Of these, call-backs whose time has come. */
  due: number;

  /** Of these, those without a first contact after the deadline. */
  late: number;
}

export class PeopleReport {
  items: PersonRow[];
}

export class ArrivalsRow {
  /** 0 is Monday. */
  weekday: number;

  /** In London. */
  hour: number;

  orders: number;
}

/** Orders received in these days; 168 rows. */
export class ArrivalsReport {
  items: ArrivalsRow[];
}

/** From checks to won orders, of these days. */
export class ConversionReport {
  /** Checks made. */
  checks: number;

  /** Of these, those with at least one product. */
  checksWithProducts: number;

  /** Orders received, less duplicates. */
  orders: number;

  /** Of these orders, those won up to now. */
  won: number;

  /** `orders` for each check with products; null where there are none. */
  ordersPerCheck: number | null;

  /** `won` for each order; null where there are none. */
  wonPerOrder: number | null;
}

export class DemandRow {
  /** @example "EC" */
  area: string;

  /** Checks made. */
  checks: number;

  /** Lost demand: checks without any product. */
  checksWithoutProduct: number;

  /** Orders received. */
  orders: number;
}

/** Demand and coverage by postcode area, of these days; most checks first. */
export class DemandReport {
  items: DemandRow[];
}
