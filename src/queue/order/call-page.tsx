import type { OrderDetail } from '../lists/detail.dto.js';
import { Layout } from '../../platform/ui/layout.js';
import type { OrdersContext } from '../../orders/staff/orders-context.service.js';
import { CallPanel } from './call-panel.js';
import { OrderHead } from './order-head.js';

/** The call panel of an order with what is needed for the call. */
export function CallPage({ detail, ...context }: OrdersContext & { detail: OrderDetail }) {
  const { order } = detail;
  const title = `${order.reference}, ${order.client.name}`;
  return (
    <Layout title={title} viewer={context.viewer}>
      <p class="crumb">
        <a href={`/staff/orders/${order.reference}`}>View order</a>
      </p>
      <div data-dialog-form>
        <OrderHead detail={detail} now={context.now} />
        <CallPanel order={order} {...context} />
      </div>
    </Layout>
  );
}
