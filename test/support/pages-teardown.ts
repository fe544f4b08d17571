import './pages-setup.js';

export default async function tearDown(): Promise<void> {
  await globalThis.chromiumOfTheTests?.close();
  await globalThis.endOfThePages?.();
}
