/** Something that a person asked for cannot be done; the message says what to change. */
export class Refused extends Error {}
