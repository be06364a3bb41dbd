/* Tests of the bot: cc -o test test.c json.c && ./test */

#undef NDEBUG
#define main bot_main
#include "bot.c"
#undef main

#include <assert.h>

static void test_values_are_found_whatever_stands_between(void) {
    const char *line = "{\"new\":[{\"a\":\"}]\"},null],\"n\" : -2.5e1, \"list\":[ \"x\" ,\"y\"],\"empty\":[]}";
    Json first = json_first(json_field(line, "list"));

    assert(json_number(json_field(line, "n"), 0) == -25);
    assert(json_is(first, "x") && json_is(json_next(first), "y"));
    assert(!json_next(json_next(first)));
    assert(!json_first(json_field(line, "empty")));
    assert(!json_field(line, "absent") && !json_field(json_field(line, "n"), "x"));
}

static void test_texts_are_decoded(void) {
    const char *line = "{\"t\\u0065xt\":\"\\\"\\\\\\/\\n\\u00e9\\u20ac\\ud83d\\ude00\\ud83d!\"}";
    char text[64];

    size_t length = json_text(json_field(line, "text"), text, sizeof text);

    assert(!strcmp(text, "\"\\/\n\u00e9\u20ac\U0001F600\uFFFD!"));
    assert(length == strlen(text));
}

static void test_long_text_is_cut(void) {
    char text[4];

    assert(json_text("\"ab\\u00e9cd\"", text, sizeof text) == 6);
    assert(!strcmp(text, "ab"));
}

static void test_one_of_the_legal_actions_is_chosen(void) {
    Turn turn = {.legal = "[\"add dog b2\",\"pass\"]", .random = 1};
    int passes = 0;

    for (int i = 0; i < 100; i++) passes += json_is(choose(&turn), "pass");

    assert(passes > 20 && passes < 80);
}

int main(void) {
    test_values_are_found_whatever_stands_between();
    test_texts_are_decoded();
    test_long_text_is_cut();
    test_one_of_the_legal_actions_is_chosen();
    puts("ok");
    return 0;
}
