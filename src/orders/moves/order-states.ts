/** The states of the staff's work on an order: three open ones, four closed. */
export const openStates = ['waiting', 'in_progress', 'scheduled'] as const;
export const closedStates = ['won', 'lost', 'cancelled', 'duplicate'] as const;
export const orderStates = [...openStates, ...closedStates] as const;
export type OrderState = (typeof orderStates)[number];

/** The public states that an integrator can move a test order on to. */
export const testTargets = ['inProgress', 'accepted', 'rejected', 'cancelled', 'closed'] as const;
export type TestTarget = (typeof testTargets)[number];
