/** Numbers in a sentence. */

// `toLocaleString` makes a format for each number: 10 µs, and a page has hundreds.
const numbers = new Intl.NumberFormat('en-GB');

/** `1,200`. */
export function whole(number: number): string {
  return numbers.format(number);
}

/** `1 order`, `1,200 orders`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${whole(count)} ${count === 1 ? one : many}`;
}
