import { expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { inChromium, Seat, takePictures } from '../support/browser.js';
import { startService } from '../support/service.js';

inChromium('a failed test', () => {
  it('leaves a picture of each open page, and of none that is closed', async () => {
    const service = await startService('sqlite');
    const [seat, closed] = [await Seat.open(service), await Seat.open(service)];
    await seat.goTo('/docs');
    await closed.page.close();
    const files = await takePictures('a failed test: "/docs"');
    expect(files).toEqual(['dist/failed-pages/a-failed-test-docs--1.png']);
    const [picture] = await Promise.all(files.map((file) => readFile(file)));
    expect(picture!.subarray(1, 4).toString()).toBe('PNG');
    expect(picture!.length).toBeGreaterThan(10_000);
  });
});
