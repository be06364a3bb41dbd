// Tests of the bot: c++ -std=c++17 -o test test.cpp && ./test

#undef NDEBUG
#define main bot_main
#include "bot.cpp"
#undef main

#include <cassert>

void test_values_are_found_whatever_stands_between() {
    Json line = Json::parse(R"( {"new":[{"a":"}]"},null],"n" : -2.5e1,"yes":true,"list":[ "x" ,"y"],"none":[]} )");

    assert(line["n"].number() == -25 && line["yes"].boolean());
    assert(line["list"].items().size() == 2 && line["list"].items()[1].text() == "y");
    assert(line["none"].kind() == Json::Kind::list && line["none"].items().empty());
    assert(line["absent"]["nor this"].kind() == Json::Kind::null);
    assert(line.names()[0] == "new");
}

void test_texts_are_decoded() {
    Json line = Json::parse(R"({"t\u0065xt":"\"\\\/\n\u00e9\u20ac\ud83d\ude00\ud83d!"})");

    assert(line["text"].text() == "\"\\/\n\u00e9\u20ac\U0001F600\uFFFD!");
}

void test_texts_are_written_so_that_they_read_the_same() {
    std::string text = "\"\\\n\x01\u00e9\U0001F600";

    assert(Json::parse(quoted(text)).text() == text);
}

void test_what_is_not_json_is_refused() {
    for (auto line : {"", "{", "[1,]", "{\"a\"}", "\"\\x\"", "\"\\u12", "nul", "1 2", "--1"}) {
        bool refused = false;
        try {
            Json::parse(line);
        } catch (const std::runtime_error&) {
            refused = true;
        }
        assert(refused);
    }
}

void test_one_of_the_legal_actions_is_chosen() {
    Turn turn;
    Json act = Json::parse(R"({"legal":["add dog b2","pass"]})");
    int passes = 0;

    for (int i = 0; i < 100; i++) passes += answer(turn, act) == "pass";

    assert(passes > 20 && passes < 80);
}

int main() {
    test_values_are_found_whatever_stands_between();
    test_texts_are_decoded();
    test_texts_are_written_so_that_they_read_the_same();
    test_what_is_not_json_is_refused();
    test_one_of_the_legal_actions_is_chosen();
    std::cout << "ok" << std::endl;
}
