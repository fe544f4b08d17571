import { Injectable } from '@nestjs/common';
import { bankHolidays } from '../../platform/kernel/bank-holidays.js';
import { addWorkingTime, type Calendar } from '../../platform/kernel/working-hours.js';
import { Config } from '../../platform/config/config.js';
import { HOUR } from '../../platform/kernel/time.js';

/** The operator's working hours, and the deadlines that follow from them. */
@Injectable()
export class DeadlinesService {
  readonly calendar: Calendar;

  constructor(private readonly config: Config) {
    const holidays = new Set([...bankHolidays, ...config.closedDays]);
    this.calendar = { week: config.workingHours, holidays };
  }

  /** Working time, in milliseconds. */
  get firstContactTime(): number {
    return this.config.firstContactHours * HOUR;
  }

  /** The deadline for the first contact of an order received at this time, and its warning. */
  firstContact(receivedAt: Date): { firstContactDueAt: Date; firstContactWarnAt: Date } {
    const target = this.firstContactTime;
    const warning = (target * this.config.firstContactWarnPercent) / 100;
    return {
      firstContactDueAt: addWorkingTime(receivedAt, target, this.calendar),
      firstContactWarnAt: addWorkingTime(receivedAt, Math.round(warning), this.calendar),
    };
  }
}
