// Runs one request of measure.mjs in a worker of the page.
import { measure } from '../measure.mjs';
import { host } from './browser.host.mjs';

self.onmessage = async ({ data }) => self.postMessage(await measure(data, host));
