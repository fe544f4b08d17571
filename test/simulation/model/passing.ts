/** What happens when time passes: charges lapse and offers expire by themselves. */
import type { Model } from './model.js';

export function passTime(_model: Model): void {}
