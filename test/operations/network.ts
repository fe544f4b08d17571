import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { later } from '../support/closing.js';

/** What a cut drops: packets to the machine, packets from it, or both. */
export type Direction = 'to' | 'from' | 'both';

const run = (program: string, ...words: string[]) => execFileSync(program, words);
/** A queue without room: it drops each packet without a word, as a broken switch does. */
const DROP = ['root', 'bfifo', 'limit', '1'];

/**
 * A network in this kernel: a bridge with the address `10.77.1.1`, and machines that are network namespaces.
 * It does not reach beyond this computer. Needs root. Only one at a time in a network namespace.
 */
export class Network {
  private static readonly bridge = 'availability';
  readonly machines: Machine[] = [];

  constructor(private readonly folder: string) {
    mkdirSync(folder);
    run('ip', 'link', 'add', Network.bridge, 'type', 'bridge');
    later(() => Promise.resolve(void run('ip', 'link', 'del', Network.bridge)));
    run('ip', 'address', 'add', '10.77.1.1/24', 'dev', Network.bridge);
    run('ip', 'link', 'set', Network.bridge, 'up');
  }

  /** With the address `10.77.1.1<n>`. */
  add(n: number): Machine {
    const namespace = join(this.folder, `net-${n}`);
    const link = `${Network.bridge}${n}`;
    writeFileSync(namespace, '');
    run('unshare', `--net=${namespace}`, 'true');
    later(() => Promise.resolve(void run('umount', namespace)));
    const peer = ['peer', 'name', 'eth0', 'netns', namespace];
    run('ip', 'link', 'add', link, 'type', 'veth', ...peer);
    run('ip', 'link', 'set', link, 'master', Network.bridge, 'up');
    const machine = new Machine(`10.77.1.1${n}`, namespace, link);
    machine.run('ip', 'address', 'add', `${machine.address}/24`, 'dev', 'eth0');
    machine.run('ip', 'link', 'set', 'eth0', 'up');
    machine.run('ip', 'link', 'set', 'lo', 'up');
    this.machines.push(machine);
    return machine;
  }
}

export class Machine {
  constructor(
    readonly address: string,
    private readonly namespace: string,
    /** The end of its cable at the bridge. */
    private readonly link: string,
  ) {}

  /** The words that start a program on this machine. */
  command(...words: string[]): readonly [string, ...string[]] {
    return ['nsenter', `--net=${this.namespace}`, ...words];
  }

  run(...words: string[]): void {
    const [program, ...rest] = this.command(...words);
    run(program, ...rest);
  }

  cut(direction: Direction): void {
    if (direction !== 'from') run('tc', 'qdisc', 'add', 'dev', this.link, ...DROP);
    if (direction !== 'to') this.run('tc', 'qdisc', 'add', 'dev', 'eth0', ...DROP);
  }

  restore(direction: Direction): void {
    if (direction !== 'from') run('tc', 'qdisc', 'del', 'dev', this.link, 'root');
    if (direction !== 'to') this.run('tc', 'qdisc', 'del', 'dev', 'eth0', 'root');
  }
}
