/** The service cannot do what a person asks. The message says what to change. */
export class Refused extends Error {}
