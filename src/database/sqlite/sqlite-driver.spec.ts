import { expect, it } from '@jest/globals';
import { refuseUnsoundDriver } from './sqlite-driver.js';

const compiledWith = (call: string) => () => Buffer.from(`\0_ZN4node28${call}EPN2v87IsolateE\0`);
const unsound = compiledWith('RemoveEnvironmentCleanupHook');

it('a driver that Node 24 aborts with is refused, and what to do is said', () => {
  expect(() => refuseUnsoundDriver('24.21.0', unsound)).toThrow('Node 24.21.0 aborts');
  expect(() => refuseUnsoundDriver('24.18.1', unsound)).toThrow('Use Node 22 or 26');
});

it('a driver that was compiled with older headers is used', () => {
  expect(() =>
    refuseUnsoundDriver('24.21.0', compiledWith('AddEnvironmentCleanupHook')),
  ).not.toThrow();
});

it('on other lines of Node the driver is not even read', () => {
  const read = () => {
    throw new Error('It was read.');
  };
  for (const node of ['20.20.2', '22.23.3', '26.10.0']) {
    expect(() => refuseUnsoundDriver(node, read)).not.toThrow();
  }
});

it('the driver that is installed can be read', () => {
  expect(() => refuseUnsoundDriver('24.0.0')).not.toThrow(/ENOENT|MODULE_NOT_FOUND/);
});
