// How results are shown: tables for people, one line of JSON for programs.
import os from 'node:os';

export function printJson(bench, _title, { ceiling, rows, growth, versions, errors }, { runner, threads }) {
  const line = { bench, where: runner.where, threads, ceiling: Number(ceiling.toFixed(1)) };
  line.rows = rows.map(({ title: _, ...row }) => row);
  if (growth?.length) line.growth = growth.map(({ title: _, ...table }) => table);
  Object.assign(line, { machine: machineText(), versions: { [runner.where]: runner.version, ...versions } });
  if (Object.keys(errors).length) line.errors = errors;
  console.log(JSON.stringify(line));
}

const machineText = () => `${os.cpus()[0].model.trim()}, ${os.cpus().length} cores`;

function shown(value) {
  if (value === undefined || value === null) return '-';
  const size = Math.abs(value);
  if (value === 0) return '0';
  return size >= 100 ? value.toFixed(0) : size >= 1 ? value.toFixed(2) : value.toPrecision(2);
}

function grid(rows) {
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => row[i].length)));
  for (const row of rows) console.log(row.map((text, i) => (i ? text.padStart(widths[i]) : text.padEnd(widths[i]))).join('  ').trimEnd());
}

/** One table; what has no column of its own stands below it. */
function printRows(rows, threads) {
  const peers = [...new Set(rows.flatMap(({ peers }) => Object.keys(peers)))];
  const has = (key) => rows.some((row) => row[key] !== undefined);
  const columns = [
    ['work', (row) => row.title],
    ['', (row) => row.unit],
    [threads > 1 ? `ours, ${threads} threads` : 'ours, 1 thread', (row) => shown(row.ours)],
    ...(has('ours1t') ? [['ours, 1 thread', (row) => shown(row.ours1t)]] : []),
    ...(has('eager') ? [['not captured', (row) => shown(row.eager)]] : []),
    ...(has('share1t') ? [['of the ceiling', (row) => (row.share1t === undefined ? '' : `${(row.share1t * 100).toFixed(0)} %`)]] : []),
    ...peers.map((peer) => [peer, (row) => (Object.keys(row.peers).length ? shown(row.peers[peer]) : '')]),
  ];
  grid([columns.map(([heading]) => heading), ...rows.map((row) => columns.map(([, text]) => text(row)))]);
  for (const row of rows) {
    const { work: _w, title: _t, unit: _u, ours: _o, ours1t: _1, eager: _e, share1t: _s, peers: _p, tenth: _n, ...more } = row;
    if (Object.keys(more).length) console.log(`  ${row.title}: ${Object.entries(more).map(([key, value]) => `${key} ${value}`).join(', ')}`);
  }
}

export function printTables(name, title, { ceiling, how, rows, growth = [], versions, errors }, { runner, threads }) {
  console.log(`\n${name}: ${title}`);
  console.log(`${machineText()}, ${runner.version}; ${Object.values(versions).join(', ')}`);
  console.log(`Ceiling of one thread, registers only: ${ceiling.toFixed(1)} GFLOP/s (${how}).\n`);
  printRows(rows, threads);
  const quick = rows.filter(({ tenth }) => tenth).map(({ work, title, unit, tenth }) => ({ work, title, unit, ...tenth }));
  if (quick.length) {
    console.log('\nThe quickest tenth of the runs: what they take while nobody else uses the cores.\n');
    printRows(quick, threads);
  }
  for (const table of growth) {
    console.log(`\n${table.title}, ms per step`);
    const lines = Object.entries(table).filter(([, values]) => Array.isArray(values) && values !== table.values);
    grid([[table.by, ...table.values.map(String)], ...lines.map(([key, values]) => [key, ...values.map(shown)])]);
  }
  if (Object.keys(errors).length) console.log(`\nCould not:\n${Object.entries(errors).map(([key, text]) => `  ${key}: ${text}`).join('\n')}`);
}

export { grid, shown };
