// A bot for $title: it plays the best rated action. Change `rate`.
'use strict'

const fs = require('fs')

/** Rate an action: the bot plays one of those that you rate highest. */
function rate(turn, action) {
    return 0
}

/** Choose one of the best rated actions at random. */
function choose(turn) {
    const ratings = turn.act.legal.map(action => rate(turn, action))
    const most = ratings.reduce((a, b) => Math.max(a, b))
    const best = turn.act.legal.filter((_, i) => ratings[i] === most)
    return best[Math.floor(turn.random() * best.length)]
}

/** Return a generator of numbers from 0 to 1 (SFC32) with a seed of 16 hexadecimal digits. */
function randomFrom(dice) {
    let [a, b, c, counter] = [0, parseInt(dice.slice(8), 16), parseInt(dice.slice(0, 8), 16), 1]
    const random = () => {
        const sum = (a + b | 0) + counter | 0
        counter = counter + 1 | 0
        a = b ^ b >>> 9
        b = c + (c << 3) | 0
        c = (c << 21 | c >>> 11) + sum | 0
        return (sum >>> 0) / 2 ** 32
    }
    for (let i = 0; i < 12; i++) random()
    return random
}

/**
 * All that the bot knows: `hello` and `act` are the lines of the protocol.
 * The seed are the dice: no opponent knows them, and the same match draws the same numbers.
 */
function begin(hello) {
    return {hello, act: {}, random: randomFrom(hello.dice)}
}

/** Return the answer to a line, if it wants one. */
function makePlayer() {
    let turn
    return message => {
        switch (message.type) {
            case 'hello':
                turn = begin(message)
                console.error(`seat ${message.seat} of ${message.seats}`)
                return {type: 'ready'}
            case 'act':
                turn.act = message
                return {action: choose(turn)}
            case 'end':
                process.exit(0)
        }
        return null
    }
}

// Not readline: it also ends lines at two characters that a JSON text may hold.
function play() {
    // Keep standard output for answers: whatever else is printed goes to the log.
    Object.defineProperty(process, 'stdout', {value: process.stderr})
    const player = makePlayer()
    let unread = ''
    process.stdin.setEncoding('utf8')
    process.stdin.on('data', part => {
        const lines = (unread + part).split('\n')
        unread = lines.pop()
        for (const line of lines) {
            const answer = player(JSON.parse(line))
            if (answer) fs.writeSync(1, JSON.stringify(answer) + '\n')
        }
    })
}

module.exports = {begin, choose, makePlayer}
if (require.main === module) play()
