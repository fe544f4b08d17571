/** SQL about a row `r` of the counts of checks by day. */

/** The postcode area: the letters before the first digit of the sector. */
export const CHECK_AREA = `RTRIM(SUBSTR(r.sector, 1, 2), '0123456789')`;

/** The first part of the postcode: without the space and the digit after it. */
export const CHECK_DISTRICT = 'SUBSTR(r.sector, 1, LENGTH(r.sector) - 2)';

export const NOTHING_FOUND = `r.outcome IN ('none', 'staff-none')`;

export const MADE_BY_STAFF = `r.outcome IN ('staff-available', 'staff-none')`;
