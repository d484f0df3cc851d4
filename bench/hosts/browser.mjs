// The page of `--browser`: hands a request of measure.mjs to a fresh worker, where the engine lives in the notebook too, and gives
// back its result.
globalThis.bench = (request) =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./browser.worker.mjs', import.meta.url), { type: 'module' });
    worker.onmessage = ({ data }) => {
      worker.terminate();
      resolve(data);
    };
    worker.onerror = (event) => reject(new Error(event.message || 'the worker of the benchmark did not start'));
    worker.postMessage(request);
  });
