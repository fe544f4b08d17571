import { Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Max, MaxLength, Min } from 'class-validator';

export class PageQuery {
  /** The maximum number of rows. @format int32 @example 50 */
  @IsOptional()
  @Type(() => Number)
  @IsInt({ message: 'Must be a whole number from 1 to 200.' })
  @Min(1, { message: 'Must be a whole number from 1 to 200.' })
  @Max(200, { message: 'Must be a whole number from 1 to 200.' })
  limit: number = 50;

  /**
   * `nextCursor` of the previous page; without it, the first page.
   * @pattern ^[A-Za-z0-9_-]+$
   * @example "MTc5NTI1MzQwMDAwMCAwMTlhOWI1ZS03YzFkLTdjM2EtOWQyZi01YjFlNmE3YzhkOTA"
   */
  @IsOptional()
  @IsString({ message: 'Must be given once, as text.' })
  @MaxLength(100, { message: 'Must have at most 100 characters.' })
  cursor?: string;
}

/** Of what is sent as CSV, too. */
export class CsvQuery {
  /** `yes`: CSV begins with a byte order mark, for programs that open it in Excel. */
  @IsOptional()
  @IsIn(['yes'], { message: 'Must be yes, or left out.' })
  bom?: 'yes';
}
