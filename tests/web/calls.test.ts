// The lines that the menu of views writes, over the names of a notebook.
import { describe, expect, test } from 'vitest';
import { callFor, namesIn, VIEW_CALLS } from '../../web/views/calls.ts';

const lesson = namesIn([['train', 'dataset'], ['test', 'dataset'], ['rate', 'plain'], ['model', 'model'], ['optimizer', 'optimizer']]);

describe('the line of a view', () => {
  test.each([
    ['confusion', 'views.confusion(model, test);'],
    ['histograms', 'views.histograms(model, train);'],
    ['saliency', 'views.saliency(model, test.at(0)[0]);'],
    ['timeline', 'views.timeline(model, optimizer);'],
    ['health', 'await views.health(model, train, { test, optimizer });'],
  ])('%s', (id, line) => {
    expect(callFor(id, lesson)).toEqual({ line, isComplete: true });
  });

  test('uses the names that are there', () => {
    // The page hands over what can be read once.
    const names = namesIn(new Map([['moons', 'dataset'], ['first', 'model'], ['net', 'model'], ['adam', 'optimizer']]).entries());
    expect(callFor('surface', names).line).toBe('views.surface(net, moons);');
    expect(callFor('health', names).line).toBe('await views.health(net, moons, { optimizer: adam });');
    expect(callFor('timeline', namesIn([['net', 'model']]))).toEqual({ line: 'views.timeline(net);', isComplete: true });
  });

  test('wants only the names that it is made of', () => {
    const trained = { model: 'model', train: 'train', test: null, optimizer: null };
    for (const id of ['histograms', 'surface', 'rateFinder', 'health']) expect(callFor(id, trained), id).toMatchObject({ isComplete: true });
    expect(callFor('health', trained).line).toBe('await views.health(model, train);');
    expect(callFor('confusion', trained).isComplete).toBe(false);
    expect(callFor('histograms', { ...trained, train: null, test: 'test' }).isComplete).toBe(false);
    expect(callFor('digitPad', { ...trained, train: null })).toEqual({ line: 'views.digitPad(model);', isComplete: true });
  });

  test('names what lessons call it where nothing is there yet, and says so', () => {
    for (const { id } of VIEW_CALLS) expect(callFor(id, namesIn([])).isComplete).toBe(false);
    expect(callFor('confusion', namesIn([])).line).toBe('views.confusion(model, test);');
    expect(callFor('confusion', namesIn([['model', 'model']])).isComplete).toBe(false);
  });
});
