// A bot for $title: it plays the best rated action. Change `rate`.

#include "json.hpp"

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

// All that the bot knows when it must act; the fields are those of the protocol.
struct Turn {
    Json hello;  // the first line, with "options" and "limits"
    int seat = 0, seats = 2;
    Json act;  // the request, with "observation" and "clock"
    std::vector<std::string> legal;  // the legal actions, at least one
    std::mt19937_64 random;
};

// Rate an action: the bot plays one of those that you rate highest.
double rate(const Turn&, const std::string&) {
    return 0;
}

// Choose one of the best rated actions at random.
std::string choose(Turn& turn) {
    std::vector<std::string> best;
    double most = 0;
    for (const auto& action : turn.legal) {
        double rating = rate(turn, action);
        if (best.empty() || rating > most) {
            best.clear();
            most = rating;
        }
        if (rating == most) best.push_back(action);
    }
    return best[turn.random() % best.size()];
}

// Seed by the dice: no opponent knows them, and the same match draws the same numbers.
void begin(Turn& turn, Json hello) {
    turn.hello = std::move(hello);
    turn.seat = static_cast<int>(turn.hello["seat"].number());
    turn.seats = static_cast<int>(turn.hello["seats"].number());
    turn.random.seed(std::stoull(turn.hello["dice"].text(), nullptr, 16));
    std::cerr << "seat " << turn.seat << " of " << turn.seats << std::endl;
}

std::string answer(Turn& turn, Json act) {
    turn.act = std::move(act);
    turn.legal.clear();
    for (const auto& action : turn.act["legal"].items()) turn.legal.push_back(action.text());
    return choose(turn);
}

// Keep standard output for answers: whatever else is printed goes to the log.
std::FILE* keep_output() {
    std::FILE* answers = fdopen(dup(STDOUT_FILENO), "w");
    if (!answers || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) std::exit(1);
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
    std::cout << std::unitbuf;
    return answers;
}

void send(std::FILE* answers, const std::string& line) {
    std::fputs((line + "\n").c_str(), answers);
    std::fflush(answers);
}

int main() {
    std::ios::sync_with_stdio(false);
    std::FILE* answers = keep_output();
    Turn turn;
    for (std::string line; std::getline(std::cin, line);) {
        Json message = Json::parse(line);
        const std::string type = message["type"].text();
        if (type == "hello") {
            begin(turn, std::move(message));
            send(answers, R"({"type":"ready"})");
        } else if (type == "act") {
            send(answers, R"({"action":)" + quoted(answer(turn, std::move(message))) + "}");
        } else if (type == "end") {
            break;
        }
    }
    return 0;
}
