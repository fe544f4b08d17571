import { expect, it } from '@jest/globals';
import type { ClientOrder } from '../../src/orders/record/orders.dto.js';
import type { EnquiryAcknowledgement } from '../../src/orders/record/enquiries.dto.js';
import { onBothEngines, startService } from '../support/service.js';

onBothEngines('a cancellation by the client', (engine) => {
  it('takes a reason, an empty object or no body', async () => {
    const service = await startService(engine);
    await service.given.catalogue();
    const token = await service.given.token();
    const cancel = (path: string, body?: string) =>
      service.http.send<ClientOrder & { code: string; errors: object[] }>({
        method: 'POST',
        path: `/product-availability/${path}/cancellation`,
        token,
        ...(body !== undefined && { headers: { 'Content-Type': 'application/json' }, body }),
      });
    const paths = async () => {
      const { orderId } = await service.given.order({ token });
      const enquiry = await service.http.post<EnquiryAcknowledgement>(
        '/product-availability/enquiry',
        { postcode: 'EC2A 2BS', wanted: { bandwidth: 10 } },
        { token },
      );
      return [`order/${orderId}`, `enquiry/${enquiry.body.enquiryId}`];
    };
    for (const body of [undefined, '{}', '{"reason":"Moved."}', '{"reason":null}']) {
      for (const path of await paths()) {
        const { status, body: cancelled } = await cancel(path, body);
        expect([status, cancelled.state]).toEqual([200, 'cancelled']);
        expect((await cancel(path, body)).status).toBe(200);
      }
    }
    const [order] = await paths();
    for (const body of ['[]', '{"why":"Moved."}', `{"reason":"${'x'.repeat(501)}"}`]) {
      expect((await cancel(order!, body)).body.code).toBe('validation-error');
    }
    await service.close();
  });
});
