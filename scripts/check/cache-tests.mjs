// Runs the tests of a suite for HTTP caches, and prints the results as tables.
//
//     node cache-tests.mjs run SUITE BASE-URL [TEST]     prints the results as JSON; with TEST, its exchanges
//     node cache-tests.mjs table SUITE RESULTS...        prints tables; fails if a test fails that has no reason
//     node cache-tests.mjs run-shared SUITE BASE-URL [TEST]
//     node cache-tests.mjs table-shared SUITE RESULTS...
//
// The first two are about a private cache, beside published results. The others are about shared caches: the tables have
// the given results alone, and a required test that the first of them fails is an error.

import fs from 'node:fs'
import path from 'node:path'

const [command, folder, ...rest] = process.argv.slice(2)
const suite = path.resolve(folder)
const groups = (await import(`${suite}/tests/index.mjs`)).default

const unknownCoding = 'the body of an unknown transfer coding has no known end, so it is refused'

// Why a test is not passed that does not concern a cache of images, or that RFC 9111 contradicts. If it is required, it
// is not counted.
const reasons = {
  'headers-store-Content-Encoding': 'an image in an unknown content coding is refused',
  'headers-store-Transfer-Encoding': unknownCoding,
  'method-POST': 'a response to POST is never used again',
  'conditional-lm-fresh-no-lm': 'the stored image is newer than the date of the client (RFC 9111, 4.3.2)',
  'partial-store-partial': 'a part of an image is stored only to be completed'
}
const sharedReasons = {
  'headers-store-Transfer-Encoding': unknownCoding,
  interim: 'a gateway need not pass on interim responses (RFC 9110, 15.2 asks proxies to do so)'
}
const isShared = command.endsWith('-shared')
const reason = test => Object.entries(isShared ? sharedReasons : reasons).find(([id]) => test.id.startsWith(id))?.[1]
const isCounted = test => kind(test) !== 'required' || !reason(test)
const kind = test => test.kind ?? 'required'

// Tests of answers to conditional requests of a client, which the suite skips for browsers.
const conditional = test => test.browser_skip && /^conditional-/.test(test.id) && !test.cdn_only

if (command.startsWith('run')) await run(rest[0], rest[1])
else if (isShared) await printSharedTables(rest)
else await printTables(rest)

async function run (baseUrl, only) {
  const { runTests, getResults } = await import(`${suite}/test-engine/client/runner.mjs`)
  const select = accepts => groups.map(group => ({
    ...group,
    tests: group.tests.filter(test => accepts(test) && (!only || test.id === only)).map(test => ({ ...test, dump: !!only }))
  }))
  if (isShared) {
    await runTests(select(() => true), false, baseUrl)
  } else {
    // As for a browser: a private cache.
    await runTests(select(() => true), true, baseUrl)
    await runTests(select(conditional), false, baseUrl)
  }
  console.log(JSON.stringify(getResults(), null, 2))
}

async function printTables (files) {
  const { determineTestResult } = await import(`${suite}/test-engine/lib/results.mjs`)
  const published = (await import(`${suite}/results/index.mjs`)).default
  const read = file => JSON.parse(fs.readFileSync(file))
  const columns = [
    ...files.map(file => ({ name: `Tintype, ${path.basename(file, '.json')}`, results: read(file) })),
    ...published.map(({ name, file, version }) => ({ name, version, results: read(`${suite}/results/${file}`) }))
  ]
  const applies = test => !test.browser_skip && !test.cdn_only
  const passes = (column, test) => ['✅', 'Y'].includes(determineTestResult(groups, test.id, column.results)[2])
  const count = (column, tests) => {
    const known = tests.filter(test => column.results[test.id] !== undefined)
    return known.length === 0 ? '–' : `${known.filter(test => passes(column, test)).length}/${known.length}`
  }
  for (const wanted of ['required', 'optimal']) {
    const select = group => group.tests.filter(test => applies(test) && kind(test) === wanted && isCounted(test))
    console.log(`\n${wanted}\n`)
    console.log(`| tests | ${columns.map(column => column.name).join(' | ')} |`)
    console.log(`| --- |${' ---: |'.repeat(columns.length)}`)
    const row = (name, tests) => console.log(`| ${name} | ${columns.map(column => count(column, tests)).join(' | ')} |`)
    for (const group of groups) if (select(group).length > 0) row(group.name, select(group))
    row('**all**', groups.flatMap(select))
    if (wanted === 'optimal') row('Conditional requests of clients', groups.flatMap(group => group.tests.filter(conditional)))
  }
  const failures = columns.slice(0, files.length).flatMap(column => groups.flatMap(group => group.tests)
    .filter(test => column.results[test.id] !== undefined && kind(test) !== 'check' && !passes(column, test))
    .map(test => ({ column, test })))
  console.log('\nnot passed\n')
  for (const { column, test } of failures) {
    const result = column.results[test.id]
    const why = reason(test) ?? (result === true ? 'a test it depends on' : result)
    console.log(`- ${column.name}: ${kind(test)} ${test.id}: ${why}`)
  }
  if (failures.some(({ test }) => (applies(test) || conditional(test)) && !reason(test))) process.exit(1)
}

async function printSharedTables (files) {
  const { determineTestResult } = await import(`${suite}/test-engine/lib/results.mjs`)
  const columns = files.map(file => ({ name: path.basename(file, '.json'), results: JSON.parse(fs.readFileSync(file)) }))
  const passes = (column, test) => ['✅', 'Y'].includes(determineTestResult(groups, test.id, column.results)[2])
  const applies = test => !test.browser_only && !test.cdn_only
  const names = columns.map(column => column.name).join(' | ')
  for (const wanted of ['required', 'optimal']) {
    const select = group => group.tests.filter(test => applies(test) && kind(test) === wanted && isCounted(test))
    console.log(`\n${wanted}\n\n| tests | ${names} |\n| --- |${' ---: |'.repeat(columns.length)}`)
    const count = (column, tests) => `${tests.filter(test => passes(column, test)).length}/${tests.length}`
    const row = (name, tests) => console.log(`| ${name} | ${columns.map(column => count(column, tests)).join(' | ')} |`)
    for (const group of groups) if (select(group).length > 0) row(group.name, select(group))
    row('**all**', groups.flatMap(select))
  }
  const failures = groups.flatMap(group => group.tests)
    .filter(test => applies(test) && kind(test) !== 'check' && !passes(columns[0], test))
  console.log(`\nnot passed by ${columns[0].name}\n`)
  for (const test of failures) {
    const result = columns[0].results[test.id]
    console.log(`- ${kind(test)} ${test.id}: ${reason(test) ?? (result === true ? 'a test it depends on' : result)}`)
  }
  if (failures.some(test => kind(test) === 'required' && !reason(test))) process.exit(1)
}
