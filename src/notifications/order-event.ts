interface OrderKey {
  readonly id: string;
  readonly reference: string;
  readonly clientId: string;
  /** The client's own reference. */
  readonly clientReference: string | null;
}

/** A change of an order, with public states only. */
export type OrderEvent =
  | {
      readonly type: 'order.received';
      readonly order: OrderKey & { readonly contactEmail: string | null };
      readonly state: string;
      readonly at: Date;
    }
  | {
      readonly type: 'order.state-changed';
      readonly order: OrderKey;
      readonly from: string;
      readonly to: string;
      readonly at: Date;
    };
