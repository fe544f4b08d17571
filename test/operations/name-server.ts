import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { later } from '../support/closing.js';

/** The codes of DNS. `silent` answers nothing. */
const codes = { answers: 0, fails: 2, unknown: 3 } as const;

/** What a name server does with each question. */
export type Behaviour = keyof typeof codes | 'silent';

const A = 1;
const FLAGS = 0x8180;
/** Seconds: an address is asked for again with each connection. */
const TTL = 0;

/** A name server at port 53 of an address of this machine. Each name has the address 127.0.0.1, and no other. */
export class NameServer {
  behaviour: Behaviour = 'answers';
  asked = 0;

  private constructor(readonly address: string) {}

  static async start(address: string): Promise<NameServer> {
    const server = new NameServer(address);
    const socket = createSocket('udp4');
    socket.on('message', (question, { port, address: asker }) => {
      server.asked += 1;
      const { behaviour } = server;
      if (behaviour === 'silent') return;
      socket.send(answer(question, codes[behaviour]), port, asker);
    });
    socket.bind(53, address);
    await once(socket, 'listening');
    later(() => Promise.resolve(socket.close()));
    return server;
  }
}

function answer(message: Buffer, code: number): Buffer {
  const nameEnd = message.indexOf(0, 12) + 1;
  const question = message.subarray(12, nameEnd + 4);
  const records = code === 0 && question.readUInt16BE(nameEnd - 12) === A ? 1 : 0;
  const head = Buffer.alloc(12);
  message.copy(head, 0, 0, 2);
  head.writeUInt16BE(FLAGS | code, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(records, 6);
  if (records === 0) return Buffer.concat([head, question]);
  const record = Buffer.from([0xc0, 12, 0, A, 0, 1, 0, 0, 0, TTL, 0, 4, 127, 0, 0, 1]);
  return Buffer.concat([head, question, record]);
}
