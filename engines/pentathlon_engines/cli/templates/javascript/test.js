// Tests of the bot: node --test
'use strict'

const assert = require('node:assert')
const {spawnSync} = require('node:child_process')
const test = require('node:test')
const {begin, choose} = require('./main.js')

test('each request has one answer', () => {
    const requests = [
        '{"type":"hello","protocol":1,"dice":"0123456789abcdef","seat":1,"seats":2,"new":{"deep":[{}]}}',
        '{"type":"act","legal":["caf\\u00e9 \\ud83d\\ude00 \u2028"],"observation":{},"clock":{}}',
        '{"type":"news","legal":7}',
        '{"type":"end","ranks":[0,1],"reason":"line"}',
    ].join('\n') + '\n'

    const played = spawnSync(process.execPath, [require.resolve('./main.js')], {input: requests, encoding: 'utf8'})

    const answers = played.stdout.trimEnd().split('\n').map(line => JSON.parse(line))
    assert.deepStrictEqual(answers, [{type: 'ready'}, {action: 'caf\u00e9 \u{1f600} \u2028'}])
    assert.strictEqual(played.status, 0)
})

test('one of the legal actions is chosen', () => {
    const turn = begin({dice: '0123456789abcdef', seat: 1})
    turn.act = {legal: ['add dog b2', 'pass']}

    const passes = Array.from({length: 100}, () => choose(turn)).filter(action => action === 'pass').length

    assert(passes > 20 && passes < 80)
})
