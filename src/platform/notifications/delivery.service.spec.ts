import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';
import { BackgroundWork } from '../kernel/background-work.js';
import { Clock } from '../kernel/clock.js';
import type { EndpointHealthService } from './endpoint-health.service.js';
import type { Channel } from './channel.js';
import type { ChannelsService } from './channels.service.js';
import { DeliveryService } from './delivery.service.js';
import type { OutboxMessage } from './messages/outbox-message.entity.js';
import type { OutboxRepository } from './outbox.repository.js';

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate'] });
});
afterEach(() => {
  jest.useRealTimers();
});

it('a delivery that hangs is aborted 10 seconds after the stop, and its message released', async () => {
  const message = { id: 'a', endpointId: null, attempts: 1 } as OutboxMessage;
  const claims = [[message]];
  const released: unknown[] = [];
  const queue = {
    claim: () => Promise.resolve(claims.shift() ?? []),
    release: (one: unknown) => Promise.resolve(void released.push(one)),
    settle: jest.fn(),
  };
  const channel = {
    name: 'hanging',
    slots: 1,
    deliver: (_message: unknown, signal: AbortSignal) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(new Error('aborted'))),
      ),
  } as unknown as Channel;
  const background = new BackgroundWork(() => undefined);
  const delivery = new DeliveryService(
    queue as unknown as OutboxRepository,
    {} as EndpointHealthService,
    { enabled: [channel] } as unknown as ChannelsService,
    new Clock(),
    background,
  );
  const delivering = delivery.deliverDue();
  await jest.advanceTimersByTimeAsync(0);
  const stopped = background.stop();
  await jest.advanceTimersByTimeAsync(9_999);
  expect(released).toEqual([]);
  await jest.advanceTimersByTimeAsync(1);
  await Promise.all([delivering, stopped]);
  expect([released, queue.settle.mock.calls]).toEqual([[message], []]);
});
