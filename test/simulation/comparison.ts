/** What the service says, compared with what the model expects. */
import type { Expected } from './model/model.js';
import type { Answer } from './simulated-service.js';

/** What an answer says that was not expected. */
export function differencesOfAnswer(expected: Expected, answer: Answer | null): string[] {
  if (!answer) return ['There is no answer.'];
  const { status, code, orCode = [], body } = expected;
  const said = answer.body as Readonly<Record<string, unknown>>;
  if (code !== undefined) {
    const isRefused = [code, ...orCode].includes(String(said.code));
    return isRefused && (status === 0 || status === answer.status || orCode.length > 0)
      ? departures(body ?? {}, said)
      : [
          `expected ${status} ${[code, ...orCode].join(' or ')}, got ${answer.status} ${answer.text}`,
        ];
  }
  if (status !== answer.status) return [`expected ${status}, got ${answer.status} ${answer.text}`];
  return departures(body ?? {}, said);
}

/** Where the service differs from what is expected. It may say more. */
export function departures(expected: unknown, actual: unknown, at = ''): string[] {
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return [`${at} is ${print(actual)}, not a list`];
    const length =
      expected.length === actual.length
        ? []
        : [
            `${at} has ${actual.length}, not ${expected.length}: ${print(actual)} for ${print(expected)}`,
          ];
    return length.length > 0
      ? length
      : expected.flatMap((one, i) => departures(one, actual[i], `${at}/${i}`));
  }
  if (typeof expected === 'object' && expected !== null) {
    if (typeof actual !== 'object' || actual === null) {
      return [`${at} is ${print(actual)}, not ${print(expected)}`];
    }
    return Object.entries(expected).flatMap(([name, value]) =>
      departures(value, (actual as Record<string, unknown>)[name], `${at}/${name}`),
    );
  }
  return Object.is(expected, actual) ? [] : [`${at} is ${print(actual)}, not ${print(expected)}`];
}

/** Those that are left when each of `others` has taken one. */
export function without(texts: readonly string[], others: readonly string[]): string[] {
  const left = [...texts];
  for (const other of others) if (left.includes(other)) left.splice(left.indexOf(other), 1);
  return left.toSorted();
}

const print = (value: unknown) => JSON.stringify(value);

/** All permutations of 0 to `count` - 1. */
export function ordersOf(count: number): number[][] {
  if (count === 0) return [[]];
  return ordersOf(count - 1).flatMap((order) =>
    Array.from({ length: count }, (_, at) => order.toSpliced(at, 0, count - 1)),
  );
}
