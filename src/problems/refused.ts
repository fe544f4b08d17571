/** A request of a person that cannot be met; the message says what to change. */
export class Refused extends Error {}
