import { type OrderState, stateInfo } from '../record/order-states.js';

/** The state of an order: a shape with its word. */
export function StateMark({ state }: { state: OrderState }) {
  return (
    <span class={`state ${state.replace('_', '-')}`}>
      <svg viewBox="0 0 12 12" aria-hidden="true" focusable="false">
        <path d={stateInfo[state].shape} fill-rule="evenodd" />
      </svg>
      {stateInfo[state].name}
    </span>
  );
}

/** A speech bubble: no state has its shape. */
const BUBBLE =
  'M1 1.5h10v7H6.6L4 11.25V8.5H1zM2.4 2.9v4.2h7.2V2.9zM3.6 3.9h4.8v.9H3.6zM3.6 5.4h3.4v.9H3.6z';

/** Marks an enquiry, so that it differs from an order by shape and word. */
export function KindMark() {
  return (
    <span class="state kind">
      <svg viewBox="0 0 12 12" aria-hidden="true" focusable="false">
        <path d={BUBBLE} fill-rule="evenodd" />
      </svg>
      Enquiry
    </span>
  );
}
