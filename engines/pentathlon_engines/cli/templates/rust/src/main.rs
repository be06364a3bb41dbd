//! A bot for $title: it plays the best rated action. Change `rate`.

mod json;

use json::{quoted, Json};
use std::fs::File;
use std::io::{self, BufRead, Write};
use std::os::unix::io::{AsFd, AsRawFd};

/// All that the bot knows when it must act; the fields are those of the protocol.
struct Turn {
    /// The first line, with `options` and `limits`.
    hello: Json,
    /// The request, with `observation` and `clock`.
    act: Json,
    random: Random,
}

/// Rate an action: the bot plays one of those that you rate highest.
fn rate(_turn: &Turn, _action: &str) -> f64 {
    0.0
}

/// Choose one of the best rated actions at random.
fn choose(turn: &mut Turn) -> String {
    let legal = turn.act.get("legal").items();
    let ratings: Vec<f64> = legal.iter().map(|action| rate(turn, action.text())).collect();
    let most = ratings.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let best: Vec<usize> = (0..legal.len()).filter(|&i| ratings[i] == most).collect();
    let chosen = best[turn.random.below(best.len())];
    turn.act.get("legal").items()[chosen].text().to_string()
}

/// Numbers that look random (SplitMix64).
struct Random(u64);

impl Random {
    /// Seed by the dice: no opponent knows them, and the same match draws the same numbers.
    fn of(hello: &Json) -> Random {
        Random(u64::from_str_radix(hello.get("dice").text(), 16).unwrap_or(0))
    }

    /// Draw a whole number below `end`.
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ mixed >> 31) % end as u64) as usize
    }
}

fn begin(hello: Json) -> Turn {
    Turn { random: Random::of(&hello), hello, act: Json::Null }
}

fn log(turn: &Turn) {
    let number = |name| turn.hello.get(name).number();
    eprintln!("seat {} of {}", number("seat"), number("seats"));
}

extern "C" {
    fn dup2(from: i32, to: i32) -> i32;
}

/// Keep standard output for answers: whatever else is printed goes to the log.
fn keep_output() -> io::Result<File> {
    let answers = File::from(io::stdout().as_fd().try_clone_to_owned()?);
    // Safe: both descriptors are open, and this program owns them.
    match unsafe { dup2(io::stderr().as_raw_fd(), io::stdout().as_raw_fd()) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(answers),
    }
}

fn main() -> io::Result<()> {
    let mut answers = keep_output()?;
    let mut turn = begin(Json::Null);
    for line in io::stdin().lock().lines() {
        let message = Json::parse(&line?).expect("each line is JSON");
        match message.get("type").text() {
            "hello" => {
                turn = begin(message);
                log(&turn);
                answers.write_all(b"{\"type\":\"ready\"}\n")?;
            }
            "act" => {
                turn.act = message;
                let line = format!("{{\"action\":{}}}\n", quoted(&choose(&mut turn)));
                answers.write_all(line.as_bytes())?;
            }
            "end" => break,
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_the_legal_actions_is_chosen() {
        let mut turn = begin(Json::parse(r#"{"dice":"0123456789abcdef","seat":1}"#).unwrap());
        turn.act = Json::parse(r#"{"legal":["add dog b2","pass"]}"#).unwrap();

        let passes = (0..100).filter(|_| choose(&mut turn) == "pass").count();

        assert!(passes > 20 && passes < 80);
    }
}
