/* A bot for $title: it plays the best rated action. Change `rate`. */

#define _POSIX_C_SOURCE 200809L

#include "json.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* All that the bot knows when it must act; the fields are those of the protocol. */
typedef struct {
    int seat, seats;
    Json hello;        /* the first line, with `options` and `limits` */
    Json observation;  /* the position: json_field(turn->observation, "...") */
    Json legal;        /* the legal actions, at least one */
    Json clock;
    uint64_t random;   /* the state of `draw` */
} Turn;

/* Rate an action: the bot plays one of those that you rate highest. */
static double rate(const Turn *turn, Json action) {
    (void)turn;
    (void)action;
    return 0;
}

/* Draw a whole number from 0 to below - 1 (SplitMix64). */
static uint64_t draw(Turn *turn, uint64_t below) {
    uint64_t mixed = turn->random += 0x9E3779B97F4A7C15u;
    mixed = (mixed ^ mixed >> 30) * 0xBF58476D1CE4E5B9u;
    mixed = (mixed ^ mixed >> 27) * 0x94D049BB133111EBu;
    return (mixed ^ mixed >> 31) % below;
}

/* Choose one of the best rated actions at random. */
static Json choose(Turn *turn) {
    Json best = NULL;
    double most = 0;
    uint64_t equals = 0;
    for (Json action = json_first(turn->legal); action; action = json_next(action)) {
        double rating = rate(turn, action);
        if (!best || rating > most) {
            best = action;
            most = rating;
            equals = 1;
        } else if (rating == most && draw(turn, ++equals) == 0) {
            best = action;
        }
    }
    return best;
}

/* Seed by the dice: no opponent knows them, and the same match draws the same numbers. */
static uint64_t seed_of(Json dice) {
    char text[17] = "";
    json_text(dice, text, sizeof text);
    return strtoull(text, NULL, 16);
}

static void begin(Turn *turn, const char *line) {
    turn->hello = strdup(line);
    turn->seat = (int)json_number(json_field(turn->hello, "seat"), 0);
    turn->seats = (int)json_number(json_field(turn->hello, "seats"), 2);
    turn->random = seed_of(json_field(turn->hello, "dice"));
    fprintf(stderr, "seat %d of %d\n", turn->seat, turn->seats);
}

/* Keep standard output for answers: whatever else is printed goes to the log. */
static FILE *keep_output(void) {
    FILE *answers = fdopen(dup(STDOUT_FILENO), "w");
    if (!answers || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) exit(1);
    setvbuf(stdout, NULL, _IOLBF, 0);
    return answers;
}

static void answer(Turn *turn, const char *line, FILE *answers) {
    turn->observation = json_field(line, "observation");
    turn->legal = json_field(line, "legal");
    turn->clock = json_field(line, "clock");
    Json action = choose(turn);
    /* The action goes back as it came, so nothing has to be escaped. */
    fprintf(answers, "{\"action\":%.*s}\n", json_length(action), action);
}

int main(void) {
    FILE *answers = keep_output();
    Turn turn = {0};
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) > 0) {
        Json type = json_field(line, "type");
        if (json_is(type, "hello")) {
            begin(&turn, line);
            fputs("{\"type\":\"ready\"}\n", answers);
        } else if (json_is(type, "act")) {
            answer(&turn, line, answers);
        } else if (json_is(type, "end")) {
            break;
        }
        fflush(answers);
    }
    return 0;
}
