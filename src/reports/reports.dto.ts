import { ApiSchema } from '@nestjs/swagger';
import { IsOptional, MaxLength } from 'class-validator';
import { ListOf } from '../platform/http/lists.js';
import { IsDay, IsId } from '../platform/http/field-rules.js';

@ApiSchema({ description: 'Which orders and checks a report counts.' })
export class ReportFilter {
  /** Only orders and checks of the API client with this id. @kind uuid */
  @IsOptional()
  @IsId()
  client?: string;

  /** Only orders of the staff member with this id. Checks have no owner, and stay. @kind uuid */
  @IsOptional()
  @IsId()
  owner?: string;

  /**
   * Only orders of the product with this code, or of those whose code starts with the text before `*`.
   * Checks have no product, and stay.
   * @maxLength 33 @example "INT-*"
   */
  @IsOptional()
  @MaxLength(33, { message: 'Must have at most 33 characters.' })
  product?: string;
}

@ApiSchema({ description: 'Days in London, both included; at most 400, the last 28 if left out.' })
export class ReportQuery extends ReportFilter {
  /** The first day. @format date @example "2026-11-01" */
  @IsOptional()
  @IsDay()
  from?: string;

  /** The last day. @format date @example "2026-11-28" */
  @IsOptional()
  @IsDay()
  to?: string;
}

@ApiSchema({ description: 'The monthly prices of orders in one currency, added up, without VAT.' })
export class MonthlyAmount {
  /** ISO 4217. @kind currency */
  currency: string;

  /** In major units. @example 12345.5 */
  amount: number;
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

  /** Their monthly prices, by currency. @maxItems 200 */
  amounts: MonthlyAmount[];
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

  /** Monthly prices of the orders received that day, by currency. @maxItems 200 */
  amounts: MonthlyAmount[];
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

  /** Monthly prices of the orders received, by currency. @maxItems 200 */
  amounts: MonthlyAmount[];

  /** Of these, those of orders won. @maxItems 200 */
  wonAmounts: MonthlyAmount[];
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

  /** Their monthly prices, by currency. @maxItems 200 */
  amounts: MonthlyAmount[];
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

  /** Monthly prices of the open orders, by currency. @maxItems 200 */
  amounts: MonthlyAmount[];
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

  /** Monthly prices of `orders`, by currency. @maxItems 200 */
  amounts: MonthlyAmount[];

  /** Of these, those of orders won. @maxItems 200 */
  wonAmounts: MonthlyAmount[];
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

  /** Their monthly prices, by currency. @maxItems 200 */
  amounts: MonthlyAmount[];

  /** Places where API clients wait for products: watches that are open now, not those of the period. */
  watched: number;
}

@ApiSchema({
  description: 'Demand and coverage by postcode area in this period; most checks first.',
})
export class DemandReport extends ListOf(DemandRow, 126) {}

@ApiSchema({ description: 'Orders, first contacts and closed orders of a period.' })
export class PerformanceFigures {
  /** Orders received in the period. */
  received: number;

  /** Their monthly prices, by currency. @maxItems 200 */
  amounts: MonthlyAmount[];

  /** Of the orders received, those with a first contact. */
  contacted: number;

  /** Contacts logged for the orders received, with attempts that reached no one. */
  contacts: number;

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

  /** Orders closed as won in the period. */
  won: number;

  /** Orders closed as lost in the period. */
  lost: number;

  /** `won` of `won` and `lost`; null without either. @example 0.4 */
  wonShare: number | null;

  /** Monthly prices of `won`, by currency. @maxItems 200 */
  wonAmounts: MonthlyAmount[];
}

@ApiSchema({ description: 'The main figures of this period and of as many days before it.' })
export class SummaryReport {
  /** This period. */
  current: PerformanceFigures;

  /** The days before it. */
  before: PerformanceFigures;
}

@ApiSchema({
  description: 'The figures of a staff member: of orders that the person owns, or owned last.',
})
export class PersonFigures extends PerformanceFigures {
  /** Identifies the staff member. @kind uuid */
  staffId: string;

  /** The name. @kind person */
  name: string;
}

@ApiSchema({ description: 'Figures by staff member; most orders received first.' })
export class PersonFiguresReport extends ListOf(PersonFigures) {}

@ApiSchema({ description: 'The figures of an API client.' })
export class ClientFigures extends PerformanceFigures {
  /** Identifies the API client. @kind uuid */
  clientId: string;

  /** The name. @maxLength 120 @example "Quillfeather Networks" */
  name: string;
}

@ApiSchema({ description: 'Figures by API client; most orders received first.' })
export class ClientFiguresReport extends ListOf(ClientFigures, 10_000) {}
